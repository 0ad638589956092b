"""Real models as runs on the stage: heads of published models, and what a person captures."""

from core.models.capturing import capture
from core.models.hook_cache import read_hook_cache
from core.models.recording import Recording
from core.models.recording_file import open_recording, save_recording

__all__ = ["Recording", "capture", "open_recording", "read_hook_cache", "save_recording"]

"""Real models as runs on the stage: heads of published models, and what a person captures."""

from core.models.recorded.capturing import capture
from core.models.recorded.hook_cache import read_hook_cache
from core.models.recorded.recording import Recording
from core.models.recorded.recording_file import open_recording, save_recording

__all__ = ["Recording", "capture", "open_recording", "read_hook_cache", "save_recording"]

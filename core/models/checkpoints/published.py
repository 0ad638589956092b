"""A published model by its name on Hugging Face's hub, if the network and the library allow it.

Only settings, safetensors and the tokeniser are fetched, and their sizes are asked for before.
"""

import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from core.errors import InputError, input_error
from core.limits import MOST_MODEL_BYTES
from core.models.checkpoints.config import printable
from core.models.checkpoints.folder_settings import CONFIG
from core.models.checkpoints.safetensors_headers import INDEX, WHOLE
from core.models.checkpoints.tokeniser_parts import TOKENIZER
from core.models.memory import gigabytes
from core.texts import core_texts

TEXTS = core_texts("checkpoints")

_NAME = re.compile(r"(?!.*\.\.)[A-Za-z0-9][\w.-]{0,95}(?:/[A-Za-z0-9][\w.-]{0,95})?", re.ASCII)
_FETCHED = (CONFIG, TOKENIZER, WHOLE, INDEX)
_SHARD = re.compile(r"model-\d{5}-of-\d{5}\.safetensors")


def fetch_published(name: str) -> Path:
    """Fetch a model and return its folder. Raises `InputError`, also if there is no network."""
    if not _NAME.fullmatch(name):
        raise input_error(TEXTS, "no_name", name=printable(name))
    if find_spec("huggingface_hub") is None:
        raise input_error(TEXTS, "no_hub")
    hub: Any = import_module("huggingface_hub")
    try:
        info = hub.HfApi().model_info(name, files_metadata=True)
        sizes = {f.rfilename: f.size or 0 for f in info.siblings or [] if _is_data(f.rfilename)}
        if (total := sum(sizes.values())) > MOST_MODEL_BYTES:
            most = gigabytes(MOST_MODEL_BYTES)
            raise input_error(
                TEXTS, "too_large", name=printable(name), needed=gigabytes(total), most=most
            )
        files = sorted(sizes)  # of the revision whose sizes were asked for
        return Path(hub.snapshot_download(name, revision=info.sha, allow_patterns=files))
    except InputError:
        raise
    except Exception as error:  # whatever the library and the network raise
        raise input_error(TEXTS, "not_fetched", name=printable(name)) from error


def _is_data(file: str) -> bool:
    return file in _FETCHED or bool(_SHARD.fullmatch(file))

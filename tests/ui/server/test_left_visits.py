"""Streamlit still keeps the visits that were left where the server lets go of them."""

from typing import Any

import pytest
from streamlit.runtime import Runtime, RuntimeConfig
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager

from ui.server.left_visits import drop_expired

SEEKS = "ui/server/left_visits.py looks for left visits where Streamlit no longer keeps them: {}"


@pytest.fixture
def storage(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What a Streamlit server keeps of left visits; here each is old at once."""
    kept = MemorySessionStorage(ttl_seconds=0)
    files = MemoryMediaFileStorage(""), MemoryUploadedFileManager("")
    monkeypatch.setattr(Runtime, "_instance", None)
    Runtime(RuntimeConfig("app.py", *files, session_storage=kept))
    return kept


def test_a_visit_that_was_left_is_let_go_of(storage: Any) -> None:
    try:
        storage._cache["left"] = "a visit"
        drop_expired()
        kept = dict(storage._cache._data)
    except (AttributeError, TypeError) as error:
        pytest.fail(SEEKS.format(error))
    assert not kept, SEEKS.format(kept)

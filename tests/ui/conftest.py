"""For the tests of pages: what is installed is looked through once, and rooms have a folder."""

from collections.abc import Iterator
from functools import cache

import pytest
from streamlit.components.v2 import manifest_scanner

from ui.classroom.store.rooms import VARIABLE


@pytest.fixture(scope="session", autouse=True)
def _prepared_for_pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Each `AppTest` reads the metadata of every installed package, for longer than a page runs.

    Rooms are kept in a folder of the tests.
    """
    with pytest.MonkeyPatch.context() as patch:
        found = cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", found)
        patch.setenv(VARIABLE, str(tmp_path_factory.mktemp("data")))
        yield

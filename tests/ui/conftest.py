"""For the tests of pages: what is installed is looked through once, not for every page."""

from collections.abc import Iterator
from functools import cache

import pytest
from streamlit.components.v2 import manifest_scanner

from ui.classroom.store.rooms import VARIABLE


@pytest.fixture(scope="session", autouse=True)
def _installed_components_are_looked_for_once() -> Iterator[None]:
    """Each `AppTest` reads the metadata of every installed package, for longer than a page runs."""
    with pytest.MonkeyPatch.context() as patch:
        found = cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", found)
        yield


@pytest.fixture(scope="session", autouse=True)
def _rooms_are_kept_in_a_folder_of_the_tests(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, str(tmp_path_factory.mktemp("data")))
        yield

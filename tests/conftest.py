"""For every test: shapes in annotations are checked as the code runs, and random cases repeat."""

import os
from collections.abc import Iterator

import hypothesis
import pytest
from jaxtyping import install_import_hook

from tests import checked_calls
from tests.alone import RunAlone, running_alone
from tests.sampling import CASES, DEEP, checked_modules
from ui.server.server_startup import collect_seldom

pytest_plugins = ["tests.processor_time", "tests.shares"]
ONCE_MORE = pytest.mark.flaky(reruns=1, only_rerun=["TimeoutError", "Locator expected"])

collect_seldom()  # as the server does

# Before anything imports `core`: a function given or returning another shape than its annotation
# says then raises.
install_import_hook(checked_modules(), f"{checked_calls.__name__}.checked")

# Time limits would measure the machine. In CI every run draws the same cases.
hypothesis.settings.register_profile("here", max_examples=CASES, deadline=None)
hypothesis.settings.register_profile(
    "ci", hypothesis.settings.get_profile("here"), derandomize=True
)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "here")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """In the short run tests of the long one alone are left out, and counted as deselected.

    A browser that ran out of time on a busy machine is asked once more, and the summary names it.
    No other test is marked so: with two workers the mark takes each test 40 ms.
    """
    if DEEP:
        return
    left = [item for item in items if item.get_closest_marker("deep")]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if item not in left]
    for item in items:
        if "open_page" in getattr(item, "fixturenames", ()):
            item.add_marker(ONCE_MORE)


@pytest.fixture(scope="session")
def run_alone() -> Iterator[RunAlone]:
    with running_alone() as run:
        yield run

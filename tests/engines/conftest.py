"""Tests in Firefox and WebKit: `make test-browsers` runs them, and no other command."""

import os
from collections.abc import Iterator

import pytest

from tests.browser import conftest as browser
from tests.engines.engine import ENGINES, Engine

serve, server = browser.serve, browser.server  # fixtures
collect_ignore_glob = [] if os.environ.get("ENGINES") else ["test_*.py"]


@pytest.fixture(scope="session", params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    browser = ENGINES[request.param]()
    yield browser
    browser.close()

"""What the tests of `ui` have once in a session, the tests of pages have too."""

from tests.ui.conftest import _prepared_for_pages as _prepared_for_pages

"""What the tests of `ui` have once in a session, the tests of pages have too."""

from tests.ui.conftest import (
    _installed_components_are_looked_for_once as _installed_components_are_looked_for_once,
)
from tests.ui.conftest import (
    _rooms_are_kept_in_a_folder_of_the_tests as _rooms_are_kept_in_a_folder_of_the_tests,
)

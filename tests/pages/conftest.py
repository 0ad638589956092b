"""What the tests of `ui` have once in a session, the tests of pages have too."""

from tests.ui import conftest as ui

_components = ui._installed_components_are_looked_for_once
_rooms = ui._rooms_are_kept_in_a_folder_of_the_tests

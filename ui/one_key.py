"""Streamlit's session state, asked for one key at a time.

Many widgets ask whether the session has a value for their own key. Streamlit answers with a new
mapping of everything that the session has, and makes a class for each component of the page to do
so: 3 ms a widget on a page with three stages, half of all that its server does.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from streamlit.runtime.state.session_state import SessionState

_whole: Callable[[SessionState], dict[str, Any]] = vars(SessionState)["filtered_state"].fget


class OneKey(Mapping[str, Any]):
    """What `SessionState.filtered_state` gives, made for the keys that are asked for."""

    def __init__(self, state: SessionState) -> None:
        self._state = state

    def __getitem__(self, key: str) -> Any:
        return self._state[key]

    def __contains__(self, key: object) -> bool:
        return key in self._state

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __repr__(self) -> str:
        return repr(self._all())

    def _all(self) -> dict[str, Any]:
        return _whole(self._state)


def ask_for_one_key() -> None:
    """Let widgets ask for their own key alone, in this process."""
    SessionState.filtered_state = property(OneKey)  # type: ignore[method-assign, assignment]

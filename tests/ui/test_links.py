"""What a key of a link may say."""

from hypothesis import given
from hypothesis import strategies as st

from ui.links import parse_cell


@given(st.text(max_size=30))
def test_any_text_is_a_cell_or_none(text: str) -> None:
    found = parse_cell(text)
    assert found is None or all(isinstance(n, int) for n in found[1])

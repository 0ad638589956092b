import html

import numpy as np

from core import attention_from
from stage.hosts.notebook import MOST_NUMBERS, in_a_cell


def test_a_run_that_a_cell_ends_with_is_on_its_stage_its_tokens_as_text() -> None:
    shown = in_a_cell(attention_from([[1.0]], [[2.0]], [[3.0]], tokens=["<lone>"]))
    assert shown.startswith("<iframe srcdoc=")
    assert "&amp;lt;lone&amp;gt;" in shown
    assert "<lone>" not in html.unescape(shown)


def test_a_cell_says_why_it_does_not_show_a_large_run() -> None:
    large = attention_from(*(np.zeros((4, 64, 8)) for _ in "QKV"))
    count = sum(array.size for array in large.values())
    assert count > MOST_NUMBERS
    assert in_a_cell(large).startswith(f"<p>This run has {count:,} numbers.")

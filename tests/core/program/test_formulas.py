"""Trees of formulas, and how they are written in LaTeX and on one line."""

import pytest

from core import attention_program
from core.chapters.recursive_attention import tile_schedule, tiles
from core.program import formulas as f
from core.program.formulas import Formula


@pytest.mark.parametrize(
    ("printed", "latex", "plain"),
    [
        ("-1.56", "-1.56", "−1.56"), ("3e-7", r"3 \times 10^{-7}", "3 × 10−7"),
        ("-2.50e6", r"-2.50 \times 10^{6}", "−2.50 × 106"), ("inf", r"\infty", "∞"),
        ("-inf", r"-\infty", "−∞"), ("NaN", r"\mathrm{NaN}", "NaN"),
    ],
)  # fmt: skip
def test_a_printed_number_is_written_as_people_do(printed: str, latex: str, plain: str) -> None:
    assert f.latex(f.number_formula(printed)) == latex
    assert f.plain_formula(f.number_formula(printed)) == plain


@pytest.mark.parametrize(
    ("term", "latex"),
    [
        (f.number_formula("2"), "1 + 2"),
        (f.number_formula("-2"), "1 - 2"),
        (f.number_formula("-3e-7"), r"1 - 3 \times 10^{-7}"),
        (f.number_formula("-inf"), r"1 - \infty"),
        (f.bracketed(f.number_formula("-2")), "1 + (-2)"),
        (f.row(f.number_formula("-2"), *f.added(f.number_formula("-3"))), "1 - 2 - 3"),
    ],
)
def test_a_further_term_brings_its_sign(term: Formula, latex: str) -> None:
    assert f.latex(f.row(f.number_formula("1"), *f.added(term))) == latex


def test_a_formula_in_latex_has_room_only_where_it_is_read() -> None:
    scores = f.row(f.name("Q"), f.transpose(f.name("K")))
    softmax = f.call("softmax", f.over(scores, f.root(f.name("d_k"))), role="weights")
    assert f.latex(softmax) == r"\operatorname{softmax}(Q K^{\top} / \sqrt{d_{k}})"
    product = f.row(f.bracketed(f.number_formula("-2")), f.bracketed(f.number_formula("3")))
    called = f.call("max", product, f.number_formula("4"))
    assert f.latex(called) == r"\max((-2)(3), 4)"
    indented = f.latex(f.indented(f.fraction(called, f.text("a"))))
    assert indented == r"\quad \dfrac{\max((-2)(3), 4)}{\text{a}}"


def test_text_is_escaped_in_latex_and_left_alone_elsewhere() -> None:
    hostile = r"\end{x} $%&#_^~"
    assert f.text(hostile) == ["text", hostile]
    assert f.plain_formula(f.text(hostile)) == hostile
    assert f.latex(f.text(hostile)) == (
        r"\text{\textbackslash{}end\{x\} \$\%\&\#\_\textasciicircum{}\textasciitilde{}}"
    )


def test_the_walkthroughs_formula_is_that_of_the_books() -> None:
    """The whole mask goes unnamed; a part of one is named."""
    for mask in ("causal", "none", "custom"):
        whole = f.plain_formula(attention_program(mask=mask).definitions[-1])
        assert whole == "concat(softmax(mask(Q Kᵀ / √d_k)) V) W_O"
    parts = tiles.tiles_program(tile_schedule.Schedule((2,), (2,), (((0, 0),),))).definitions
    assert "S_1 = mask(Q_scaled K_1ᵀ, mask_1)" in map(f.plain_formula, parts)


@pytest.mark.parametrize(
    ("array", "base", "under", "written"),
    [
        ("weights", "weights", "", r"\operatorname{weights}"),
        ("so_far", "so far", "", r"\operatorname{so\ far}"),
        ("W_Q", "W", "Q", "W_{Q}"),
        ("X_new", "X", "new", r"X_{\text{new}}"),
        ("scores_1", "scores", "1", r"\operatorname{scores}_{1}"),
        ("Q_1_typed", "typed Q", "1", r"\operatorname{typed\ Q}_{1}"),
    ],
)
def test_names_have_subscripts_and_words(array: str, base: str, under: str, written: str) -> None:
    symbol = f.name(array)
    assert symbol == ["name", base, under, array]
    assert f.latex(symbol) == written
    assert f.plain_formula(symbol) == f.symbol_text(array) == f"{base}{'_' * bool(under)}{under}"

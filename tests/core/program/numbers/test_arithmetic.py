"""What expressions come to: as fractions of the printed numbers, with any number of digits."""

from fractions import Fraction
from math import prod

from hypothesis import given
from hypothesis import strategies as st

from core.program.numbers.arithmetic import PrintedNumber, Product, Sum

TEXTS = st.one_of(
    st.decimals(-1000, 1000, places=3).map(str),
    st.integers(-50, 50).map(str),
    st.sampled_from(["1.2e-7", "-3e12", "0.00", "-0.5"]),
)


@given(st.lists(st.lists(TEXTS, min_size=1, max_size=3), min_size=1, max_size=20))
def test_a_sum_of_products_is_that_of_their_fractions(terms: list[list[str]]) -> None:
    factors = [tuple(map(PrintedNumber, texts)) for texts in terms]
    made = Sum(tuple(Product(of) if len(of) > 1 else of[0] for of in factors))
    want = sum((prod(map(Fraction, texts), start=Fraction(1)) for texts in terms), Fraction(0))
    assert made.value() == (want, True)


def test_a_sum_with_an_infinite_term_is_infinite() -> None:
    value, exact = Sum((PrintedNumber("1.5"), PrintedNumber("-inf"))).value()
    assert value == float("-inf")
    assert exact

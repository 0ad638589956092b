"""Two arrows, and what their dot product is made of: lengths and the angle between them.

The query and the two keys of P11 run as a program too: q kᵀ, a dot product for each key.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from jaxtyping import Float

from core.operations.products import matmul_transposed
from core.program.axes import Axis
from core.program.described import meaning, phase
from core.program.inputs import Inputs
from core.program.numbers.arithmetic import (
    ArithmeticLine,
    Call,
    PrintedNumber,
    Product,
    Quotient,
    Sum,
    arithmetic_line,
    numbers,
)
from core.program.numbers.rounding import (
    CELL_DECIMALS,
    NOISE_DECIMALS,
    cell_text,
    operand_text,
    typeset,
)
from core.program.program import Program
from core.program.steps import Input, Step
from core.program.trace import Trace
from core.texts import core_texts

Vector = tuple[float, ...]
NOISE = 1e-9
"""Anything smaller is what floats leave of 0."""
MOST_DECIMALS = 17
CLOSE = 0.5 * 10.0**-CELL_DECIMALS
"""How far a cosine in a line may be from the cosine, however many digits it has there."""
TEXTS = core_texts("dot_products")
SIGNS: Mapping[str, str] = {sign: TEXTS(sign) for sign in ("positive", "zero", "negative", "none")}
"""What the sign of a dot product says of its two arrows."""


def angle_between(a: Float[np.ndarray, "d"], b: Float[np.ndarray, "d"]) -> float:
    """Return the angle in degrees, [0, 180], from only the two directions (Kahan's formula).

    2·atan2(‖â − b̂‖, ‖â + b̂‖): exact near 0° and 180°, where arccos is not. nan for a zero vector.
    """
    lengths = float(np.linalg.norm(a)), float(np.linalg.norm(b))
    if not all(lengths):
        return math.nan
    a, b = a / lengths[0], b / lengths[1]
    return math.degrees(2 * math.atan2(np.linalg.norm(a - b), np.linalg.norm(a + b)))


@dataclass(frozen=True)
class VectorPair:
    """A query and a key as arrows: q·k = ‖q‖ ‖k‖ cos θ (T), θ the angle between them."""

    q: Vector
    k: Vector

    @cached_property
    def dot(self) -> float:
        """Σ q_i k_i, float noise rounded off."""
        return round(math.fsum(a * b for a, b in zip(self.q, self.k, strict=True)), NOISE_DECIMALS)

    @cached_property
    def lengths(self) -> tuple[float, float]:
        """‖q‖ and ‖k‖."""
        return math.hypot(*self.q), math.hypot(*self.k)

    @cached_property
    def cosine(self) -> float | None:
        """q·k / (‖q‖ ‖k‖), in [−1, 1]; None where an arrow has no length."""
        longest = self.lengths[0] * self.lengths[1]
        return self.dot / longest if longest else None

    @cached_property
    def degrees(self) -> float | None:
        """The angle θ, from the directions and not from the dot product."""
        angle = angle_between(np.array(self.q), np.array(self.k))
        return None if math.isnan(angle) else angle

    @cached_property
    def shadow(self) -> float | None:
        """‖k‖ cos θ: the signed length of k's projection on q."""
        return self.dot / self.lengths[0] if self.lengths[0] else None

    @property
    def sign(self) -> str:
        """A key of `SIGNS`."""
        if not all(self.lengths):
            return "none"
        return "positive" if self.dot > 0 else "negative" if self.dot < 0 else "zero"

    @cached_property
    def printed(self) -> Mapping[str, str]:
        """Return every number as it is printed, with real minus signs; a dash if it has none."""
        q, k = ([f"{x + 0:.1f}" for x in vector] for vector in (self.q, self.k))
        values = dict(zip(("length_q", "length_k"), self.lengths, strict=True))
        values |= {name: getattr(self, name) for name in ("degrees", "cosine", "shadow", "dot")}
        texts = {"q": f"({', '.join(q)})", "k": f"({', '.join(k)})"}
        pairs = zip(map(_bracketed, q), map(_bracketed, k), strict=True)
        texts["terms"] = " + ".join(f"{a} × {b}" for a, b in pairs)
        texts |= {n: "–" if v is None else cell_text(v, NOISE) for n, v in values.items()}
        texts["degrees"] += "°" if self.degrees is not None else ""
        return {name: typeset(text) for name, text in texts.items()}

    @cached_property
    def lines(self) -> Mapping[str, ArithmeticLine]:
        """The arithmetic, each right side its printed left side, rounded.

        dot, length_q, length_k; and where both have a length their product `lengths`, `cosine`,
        and `again`: ‖q‖ ‖k‖ cos θ, which is the dot product once more.
        """
        for decimals in range(CELL_DECIMALS, MOST_DECIMALS + 1):
            made = self._lines(decimals)
            if "cosine" not in made:
                break
            rounded = arithmetic_line(made["cosine"].left, CELL_DECIMALS, NOISE, trim=False)
            printed, cosine = float(made["cosine"].right.text), self.cosine or 0.0
            same = rounded.right.text == cell_text(cosine, NOISE) and abs(printed - cosine) <= CLOSE
            if same and made["again"].right.text == cell_text(self.dot, NOISE):
                break
        return made

    @property
    def latex(self) -> list[str]:
        """The lines as rows of an aligned block."""
        heads = {
            "dot": r"q \cdot k",
            "length_q": r"\lVert q \rVert",
            "length_k": r"\lVert k \rVert",
            "lengths": r"\lVert q \rVert \lVert k \rVert",
            "cosine": r"\cos\theta",
            "again": r"\lVert q \rVert \lVert k \rVert \cos\theta",
        }
        relation = {True: "=", False: r"\approx"}
        return [
            f"{heads[name]} &= {made.left.latex()} {relation[made.exact]} {made.right.latex()}"
            for name, made in self.lines.items()
        ]

    def _lines(self, decimals: int) -> dict[str, ArithmeticLine]:
        q, k = (numbers([operand_text(x, CELL_DECIMALS) for x in v]) for v in (self.q, self.k))
        made = {
            "dot": arithmetic_line(_products(q, k), decimals, NOISE),
            "length_q": arithmetic_line(Call("sqrt", (_products(q, q),)), decimals),
            "length_k": arithmetic_line(Call("sqrt", (_products(k, k),)), decimals),
        }
        if self.cosine is None:
            return made
        lengths = (made["length_q"].right, made["length_k"].right)
        made["lengths"] = arithmetic_line(Product(lengths), decimals)
        quotient = Quotient(made["dot"].right, made["lengths"].right)
        made["cosine"] = arithmetic_line(quotient, decimals, NOISE)
        again = Product((*lengths, made["cosine"].right))
        made["again"] = arithmetic_line(again, CELL_DECIMALS, NOISE, trim=False)
        return made


def _products(a: tuple[PrintedNumber, ...], b: tuple[PrintedNumber, ...]) -> Sum:
    return Sum(tuple(Product(pair) for pair in zip(a, b, strict=True)))


def _bracketed(text: str) -> str:
    return f"({text})" if text.startswith("-") else text


def favourites(q: Vector, keys: Sequence[Vector]) -> tuple[int, int]:
    """Which key has the largest dot product with q, and which the largest cosine."""
    pairs = [VectorPair(q, k) for k in keys]
    cosines = [-math.inf if pair.cosine is None else pair.cosine for pair in pairs]
    return int(np.argmax([pair.dot for pair in pairs])), int(np.argmax(cosines))


P11_QUERY: Vector = (1.0, 0.0)
P11_KEYS: tuple[Vector, Vector] = ((1.0, 0.0), (3.0, 4.0))
"""One key that is q itself, and a longer one that points elsewhere."""


def arc(q: Vector, k: Vector, radius: float = 1.0, points: int = 25) -> Float[np.ndarray, "n d"]:
    """Points on the way that the angle takes from q's direction to k's; none for a zero vector.

    Where the two point against each other any half circle would do, and this is one.
    """
    a, b = np.array(q), np.array(k)
    theta = math.radians(angle_between(a, b))
    if math.isnan(theta):
        return np.zeros((0, len(a)))
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    across = b - (a @ b) * a
    if np.linalg.norm(across) < NOISE:
        across = np.eye(len(a))[np.abs(a).argmin()]
        across = across - (a @ across) * a
    across = across / np.linalg.norm(across)
    turn = np.linspace(0, theta, points)[:, None]
    bow: np.ndarray = radius * (np.cos(turn) * a + np.sin(turn) * across)
    return bow


@cache
def dot_program() -> Program:
    """Return rows of q times rows of k: each score is a dot product."""
    inputs = (
        Input("q", "i k", meaning(TEXTS, "feature_of_q", "i k", feature="k"), role="query"),
        Input("k", "j k", meaning(TEXTS, "feature_of_k", "j k", feature="k"), role="key"),
    )
    says = meaning(TEXTS, "product", "i j", query="i", key="j")
    scores = Step("scores", matmul_transposed("i k, j k -> i j"), ("q", "k"), says)
    words = {"i": "query", "j": "key", "k": "feature"}
    axes = {letter: Axis(word, word=word) for letter, word in words.items()}
    return Program(inputs, (scores,), (phase(TEXTS, "products", ("scores",)),), {}, axes)


def two_keys() -> Trace:
    """Return the run of the query of P11 and its two keys."""
    return dot_program().run(Inputs({"q": np.array([P11_QUERY]), "k": np.array(P11_KEYS)}, ()))

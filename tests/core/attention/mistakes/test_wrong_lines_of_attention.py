"""The usual slips in an exercise: each is named by the check of its step.

All of it in a Python that has numpy and nothing of ours.
"""

import textwrap

import pytest

from tests.alone import RunAlone
from tests.core.program.code.test_exercise import VIEWS, end, ends, exercise, filled, right_lines
from tests.core.support import toy_run
from tests.quotes import proves, whole

AS_SOFTMAX = "\n".join(
    ("e = np.exp(masked - masked.max(axis={0}, keepdims=True))",
     "weights = e / e.sum(axis={0}, keepdims=True)")
)  # fmt: skip
USUAL = {
    "Softmax runs along axis 0.": "with np.errstate(invalid='ignore'):\n"
    + textwrap.indent(AS_SOFTMAX.format(0), "    "),
    "Softmax runs along the wrong axis.": AS_SOFTMAX.format(1),
    "Softmax runs over all numbers at once.": AS_SOFTMAX.format(None),
    "It reads scaled instead of masked. This step is softmax(masked).": "weights = softmax(scaled)",
    "Nothing is divided by the row's total.": "weights = np.exp(masked)",
    "The root is missing.": "scaled = scores / K.shape[-1]",
    "The scores are multiplied by the root.": "scaled = scores * np.sqrt(K.shape[-1])",
    "The divisor is the root of the number of keys.": "scaled = scores / np.sqrt(len(X))",
    "The divisor is √d_model.": "scaled = scores / np.sqrt(X.shape[-1])",
    "The mask is inverted.": "masked = np.where(mask, -np.inf, scaled)",
    "+∞ replaces −∞.": "masked = np.where(mask, scaled, np.inf)",
    "Hidden scores are set to 0.": "masked = scaled * mask",
    "It reads K instead of V. This step is weights V.": "context = weights @ K",
    "You transposed weights.": "context = weights.swapaxes(1, 2) @ V",
    "It reads W_K instead of W_Q. This step is X W_Q.": "Q = X @ W_K",
    "It reads V instead of K.": "scores = Q @ V.transpose(0, 2, 1)",
    "You transposed W_O.": "output = concat @ W_O.T",
    "The heads are reshaped without a transpose.": "concat = context.reshape(3, -1)",
    "The features of the heads alternate.": "concat = context.transpose(1, 2, 0).reshape(3, -1)",
    "The heads are stacked one below the other.": "concat = np.concatenate(context)",
    "The heads are added up or averaged.": "concat = context.mean(axis=0)",
}
"""How a slip is named, and its line."""
OF_OTHERS = {
    "The heads of K are taken in turn.": (
        "shared keys", "scores = Q @ np.tile(K, (2, 1, 1)).swapaxes(1, 2)",
    ),
    "You did not transpose K.": ("as many tokens as features", "scores = Q @ K"),
    "Entries are multiplied one by one.": (
        "as many tokens as features", "scores = Q * K.swapaxes(1, 2)",
    ),
    "The totals are used for columns, not for rows.": (
        "one head", "weights = np.exp(masked) / np.exp(masked).sum(axis=-1)",
    ),
    "The features of the heads alternate.": (
        "one projection for all heads", "Q = Q_memory.reshape(-1, 2, 2).transpose(2, 0, 1)",
    ),
}  # fmt: skip
"""The same in other runs."""


@pytest.fixture(scope="module")
def in_usual_lines(run_alone: RunAlone) -> dict[str, str]:
    """How the check of each usual slip ends."""
    trace = toy_run()
    right, source = right_lines(trace), exercise(trace)
    helper = trace.steps["weights"].operation.helper
    wrong = [right | {_named_by(line): f"{helper}\n{line}"} for line in USUAL.values()]
    return dict(zip(USUAL, ends(run_alone, *(filled(source, w) for w in wrong)), strict=True))


def _named_by(line: str) -> str:
    """The step that a line makes."""
    return line.splitlines()[-1].split()[0]


@proves(whole((*USUAL, *OF_OTHERS)))
@pytest.mark.parametrize("said", USUAL)
def test_a_usual_slip_is_named(said: str, in_usual_lines: dict[str, str]) -> None:
    step, ended = _named_by(USUAL[said]), in_usual_lines[said]
    assert ended.startswith(f"{step} is the first step that is not correct. ")
    assert f"These are the numbers of a known mistake. {said} " in f"{ended} "


@pytest.mark.parametrize("said", OF_OTHERS)
def test_slips_that_only_other_runs_allow_are_named(said: str, run_alone: RunAlone) -> None:
    view, line = OF_OTHERS[said]
    ended = end(run_alone, VIEWS[view](), **{_named_by(line): line})
    assert f"These are the numbers of a known mistake. {said} " in ended

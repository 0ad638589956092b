"""What the cells of arrays mean, where several programs say the same."""

from core.program.described import meaning
from core.program.labels import told_label
from core.program.steps import Meaning
from core.texts import core_texts

TEXTS = core_texts("layers")


def token_feature(id: str, axes: str) -> Meaning:
    """Of a token's row: the last two of the axes count tokens and features. `id` is the text."""
    token, feature = axes.split()[-2:]
    return meaning(TEXTS, id, axes, token=token, feature=feature)


def projection_weight(role: str, where: str = "") -> Meaning:
    """Of a matrix that makes queries, keys or values; `where` says which layer has it."""
    return lambda trace, cell: TEXTS(
        "weight", feature=cell[1] + 1, result=cell[2] + 1, role=role, where=where
    )


def appended(id: str, letter: str, kept: int) -> Meaning:
    """Of the keys or values of all tokens, of which the first `kept` come from a cache."""
    return lambda trace, cell: TEXTS(
        id,
        feature=cell[2] + 1,
        token=told_label(trace, letter, cell[1]),
        new=cell[1] >= kept,
    )

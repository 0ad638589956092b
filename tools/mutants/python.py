"""Mistakes in Python, as cosmic-ray makes them."""

import random
from functools import cache
from typing import Any

from cosmic_ray import plugins
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code

from tools.mutants.mutant import Mutant

PLAIN = (
    "AddNot", "NumberReplacer", "ReplaceAndWithOr", "ReplaceOrWithAnd", "ReplaceBreakWithContinue",
    "ReplaceContinueWithBreak", "ReplaceFalseWithTrue", "ReplaceTrueWithFalse",
    "ReplaceUnaryOperator_Delete_Not", "ReplaceUnaryOperator_Delete_USub", "ZeroIterationForLoop",
)  # fmt: skip
COMPARISONS = (
    "Eq_NotEq", "NotEq_Eq", "Lt_LtE", "Lt_GtE", "LtE_Lt", "LtE_Gt", "Gt_GtE", "Gt_LtE", "GtE_Gt",
    "GtE_Lt", "Is_IsNot", "IsNot_Is",
)  # fmt: skip
ARITHMETIC = (
    "Add_Sub", "Sub_Add", "Mul_Div", "Div_Mul", "FloorDiv_Mul", "Mod_FloorDiv", "Pow_Mul",
    "BitAnd_BitOr", "BitOr_BitAnd",
)  # fmt: skip
KINDS = [
    *PLAIN,
    *(f"ReplaceComparisonOperator_{kind}" for kind in COMPARISONS),
    *(f"ReplaceBinaryOperator_{kind}" for kind in ARITHMETIC),
]
"""What somebody might write by mistake. The others of cosmic-ray mostly break at once, such as `<<`
for `+`, and whoever counts those thinks too well of the tests."""


@cache
def operators() -> dict[str, Any]:
    return {kind: plugins.get_operator(f"core/{kind}")() for kind in KINDS}


def drawn(path: str, text: str, draw: random.Random) -> Mutant | None:
    """One mistake: first a place, then what is made of it; None if the file has no place."""
    places: dict[tuple[int, int], list[tuple[Any, int]]] = {}
    nodes = list(ast_nodes(get_ast(text)))
    for operator in operators().values():
        found = [(n, at) for n in nodes for at in operator.mutation_positions(n)]
        for occurrence, (node, at) in enumerate(found):
            if not changes_nothing(node):
                places.setdefault(at[0], []).append((operator, occurrence))
    if not places:
        return None
    operator, occurrence = draw.choice(places[draw.choice(sorted(places))])
    return Mutant(path, text, mutate_code(text, operator, occurrence))


def changes_nothing(node: Any) -> bool:
    """Whether it stands in a type, where it breaks the import or nothing, or after strict=."""
    while (parent := node.parent) is not None:
        if parent.type == "argument" and parent.children[0].get_code().strip() == "strict":
            return True
        if parent.type == "tfpdef" and node is not parent.children[0]:
            return True
        if parent.type == "annassign" and node is parent.children[1]:
            return True
        if parent.type == "funcdef" and parent.annotation is node:
            return True
        node = parent
    return False

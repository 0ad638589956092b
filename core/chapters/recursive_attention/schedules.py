"""Schedules that people use, on a sentence: one after another, tiles, and machines in a ring."""

from core.attention.chosen_token import position_of, token_toggle
from core.attention.inputs import toy_inputs
from core.attention.masks import Rule
from core.attention.tokens import tokenise
from core.chapters.recursive_attention.texts import TEXTS
from core.chapters.recursive_attention.tile_schedule import (
    Schedule,
    blocks,
    even_cuts,
    needed,
    row_by_row,
)
from core.chapters.recursive_attention.tiles import tiles_program
from core.chapters.recursive_attention.tree_program import D_MODEL, piece_names, tree_program
from core.chapters.recursive_attention.trees import Forest, in_parts, set_text
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs

TILES_MASK = Toggle(
    "pieces_mask", TEXTS("mask"), {"causal": TEXTS("causal"), "none": TEXTS("none")}, "causal"
)
_TWO_OR_THREE = {"2": "2", "3": "3"}
WORKERS = Toggle("pieces_workers", TEXTS("workers"), _TWO_OR_THREE, "3", resizes=True)
ASKS = "pieces_asks"
"""The key of the toggle that says which token asks the workers."""
_UP_TO_THREE = {"1": "1", **_TWO_OR_THREE}
WIDTH = Toggle("pieces_width", TEXTS("keys_in_a_block"), _UP_TO_THREE, "2", resizes=True)
_ORDERS = {order: TEXTS(order) for order in ("forward", "back")}
ORDER = Toggle("pieces_order", TEXTS("order"), _ORDERS, "forward", resizes=True)
HEIGHT = Toggle("pieces_height", TEXTS("queries_in_a_block"), _TWO_OR_THREE, "2", resizes=True)
MACHINES = Toggle("pieces_machines", TEXTS("machines"), _TWO_OR_THREE, "3", resizes=True)


def streaming_family(text: str) -> Family:
    """Return the runs with keys block by block, in either order. Raises `InputError`."""
    T = len(tokenise(text))

    def build(options: Options) -> Built:
        wide = blocks(T, int(options[WIDTH.key]))
        order = range(len(wide))[:: -1 if options[ORDER.key] == "back" else 1]
        schedule = Schedule((T,), wide, tuple(((0, b),) for b in order), TEXTS("block"))
        return _built(text, schedule, options)

    return Family((WIDTH, ORDER, TILES_MASK), build)


def tiles_family(text: str) -> Family:
    """Return the runs of blocks of queries, each with the blocks of keys that it needs."""
    T = len(tokenise(text))

    def build(options: Options) -> Built:
        height, width = int(options[HEIGHT.key]), int(options[WIDTH.key])
        return _built(text, row_by_row(T, height, width, options[TILES_MASK.key]), options)

    return Family((HEIGHT, WIDTH, TILES_MASK), build)


def workers_family(text: str) -> Family:
    """Return the runs of one token's keys split among workers. Raises `InputError`."""
    tokens = tokenise(text)

    def build(options: Options) -> Built:
        inputs = toy_inputs(text, heads=1, d_model=D_MODEL)
        arrays = {name: inputs[name] for name in ("X", "W_Q", "W_K", "W_V")}
        forest = shared_out(len(tokens), int(options[WORKERS.key]))
        position = position_of(options, ASKS, text)
        program = tree_program(forest, len(tokens), position, options[TILES_MASK.key])
        return Built(program, Inputs(arrays, inputs.tokens, piece_names(forest)))

    return Family((WORKERS, token_toggle(ASKS, text), TILES_MASK), build)


def shared_out(keys: int, workers: int) -> Forest:
    """Return neighbouring keys for each worker, as even as possible; then all pieces at once."""
    return in_parts(*even_cuts(keys, workers))


def split_among(keys: int, workers: int) -> list[str]:
    """Return for each worker its keys, in words."""
    (tree,) = shared_out(keys, workers)
    parts = (tree,) if isinstance(tree, int) or keys <= 1 else tree
    return [TEXTS("worker", number=n, keys=set_text(part)) for n, part in enumerate(parts, 1)]


def idle(tokens: int, among: int) -> int:
    """Return how many of the workers or machines have no token."""
    return among - len(even_cuts(tokens, among))


def ring_family(text: str) -> Family:
    """Return the runs of machines in a ring, which pass keys and values on. Raises `InputError`."""
    T = len(tokenise(text))

    def build(options: Options) -> Built:
        schedule = needed(ring(T, int(options[MACHINES.key])), options[TILES_MASK.key])
        return _built(text, schedule, options)

    return Family((MACHINES, TILES_MASK), build)


def ring(T: int, machines: int) -> Schedule:
    """Return the schedule of a ring: machine a has queries a and, at tick t, keys a − t.

    Ticks count from 0 (Liu et al. 2023). With fewer tokens than machines, each token has a machine
    of its own.
    """
    parts = even_cuts(T, machines)
    n = len(parts)
    ticks = tuple(tuple((a, (a - tick) % n) for a in range(n)) for tick in range(n))
    return Schedule(parts, parts, ticks, TEXTS("tick"))


def where(T: int, machines: int, rule: str) -> list[list[str]]:
    """Return for each machine the block of keys that it has at each tick; hidden ones say so."""
    whole = ring(T, machines)
    done = {tile for tick in needed(whole, rule).ticks for tile in tick}
    n = len(whole.queries)

    def block(a: int, b: int) -> str:
        return str(b + 1) if (a, b) in done else TEXTS("hidden_block", number=b + 1)

    return [[block(a, (a - tick) % n) for tick in range(n)] for a in range(n)]


def kept_of(d_v: int) -> int:
    """Return how many numbers are kept for a query: o of d_v features, m and l."""
    return d_v + 2


def piece_of(d_v: int) -> int:
    """Return how many numbers a worker returns for a query: its piece's value and score."""
    return d_v + 1


def _built(text: str, schedule: Schedule, options: Options) -> Built:
    inputs = toy_inputs(text, heads=1, d_model=D_MODEL)
    T = len(inputs.tokens)
    arrays = {name: inputs[name] for name in ("X", "W_Q", "W_K", "W_V")}
    arrays["mask"] = Rule(options[TILES_MASK.key]).mask(T, T)
    return Built(tiles_program(schedule), Inputs(arrays, inputs.tokens))

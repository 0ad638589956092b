"""The programs of real models' heads, as samples."""

from core.attention.biases import BIASES
from core.models.transformer.head_program import HALVES, NEIGHBOURS, head_program
from core.sample import Sample

_MOVED = ("Q", "K", "V", "Q_rot", "K_rot", "scores", "scaled")
PROGRAMS = {
    "a model's head, biases": Sample(
        head_program(is_causal=False, biases=BIASES[:3]),
        moves=("Q", "K", "V", "scores", "scaled"),  # b_K moves all scores of a row alike
    ),
    "a model's head, neighbours turn": Sample(head_program(rope=NEIGHBOURS), {"k": 4}, _MOVED),
    "a model's head, halves turn": Sample(
        head_program(is_scaled=False, rope=HALVES), {"k": 4}, _MOVED
    ),
}

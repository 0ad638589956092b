"""Names as models have them, against PyTorch's own modules that have these names."""

from contextlib import suppress
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from core.attention.given import model_names
from core.attention.layers.biases import BIASES
from core.errors import InputError
from tests import attention_modules
from tests.attention_modules import D, E, H, T, arrays_of, assert_equal, heads_of, run_attention
from tests.core.support import refuses
from tests.sampling import SEEDS, paired


@pytest.fixture(autouse=True)
def _seeded() -> None:
    torch.manual_seed(0)


LINEAR = [
    ("q_proj k_proj v_proj o_proj", "model.layers.0.self_attn."),
    ("q_proj k_proj v_proj out_proj", "vision_model.encoder.layers.3.self_attn."),
    ("self.query self.key self.value output.dense", "bert.encoder.layer.0.attention."),
    ("attention.query attention.key attention.value output.dense", "vit.layer.0.attention."),
    ("q_lin k_lin v_lin out_lin", "transformer.layer.0.attention."),
    ("wq wk wv wo", "layers.0.attention."),
    ("q k v o", "encoder.block.0.layer.0.SelfAttention."),
    ("to_q to_k to_v to_out.0", "mid_block.attn1."),
    ("W_query W_key W_value out_proj", "trf_blocks.0.att."),
    ("queries keys values fc_out", ""),
    ("query key value proj", ""),
    ("Wq Wk Wv dense", "attn."),
]
"""Names of the four layers, and what stands before them."""


@pytest.mark.parametrize(
    ("named", "sizes"), paired(LINEAR, [(1, 1, False), (2, 2, True), (4, 2, False), (8, 1, True)])
)
def test_linear_layers_keep_numbers(named: tuple[str, str], sizes: tuple[int, int, bool]) -> None:
    (names, prefix), (H, G, biases) = named, sizes
    layer = attention_modules.Projections(names, H, G, biases)
    X = torch.randn(T, E, dtype=torch.float64)
    found = model_names.by_our_names(layer.arrays(prefix))
    assert set(found) == {"W_Q", "W_K", "W_V", "W_O", *(BIASES if biases else ())}
    trace = run_attention(X, found, H, G)
    for name, theirs in zip(("Q", "K", "V", "output"), layer(X), strict=True):
        assert_equal(trace[name], theirs)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("path", ["", "encoder.layers.0.self_attn."])
def test_multihead_attention_is_split_into_its_projections(bias: bool, path: str) -> None:
    layer = nn.MultiheadAttention(E, H, bias=bias, dtype=torch.float64)
    for parameter in layer.parameters():
        nn.init.normal_(parameter)
    X = torch.randn(T, E, dtype=torch.float64)
    trace = run_attention(X, model_names.by_our_names(arrays_of(layer, path)))
    hidden = torch.ones(T, T).triu(1).bool()
    output, weights = layer(X, X, X, attn_mask=hidden, average_attn_weights=False)
    assert_equal(trace["output"], output)
    assert_equal(trace["weights"], weights)
    joined = nn.functional.linear(X, layer.in_proj_weight, layer.in_proj_bias)
    for name, theirs in zip("QKV", joined.chunk(3, dim=-1), strict=True):
        assert_equal(trace[name], heads_of(theirs, H))


def test_multihead_attention_with_keys_of_another_size_has_three_weights() -> None:
    layer = nn.MultiheadAttention(E, H, kdim=3, vdim=5, dtype=torch.float64)
    state = layer.state_dict()
    found = model_names.by_our_names(arrays_of(layer))
    for letter, size in {"Q": E, "K": 3, "V": 5}.items():
        source = torch.randn(T, size, dtype=torch.float64)
        weight = state[f"{letter.lower()}_proj_weight"]
        assert_equal(source.numpy() @ found[f"W_{letter}"], nn.functional.linear(source, weight))


@pytest.mark.parametrize("kind", [attention_modules.Conv1D, nn.Linear])
def test_a_layer_like_gpt_2_is_turned_by_what_its_shape_says(kind: Any) -> None:
    attention = attention_modules.LikeGPT2(kind)
    block = nn.ModuleDict({"attn": attention, "mlp": nn.ModuleDict({"c_proj": kind(32, E)})})
    model = nn.ModuleDict({"h": nn.ModuleList([block])}).double()
    X = torch.randn(T, E, dtype=torch.float64)
    state = arrays_of(model, "transformer.") | {"transformer.wte.weight": np.ones((50, E))}
    names = model_names.chosen_names(state, ("X",))
    assert "transformer.h.0.mlp.c_proj.weight" not in names
    trace = run_attention(X, model_names.by_our_names({name: state[name] for name in names}))
    for name, theirs in zip(("Q", "K", "V", "output"), attention(X), strict=True):
        assert_equal(trace[name], theirs)


@pytest.mark.parametrize(("name", "size"), [("qkv", E), ("to_qkv", 6), ("Wqkv", E), ("W_pack", E)])
def test_three_projections_in_one_linear_layer_are_split_by_rows(name: str, size: int) -> None:
    layer = nn.Linear(E, 3 * size).double()
    X = torch.randn(T, E, dtype=torch.float64)
    found = model_names.by_our_names(arrays_of(layer, f"attn.{name}."))
    for letter, theirs in zip("QKV", layer(X).chunk(3, dim=-1), strict=True):
        assert_equal(X.numpy() @ found[f"W_{letter}"] + found[f"b_{letter}"], theirs)


def test_transformer_lens_keeps_an_axis_of_heads() -> None:
    rng = np.random.default_rng(0)
    shapes: dict[str, tuple[int, ...]] = {"W_O": (H, D, E), "b_O": (E,)}
    for name in "QKV":
        shapes |= {f"W_{name}": (H, E, D), f"b_{name}": (H, D)}
    kept = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    named = {f"blocks.0.attn.{name}": array for name, array in kept.items()}
    X = torch.randn(T, E, dtype=torch.float64)
    trace = run_attention(X, model_names.by_our_names(named))
    V = np.einsum("im,hmv->hiv", X.numpy(), kept["W_V"]) + kept["b_V"][:, None]
    np.testing.assert_allclose(trace["V"], V, rtol=0, atol=1e-12)
    summed = np.einsum("hiv,hvm->im", trace["context"], kept["W_O"]) + kept["b_O"]
    np.testing.assert_allclose(trace["output"], summed, rtol=0, atol=1e-12)


@pytest.mark.parametrize("bias", [False, True])
def test_heads_with_modules_of_their_own_are_stacked_in_their_order(bias: bool) -> None:
    class Head(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.key, self.query, self.value = (nn.Linear(E, D, bias=bias) for _ in range(3))

    heads = nn.ModuleList(Head() for _ in range(11)).double()
    state = dict(reversed(arrays_of(heads, "blocks.0.sa.heads.").items()))
    state["blocks.0.sa.proj.weight"] = np.ones((E, 11 * D))
    X = torch.randn(T, E, dtype=torch.float64)
    trace = run_attention(X, model_names.by_our_names(state), 11, 11)
    for number, head in enumerate(heads):
        assert_equal(trace["Q"][number], head.get_submodule("query")(X))
        assert_equal(trace["V"][number], head.get_submodule("value")(X))
    assert trace["W_O"].shape == (11 * D, E)


def test_heads_that_are_missing_or_unlike_are_refused() -> None:
    for other, rows in ((2, 2), (1, 1)):
        sizes = {0: 2, other: rows}
        state = {f"heads.{n}.query.weight": np.ones((size, 3)) for n, size in sizes.items()}
        refuses("W_Q is given for heads 0 and", model_names.by_our_names, state)


LAYERS = {
    f"{path}.{name}_proj.weight": np.full((2, 3), number)
    for number, path in enumerate(["h.10.attn", "h.2.attn", "h.0.attn"])
    for name in "qkvo"
}


def test_of_several_layers_one_has_to_be_named() -> None:
    assert model_names.attention_layers(LAYERS) == ("h.0.attn", "h.2.attn", "h.10.attn")
    for read in (model_names.by_our_names, lambda names: model_names.chosen_names(names, ())):
        refused = refuses("3 layers of attention: h.0.attn, h.2.attn and h.10.attn", read, LAYERS)
        assert "begin with 'h.0.attn'" in refused.remedy
    found = model_names.by_our_names(LAYERS, "h.2.attn")
    assert set(found) - set(LAYERS) == {"W_Q", "W_K", "W_V", "W_O"}
    assert all((found[f"W_{letter}"] == 1).all() for letter in "QKVO")
    assert len(model_names.chosen_names(LAYERS, (), "h.2.attn")) == 4
    with pytest.raises(InputError, match=r"The layer 'h\.3\.attn' is not in the file"):
        model_names.by_our_names(LAYERS, "h.3.attn")


def test_a_long_list_of_layers_is_shortened() -> None:
    state = {f"h.{n}.attn.c_attn.weight": np.ones((2, 6)) for n in range(12)}
    refuses(r"12 layers of attention: h.0.attn, .* and 6 more", model_names.chosen_names, state, ())


@pytest.mark.parametrize("name", ["foo", "arr_1", "W_Z", "logits", ""])
def test_a_name_that_says_nothing_is_never_put_anywhere(name: str) -> None:
    for names in ({name}, {name, "W_Q"}) if name else ({name, "W_Q"},):
        said = f"The file holds {name or 'one without a name'}"
        refused = refuses(said, model_names.chosen_names, names, ("X", "W_Q"))
        assert "W_Q, W_K, W_V, W_O" in refused.remedy
    assert set(model_names.by_our_names({name: np.eye(2)})) == {name}


def test_a_model_without_attention_says_what_it_holds() -> None:
    names = [f"conv{n}.weight" for n in range(9)]
    refuses(r"conv0.weight, conv1.weight, .* and 3 more", model_names.chosen_names, names, ("X",))


def test_what_is_wanted_comes_along_and_other_modules_stay() -> None:
    names = ("X", "mask", "q_proj.weight", "embedding.weight", "mlp.0.bias", "Q")
    assert model_names.chosen_names(names, ("X", "mask")) == ("X", "mask", "q_proj.weight")
    assert model_names.chosen_names(("Q", "K", "V"), ("X",)) == ("Q", "K", "V")
    assert model_names.chosen_names(("W_q",), ("W_Q",)) == ("W_q",)
    assert model_names.chosen_names(("W_Q", "b_Q", "output"), ("W_Q",)) == ("W_Q", "b_Q")
    assert model_names.chosen_names(("weights", "V"), ("W_Q",)) == ("weights", "V")
    assert model_names.chosen_names(("",), ("W_Q",)) == ("",)


@pytest.mark.parametrize("name", ["embedding.weight", "mixer.in_proj.weight", "mlp.c_fc.weight"])
def test_a_weight_of_another_module_is_no_matrix_of_attention(name: str) -> None:
    assert model_names.our_name(name) == name
    assert model_names.attention_layers([name]) == ()


@pytest.mark.parametrize("name", ["attention.query_key_value.weight", "attn.qkv_proj.weight"])
def test_rows_whose_order_the_shape_does_not_tell_are_refused(name: str) -> None:
    with pytest.raises(InputError, match="models order its rows in different ways"):
        model_names.by_our_names({name: np.ones((3 * E, E)), f"{name[:-6]}bias": np.ones(3 * E)})


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("attn.c_attn.weight", (E, 2 * E)),
        ("attn.c_attn.weight", (E + 2, E)),
        ("attn.in_proj_weight", (2 * E, E)),
        ("attn.Wqkv.weight", (12, E)),  # 4 heads of 2 that share one key: 8, 2 and 2 rows
        ("attn.in_proj_bias", (2 * E,)),
        ("attn.in_proj_weight", ()),
    ],
)
def test_what_has_no_three_equal_parts_is_refused(name: str, shape: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match="it must hold queries, keys and values"):
        model_names.by_our_names({name: np.ones(shape)})


CHANGE_SCORES = "q_norm k_layernorm relative_attention_bias q_proj.lora_A"


@pytest.mark.parametrize("name", [*(f"{part}.weight" for part in CHANGE_SCORES.split()), "bias_k"])
def test_a_part_that_changes_the_scores_is_not_left_out_without_a_word(name: str) -> None:
    state = {"h.1.attn.q_proj.weight": np.eye(2), f"h.1.attn.{name}": np.eye(2)}
    refuses(name, model_names.chosen_names, state, ())
    elsewhere = {"h.1.attn.q_proj.weight": np.eye(2), f"h.1.attn2.{name}": np.eye(2)}
    assert model_names.chosen_names(elsewhere, ()) == ("h.1.attn.q_proj.weight",)


def test_the_shape_of_one_of_three_projections_is_a_third() -> None:
    assert model_names.shape_of_one("h.0.attn.c_attn.weight", (8, 24)) == (8, 8)
    assert model_names.shape_of_one("h.0.attn.c_attn.weight", (24, 8)) == (8, 8)
    assert model_names.shape_of_one("in_proj_weight", (24, 6)) == (8, 6)
    assert model_names.shape_of_one("in_proj_bias", (24,)) == (8,)
    assert model_names.shape_of_one("q_proj.weight", (24, 6)) == (24, 6)


@pytest.mark.parametrize("seed", SEEDS[::3])
def test_any_names_are_understood_or_refused(seed: int) -> None:
    """Pieces of real names in any order and number."""
    rng = np.random.default_rng(seed)
    pieces = "h 0 heads attn self output q_proj c_attn dense weight bias W_Q _b_K in_proj_weight"
    parts = [*pieces.split(), "", "²", "\ud800", "٣", "x" * 99]
    state: dict[str, np.ndarray] = {}
    for _ in range(rng.integers(1, 9)):
        name = ".".join(rng.choice(parts, size=rng.integers(1, 6)))
        state[name] = np.ones(rng.integers(1, 7, size=rng.integers(0, 4)))
    for layer in (None, *model_names.attention_layers(state)):
        with suppress(InputError):
            names = model_names.chosen_names(state, ("X",), layer)
            assert set(names) <= set(state)
            model_names.by_our_names({name: state[name] for name in names}, layer)


USUAL = "X X, inputs X, W_q W_Q, Wk W_K, w_value W_V, query Q, attn_mask mask, foo foo"


@pytest.mark.parametrize(("theirs", "ours"), [*map(str.split, USUAL.split(",")), ("", "")])
def test_usual_names_are_understood(theirs: str, ours: str) -> None:
    ((name, array),) = model_names.by_our_names({theirs: np.eye(2, 3)}).items()
    assert name == ours
    assert np.array_equal(array, np.eye(2, 3))


def test_two_matrices_of_one_meaning_are_refused() -> None:
    refuses("W_Q is given twice", model_names.by_our_names, {"W_q": np.eye(2), "Wq": np.eye(2)})

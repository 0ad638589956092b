"""The kinds of weights of *Other kinds* with PyTorch and loops: nothing of them is the chapter's.

`matrices` is "hand" (head 1 of the opening example, whose additive score has matrices of its own)
or "drawn".
"""

import numpy as np
import torch

from core.attention.inputs import toy_inputs
from core.attention.setups import Setup

Rows = torch.Tensor
NEVER_ASKS = "person", "action", "thing", "small word"
FEATURES = ["water", "money", "person", "action", "thing", "small word", "open", "place"]
V_A = {"hand": [3.0, 3.0], "drawn": [-1.4, -1.4]}


def arrays_of(text: str, matrices: str) -> dict[str, np.ndarray]:
    """X and the matrices of one head."""
    names = ("W_Q", "W_K", "W_V")
    if matrices == "hand":
        trace = Setup(preset="river-bank", text=text).trace
        head = {name: trace[name][0] for name in names}
        return {**head, "X": trace["X"], "W_V": head["W_V"][:, :2]}  # water and money
    toy = toy_inputs(text, heads=1, d_model=4, d_k=2, d_v=2)
    return {"X": toy["X"], **{name: toy[name][0] for name in names}}


def projected(text: str, matrices: str) -> tuple[Rows, Rows, Rows]:
    """Queries, keys and values."""
    arrays = arrays_of(text, matrices)
    q, k, v = (torch.tensor(arrays["X"] @ arrays[f"W_{name}"]) for name in "QKV")
    return q, k, v


def for_adding(text: str, matrices: str) -> tuple[Rows, Rows]:
    """Queries and keys of the additive score: by hand each word's, feature by feature."""
    if matrices == "drawn":
        return projected(text, matrices)[:2]
    q, k = [], []
    for row in arrays_of(text, matrices)["X"]:
        q.append([asks(row.tolist())] * 2)
        k.append([row[FEATURES.index(name)] for name in ("water", "money")])
    return torch.tensor(q, dtype=torch.float64), torch.tensor(k, dtype=torch.float64)


def asks(row: list[float]) -> float:
    """The query that the additive score by hand gives a word's row, in both of its units."""
    word = dict(zip(FEATURES, row, strict=True))
    return 2.5 * word["open"] - 4 * sum(word[name] for name in NEVER_ASKS)


def softmax_of(scores: Rows) -> np.ndarray:
    """Row by row, of the keys that are not later than the query."""
    hidden = ~torch.ones(scores.shape).tril().bool()
    return torch.softmax(scores.masked_fill(hidden, -torch.inf), -1).numpy()


def by_dot_product(q: Rows, k: Rows) -> np.ndarray:
    return softmax_of(q @ k.T / q.shape[1] ** 0.5)


def by_addition(text: str, matrices: str) -> np.ndarray:
    q, k = for_adding(text, matrices)
    v_a = torch.tensor(V_A[matrices], dtype=torch.float64)
    return softmax_of(torch.tanh(q[:, None] + k[None]) @ v_a)


def linear(q: Rows, k: Rows, features: str) -> np.ndarray:
    """Each row over its sum; zeros where that is 0."""
    if features == "elu":
        q, k = (torch.nn.functional.elu(rows) + 1 for rows in (q, k))
    met = (q @ k.T).tril().numpy()
    sums = met.sum(1, keepdims=True)
    return np.divide(met, sums, out=np.zeros_like(met), where=sums != 0)


def by_distance(T: int) -> np.ndarray:
    """Row i, column j: half for the token itself, then 0.3 and 0.2 for the two before it."""
    made = np.zeros((T, T))
    for i in range(T):
        for back, weight in enumerate((0.5, 0.3, 0.2)):
            if i >= back:
                made[i, i - back] = weight
    return made


def all_kinds(text: str, matrices: str) -> dict[str, np.ndarray]:
    q, k, _ = projected(text, matrices)
    return {
        "softmax": by_dot_product(q, k), "linear": linear(q, k, "elu"),
        "additive": by_addition(text, matrices), "distance": by_distance(len(q)),
    }  # fmt: skip

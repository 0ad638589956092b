"""Published models: the sizes that decide what they cost, each with its source."""

from dataclasses import dataclass

from core.attention.costs import Layer, LayerCosts


@dataclass(frozen=True)
class Parameters:
    """How many numbers training sets, by what they are for; biases and norms are left out."""

    attention: int
    feeding: int
    embedding: int

    @property
    def all(self) -> int:
        return self.attention + self.feeding + self.embedding


@dataclass(frozen=True)
class Configuration:
    """A decoder of so many equal layers. `context` is how many tokens it was trained on at once.

    Its feed-forward layers have `matrices` of d_model × d_ff. `positions` are rows that are learned
    for places of the text; `release`: of which month these sizes are, where later ones of that name
    differ; `tied`: the embedding of tokens is the output's matrix too. `banded`:
    half of its layers let a token see its neighbourhood alone; costs are those of full layers.
    """

    name: str
    source: str
    layers: int
    d_model: int
    heads: int
    kv_heads: int
    d_head: int
    context: int
    d_ff: int
    vocabulary: int
    matrices: int = 2
    positions: int = 0
    banded: bool = False
    tied: bool = True
    release: str = ""

    @property
    def dated(self) -> str:
        """Its name, and which release it is where there are several."""
        return f"{self.name} ({self.release})" if self.release else self.name

    @property
    def layer(self) -> Layer:
        return Layer(self.d_model, self.heads, self.kv_heads, self.d_head)

    @property
    def block(self) -> LayerCosts:
        return LayerCosts(self.layer, self.d_ff, self.matrices)

    @property
    def parameters(self) -> Parameters:
        tables = self.vocabulary * (1 if self.tied else 2) + self.positions
        attention, net = self.layer.parameters, self.block.feeding(1)
        return Parameters(self.layers * attention, self.layers * net, tables * self.d_model)

    @property
    def sharing(self) -> int:
        """How many heads share a key/value head."""
        return self.heads // self.kv_heads

    def reads(self, tokens: int) -> bool:
        """Whether it has a position for each: learned ones end with their rows."""
        return not self.positions or tokens <= self.positions

    def cache_bytes(self, tokens: int, bytes_each: int = 2) -> int:
        """Bytes of all layers' caches; numbers of 16 bits unless said otherwise."""
        return self.layers * self.layer.cached(tokens) * bytes_each


CONFIGURATIONS = (
    Configuration(
        "GPT-2", "Radford et al. (2019), smallest of table 2, and its published configuration",
        layers=12, d_model=768, heads=12, kv_heads=12, d_head=64, context=1024,
        d_ff=3072, vocabulary=50257, positions=1024,
    ),
    Configuration(
        "GPT-3", "Brown et al. (2020), table 2.1, with GPT-2's vocabulary",
        layers=96, d_model=12288, heads=96, kv_heads=96, d_head=128, context=2048,
        d_ff=49152, vocabulary=50257, positions=2048, banded=True,
    ),
    Configuration(
        "Llama 2 70B", "Touvron et al. (2023), table 1 and its published configuration",
        layers=80, d_model=8192, heads=64, kv_heads=8, d_head=128, context=4096,
        d_ff=28672, vocabulary=32000, matrices=3, tied=False,
    ),
    Configuration(
        "Llama 3 8B", "Grattafiori et al. (2024), table 3, and its published configuration of "
        "April 2024",
        layers=32, d_model=4096, heads=32, kv_heads=8, d_head=128, context=8192,
        d_ff=14336, vocabulary=128256, matrices=3, tied=False, release="April 2024",
    ),
)  # fmt: skip
"""From the oldest on."""

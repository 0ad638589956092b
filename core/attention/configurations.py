"""Published models: the sizes that decide what they cost, each with its source."""

from dataclasses import dataclass

from core.attention.costs import Layer


@dataclass(frozen=True)
class Configuration:
    """A decoder of so many equal layers. `context` is how many tokens it was trained on at once."""

    name: str
    source: str
    layers: int
    d_model: int
    heads: int
    kv_heads: int
    d_head: int
    context: int

    @property
    def layer(self) -> Layer:
        return Layer(self.d_model, self.heads, self.kv_heads, self.d_head)

    @property
    def sharing(self) -> int:
        """How many heads share a key/value head."""
        return self.heads // self.kv_heads

    def cache_bytes(self, tokens: int, bytes_each: int = 2) -> int:
        """Bytes of all layers' caches; numbers of 16 bits unless said otherwise."""
        return self.layers * self.layer.cached(tokens) * bytes_each


CONFIGURATIONS = (
    Configuration(
        "GPT-2", "Radford et al. (2019), the smallest of table 2, and its published configuration",
        layers=12, d_model=768, heads=12, kv_heads=12, d_head=64, context=1024,
    ),
    Configuration(
        "GPT-3", "Brown et al. (2020), table 2.1",
        layers=96, d_model=12288, heads=96, kv_heads=96, d_head=128, context=2048,
    ),
    Configuration(
        "Llama 2 70B", "Touvron et al. (2023), table 1 and its published configuration",
        layers=80, d_model=8192, heads=64, kv_heads=8, d_head=128, context=4096,
    ),
    Configuration(
        "Llama 3 8B", "Grattafiori et al. (2024), table 3",
        layers=32, d_model=4096, heads=32, kv_heads=8, d_head=128, context=8192,
    ),
)  # fmt: skip
"""From the oldest on."""

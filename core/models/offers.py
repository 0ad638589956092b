from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
@dataclass(frozen=True)
class Offer:
    name: str
    title: str
    kind: str
    _open: Callable[[], Any] = field(repr=False, compare=False)
    def open(self):
        return self._open()

"""One mistake: a file as it would be, and the name by which a person can call it equivalent."""

from dataclasses import dataclass
from difflib import unified_diff
from hashlib import sha256


@dataclass(frozen=True)
class Mutant:
    path: str
    old: str
    new: str

    @property
    def diff(self) -> str:
        """The changed lines, with one more on both sides."""
        lines = unified_diff(self.old.splitlines(), self.new.splitlines(), n=1, lineterm="")
        return "\n".join([self.path, *list(lines)[2:]])

    @property
    def key(self) -> str:
        """The same wherever these lines stand in the file."""
        said = [line for line in self.diff.splitlines() if not line.startswith("@@")]
        return sha256("\n".join(said).encode()).hexdigest()[:10]

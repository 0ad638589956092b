"""What checks calls as a type checker reads annotations: an int is a float too (PEP 484)."""

from typing import IO, Any

from beartype import BeartypeConf, FrozenDict, beartype

# What is open for reading bytes may lack what typing.IO names and nobody uses here.
streams: FrozenDict[Any, Any] = FrozenDict({IO[bytes]: object})
checked = beartype(conf=BeartypeConf(is_pep484_tower=True, hint_overrides=streams))

"""What the stage is told, as described in `stage/document/schema.json`, and its fields by name."""

import json
from collections.abc import Iterator
from typing import Any

from tests.sampling import ROOT

Node = dict[str, Any]
SCHEMA: Node = json.loads((ROOT / "stage/document/schema.json").read_text(encoding="utf-8"))
"""It describes news: a mapping of some of document, answer, alternatives and others."""


def followed(node: Node, name: str) -> tuple[Node, str]:
    """A part of the description with its name, after all references; of null or something, that."""
    while True:
        if "$ref" in node:
            way = node["$ref"].split("/")[2:]
            node, name = SCHEMA["$defs"], ".".join(part for part in way if part != "properties")
            for part in way:
                node = node[part]
        elif node.get("anyOf", [{}])[-1] == {"type": "null"}:
            node = node["anyOf"][0]
        else:
            return node, name


def fields(node: Node = SCHEMA, name: str = "") -> set[str]:
    """The names of all fields below a part: `array.levels`, `focus.columns.above`."""
    found: set[str] = set()
    waiting = [(node, name)]
    while waiting:
        known, name = followed(*waiting.pop())
        for key, part in known.get("properties", {}).items():
            if (field := f"{name}.{key}".strip(".")) not in found:
                found.add(field)
                waiting.append((part, field))
        inner = [*known.get("prefixItems", ()), *map(known.get, ("items", "additionalProperties"))]
        waiting += [(part, name) for part in inner if isinstance(part, dict)]
    return found


def told_fields(value: object, node: Node = SCHEMA, name: str = "") -> Iterator[str]:
    """The names of the fields that some news have."""
    known, name = followed(node, name)
    if isinstance(value, dict):
        for key, part in value.items():
            if key in known.get("properties", {}):
                yield (field := f"{name}.{key}".strip("."))
                yield from told_fields(part, known["properties"][key], field)
            elif isinstance(known.get("additionalProperties"), dict):
                yield from told_fields(part, known["additionalProperties"], name)
    elif isinstance(value, list):
        items = known.get("prefixItems", [])
        for place, part in enumerate(value):
            inner = items[place] if place < len(items) else known.get("items")
            if isinstance(inner, dict):
                yield from told_fields(part, inner, name)

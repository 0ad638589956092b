"""The keys of a page's link, for those who ask about a page without showing it."""

import ast
from functools import cache
from typing import Any

from ui.chapters.walkthrough.keys import WALKTHROUGH
from ui.links.links import Keys
from ui.links.path import HOME, script_of


@cache
def keys_of(page: str) -> Keys:
    """Return a page's `KEYS`. Of its script nothing is run that stands below them."""
    if page == HOME:
        return WALKTHROUGH
    path = script_of(page)
    body = ast.parse(path.read_text(encoding="utf-8")).body
    ends = [at for at, part in enumerate(body, start=1) if _is_keys(part)]
    defined: dict[str, Any] = {"__name__": page}
    exec(compile(ast.Module(body[: ends[0]], []), path, "exec"), defined)
    keys: Keys = defined["KEYS"]
    return keys


def _is_keys(part: ast.stmt) -> bool:
    return isinstance(part, ast.AnnAssign) and ast.unparse(part.target) == "KEYS"

"""The README's pictures are those that its command takes."""

import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser

from tools.pictures import SIZE, THEMES, name, take

ROOT = Path(__file__).parents[2]
HEAD = slice(0, 120)
"""Rows of pixels at the top, where a page is its background and a few words."""


@pytest.mark.deep
def test_the_command_takes_the_pictures_that_the_readme_shows(
    server: str, chromium: Browser, tmp_path: Path
) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r"docs/([\w-]+\.png)", readme)
    assert sorted(shown) == sorted(map(name, THEMES))
    taken = take(chromium, server, tmp_path)
    assert [path.name for path in taken] == [name(theme) for theme in THEMES]
    for path in taken:
        kept = ROOT / "docs" / path.name
        assert kept.stat().st_size < 500_000
        for picture in map(Image.open, (path, kept)):
            assert picture.size == tuple(1.5 * side for side in SIZE.values())
            light = "light" in path.name
            median = np.median(np.asarray(picture.convert("L"))[HEAD])
            assert (median > 200) == light
            assert (median < 60) == (not light)

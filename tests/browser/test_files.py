"""Numbers that come in, as files or pasted, and the run that leaves as one, in a real browser."""

import json
import re
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from core.attention.setups import Setup
from tests.browser.conftest import OpenPage
from tests.browser.drawn import written
from tests.browser.page import downloaded, settle
from tests.browser.stage import focus_cell, numbers, open_own_numbers, told_ahead
from tests.browser.tabs import Theme
from tests.sampling import some
from tests.ui.chapters.walkthrough.test_own_numbers import PASTED

MATRIX = np.array([[1.5, -2.0], [0.25, 3.0], [0.0, 1.0]])


def upload(page: Page, name: str, content: bytes) -> None:
    """Choose a file and use it; the panel may be open from an upload before."""
    field = page.locator("input[type=file]")
    before = page.get_by_role("button", name=re.compile("^Remove x"))
    use = page.get_by_role("button", name="Use these numbers")
    if before.count():
        before.click()
        expect(use).to_be_disabled()
    elif not field.count():
        open_own_numbers(page)
        page.get_by_text("upload a file").click()
        settle(page)
    field.set_input_files({"name": name, "mimeType": "application/octet-stream", "buffer": content})
    use.click()


def npy(array: np.ndarray) -> bytes:
    made = BytesIO()
    np.save(made, array, allow_pickle=array.dtype == object)
    return made.getvalue()


def zipped_zeros(size: int) -> bytes:
    made = BytesIO()
    with ZipFile(made, "w", compression=8) as archive:
        archive.writestr("X.npy", npy(np.zeros((1, 1))) + bytes(size))
    return made.getvalue()


REFUSED = [
    (npy(np.array([{"a": 1}], dtype=object)), "npy", "Python objects"),
    (b"PK\x03\x04 this is no archive", "npz", "damaged"),
    (b"1,2\n3\n", "csv", "Row 2 has 1 column"),
    (b'{"X": ', "json", "JSON"),
    (zipped_zeros(64_000_000), "npz", "would unpack to 64,000,136 bytes"),
]


def test_a_bad_file_is_refused_nothing_is_lost_a_good_one_becomes_x(open_page: OpenPage) -> None:
    page = open_page("?step=X&heads=1&d_model=2", step="X", until=told_ahead)
    before = numbers(page, "X")
    for n, (content, ending, said) in enumerate(some(REFUSED, 3, 1)):
        upload(page, f"x{n}.{ending}", content)
        expect(page.get_by_test_id("stAlert")).to_contain_text(said, ignore_case=True)
        assert numbers(page, "X") == before
    upload(page, "x.npy", npy(MATRIX))
    printed = [f"{x:.2f}".replace("-", "−") for x in MATRIX.ravel()]
    expect(focus_cell(page, "X.0.1")).to_have_text(printed[1])
    assert numbers(page, "X") == printed


def offering(open_page: OpenPage, link: str) -> Page:
    """A page whose downloads are on offer."""
    page = open_page(link, until=told_ahead)
    page.get_by_role("button", name="Download").click()
    settle(page)
    return page


@pytest.mark.deep
def test_a_downloaded_run_repeats_it(open_page: OpenPage, tmp_path: Path) -> None:
    page = offering(open_page, "?text=red+hat&heads=2&mask=none&step=weights")
    for label, runs in (("Python script", True), ("PyTorch snippet", True), ("Notebook", False)):
        button = page.get_by_role("button", name=label, exact=True)
        code = downloaded(page, button).read_text(encoding="utf-8")
        if not runs:
            cells = json.loads(code)["cells"]
            code = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "code")
        subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path, timeout=120)


@pytest.mark.deep
def test_a_downloaded_view_needs_no_network(open_page: OpenPage, tmp_path: Path) -> None:
    page = offering(open_page, "?text=red%2C+hat&step=weights&mask=none")
    button = page.get_by_role("button", name="A page of its own (.html)")
    alone = open_page(
        downloaded(page, button, tmp_path).as_uri(),
        until=None,
        prepare=lambda one: one.context.set_offline(True),
    )
    expect(alone.get_by_test_id("stage")).to_have_attribute("data-step", "weights")
    expect(alone).to_have_title("red, hat – Attention, step by step")
    expect(alone.get_by_role("heading", level=1)).to_have_text("red, hat")
    trace = Setup(text="red, hat", mask="none").trace
    assert numbers(alone, "weights") == written(trace, "weights", 0)


def test_all_matrices_and_one_are_downloaded(open_page: OpenPage) -> None:
    page = offering(open_page, "?text=red+hat&step=weights")
    with np.load(downloaded(page, page.get_by_role("button", name="All matrices (.npz)"))) as found:
        np.testing.assert_allclose(found["weights"].sum(axis=-1), 1)
        assert {"X", "W_Q", "output", "mask"} <= set(found.files)
    table = downloaded(page, page.get_by_role("button", name="weights (.csv)"))
    assert "red" in table.read_text(encoding="utf-8")


@pytest.mark.parametrize("theme", some(["light", "dark"], 2))
def test_an_exercise_is_pasted_and_used(open_page: OpenPage, theme: Theme) -> None:
    page = open_page("?step=scores", size=(1280, 720), theme=theme)
    open_own_numbers(page)
    panel = page.get_by_test_id("stPopoverBody")
    panel.get_by_role("textbox", name="Numbers").fill(PASTED)
    panel.get_by_role("textbox", name="Numbers").press("Control+Enter")
    expect(panel.get_by_role("row")).to_have_count(7)
    expect(panel.get_by_role("button", name="Use these numbers")).to_be_in_viewport()
    # It is drawn outside of the app: its selected options and the table's edges need its theme.
    assert panel.evaluate("(body) => getComputedStyle(body).colorScheme") == theme
    panel.get_by_role("button", name="Use these numbers").click()
    expect(focus_cell(page, "scores.0.1.1")).to_have_text("16.00")
    expect(page.get_by_role("button", name="Numbers: your own")).to_be_visible()

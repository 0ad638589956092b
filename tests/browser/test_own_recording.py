"""A visitor's own recordings in a browser: one file after another, and one that is none."""

from pathlib import Path

import pytest
import torch
from playwright.sync_api import Page, expect
from torch.nn.functional import scaled_dot_product_attention

from core.models import capture
from tests.browser.conftest import OpenPage

FOLD = "Open a recording of your own model"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Recordings of 2 and of 3 heads, and what is no recording."""
    for name, heads in (("two", 2), ("three", 3)):
        X = torch.randn(1, heads, 4, 8)
        with capture(tmp_path / f"{name}.safetensors"):
            scaled_dot_product_attention(X, X, X)
    (tmp_path / "photo.safetensors").write_bytes(b"\xff\xd8\xff\xe0\x00\x10JFIF" * 9)
    return tmp_path


def choose(page: Page, file: Path) -> None:
    fold = page.locator("details", has_text=FOLD)
    if fold.get_attribute("open") is None:
        fold.locator("summary").click()
    field = page.locator("input[type=file]")
    field.wait_for(state="attached")
    field.set_input_files(file)


def test_a_second_file_opens_a_wrong_one_is_said_there(open_page: OpenPage, files: Path) -> None:
    page = open_page("models")
    for name, heads in (("two", 2), ("three", 3)):
        choose(page, files / f"{name}.safetensors")
        expect(page.get_by_text(f"This is your recording “{name}.safetensors”.")).to_be_visible()
        said = page.get_by_text(f"The recording has 1 attention call, with {heads} heads.")
        expect(said).to_be_visible()
        expect(page.get_by_text("On the stage: call 1, head 1")).to_be_visible()
        expect(page.locator("details", has_text=FOLD)).not_to_have_attribute("open", "")
    choose(page, files / "photo.safetensors")
    fold = page.locator("details", has_text=FOLD)
    expect(fold.get_by_text("photo.safetensors is not a recording")).to_be_visible()
    expect(page.get_by_text("This is your recording")).to_have_count(0)

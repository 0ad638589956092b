"""What a server loads for its first page: neither of the two libraries that take longest."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
FIRST_PAGE = """
import sys
from streamlit.testing.v1 import AppTest
page = AppTest.from_file("app.py", default_timeout=60).run()
assert not page.exception and page.get("bidi_component")
print(sorted({"torch", "pandas"} & set(sys.modules)))
"""


def test_the_first_page_loads_neither_torch_nor_pandas() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FIRST_PAGE], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[-2] == "[]"

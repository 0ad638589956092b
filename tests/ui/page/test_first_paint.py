"""The page that a browser gets: Streamlit's own with the house's head, the same for everybody."""

import gzip
import re
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope
from streamlit.file_util import get_static_dir

from tests.loops import answers
from ui.page.first_paint import OwnHead, with_own_head

STATIC = Path(get_static_dir())
INDEX = (STATIC / "index.html").read_bytes()
OTHER = INDEX.replace(b"Streamlit", b"streamlit")
GOES = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
app = OwnHead(
    Starlette(
        routes=[
            Route("/other", lambda request: HTMLResponse(OTHER)),
            Mount("/", StaticFiles(directory=get_static_dir(), html=True)),
        ]
    )
)


def answer(
    path: str = "/", method: str = "GET", query: str = "", **headers: str
) -> tuple[int, Headers, bytes]:
    """What a request gets: status, headers and body."""
    told = {name.replace("_", "-"): text for name, text in headers.items()}
    scope: Scope = {
        "type": "http", "asgi": {"spec_version": "2.4"}, "method": method, "path": path,
        "root_path": "", "query_string": query.encode(), "headers": Headers(told).raw,
        "extensions": {"http.response.pathsend": {}},
    }  # fmt: skip
    start, *parts = answers(app, scope, {"type": "http.request", "body": b""})
    body = b"".join(
        Path(part["path"]).read_bytes() if "path" in part else part["body"] for part in parts
    )
    return start["status"], Headers(raw=start["headers"]), body


def test_a_page_has_the_houses_head_and_says_how_long_it_is_the_same_for_everybody() -> None:
    status, headers, body = answer(**GOES)
    assert (status, body) == (200, with_own_head(INDEX))
    mine = answer(query="sentence=%3Cb%3E", cookie="name=%3Cb%3E", referer="http://a/?b", **GOES)
    assert mine[2] == body
    assert headers["content-length"] == str(len(body))
    before, end, after = INDEX.partition(b"</head>")
    assert body.startswith(before)
    assert body.endswith(end + after)
    added = body[len(before) : -len(end + after)]
    assert b"stMainBlockContainer" in added.partition(b"<script>(() =>")[2]
    assert added.count(b"</script>") == 1, "something in the head ends its script"


FIRST = (
    "font-family:Source Sans;",
    "font-family:KaTeX_Main;font-style:normal;font-weight:400;",
    "font-family:KaTeX_Math;font-style:italic;font-weight:400;",
)
"""What a page's first lines are in: words, and the digits and names of formulas."""


def test_the_fonts_of_every_page_are_fetched_before_they_are_asked_for() -> None:
    sheets = "".join(path.read_text() for path in STATIC.glob("static/css/*.css"))
    found = re.findall("@font-face{(.*?)}", sheets)
    faces = [face for face in found if any(named in face for named in FIRST)]
    files = {re.findall(r"\.\./media/([^)]+)\)", face)[0] for face in faces}
    ahead = re.findall(
        rb'<link\s+rel="preload"\s+href="\./static/media/([^"]+)"', with_own_head(INDEX)
    )
    assert len(files) == 2 + 2  # words upright and in italics, each of any weight
    assert files == {name.decode() for name in ahead}


@pytest.mark.parametrize("known", ["if_none_match", "if_modified_since", "range"])
def test_what_a_browser_knows_of_streamlits_file_counts_for_nothing(known: str) -> None:
    own = answer(accept="*/*")[1]
    asks = {"if_none_match": own["etag"], "if_modified_since": own["last-modified"]}
    asked = {known: asks.get(known, "bytes=0-9")}
    assert answer(**asked, accept="*/*")[0] != 200
    status, headers, body = answer(**asked, **GOES)
    assert (status, body) == (200, with_own_head(INDEX))
    assert not {"etag", "last-modified", "accept-ranges"} & set(headers)


def test_it_is_compressed_for_who_takes_that() -> None:
    _, headers, body = answer(**GOES, accept_encoding="gzip")
    assert headers["content-encoding"] == "gzip"
    assert gzip.decompress(body) == with_own_head(INDEX)


def test_other_answers_are_as_they_were() -> None:
    script = next((Path(get_static_dir()) / "static" / "js").glob("index.*.js"))
    at = f"/static/js/{script.name}"
    assert answer(at, **GOES)[2] == answer(at, accept="*/*")[2] == script.read_bytes()
    assert answer("/other", **GOES)[2] == OTHER  # as long as Streamlit's page
    assert answer("/nowhere", **GOES)[0] == 404
    assert answer(accept="*/*")[2] == INDEX
    assert answer(method="HEAD", **GOES)[2] == b""

import asyncio
import gzip
import re

import pytest
from starlette.requests import Request
from starlette.responses import Response

from ui.components.script_files import WORTH_A_REQUEST, ScriptFiles

SCRIPT = "export default () => {};\n" + "// long\n" * WORTH_A_REQUEST
CSS = '.a::after { content: "\\2212`${b}"; }'


def served(files: ScriptFiles, name: str, encodings: str = "gzip, br") -> Response:
    headers = [(b"accept-encoding", encodings.encode())]
    asked = Request({"type": "http", "headers": headers, "path_params": {"name": name}})
    answer = files.route("/scripts").endpoint(asked)
    return asyncio.run(answer) if asyncio.iscoroutine(answer) else answer


def file_of(script: str) -> str:
    (name,) = re.findall(r'const ADDRESS = "scripts/([^"]+)";', script)
    return name


def test_a_message_names_a_file_that_has_the_script_and_its_styles() -> None:
    files = ScriptFiles()
    files.route("/scripts")
    sent, css = files.delivered("board", SCRIPT, CSS)
    assert len(sent) < 1_000
    assert css == ""
    answer = served(files, file_of(sent))
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["content-encoding"] == "gzip"
    assert "immutable" in answer.headers["cache-control"]
    plain = served(files, file_of(sent), encodings="")
    assert "content-encoding" not in plain.headers
    assert gzip.decompress(bytes(answer.body)) == plain.body
    text = bytes(plain.body).decode()
    assert text.startswith(SCRIPT)
    assert r'"\\2212`${b}\"' in text.replace('content: \\"', '"')


@pytest.mark.parametrize("changed", [(SCRIPT + "//", CSS), (SCRIPT, CSS + " "), (SCRIPT, "")])
def test_the_address_changes_with_the_content(changed: tuple[str, str]) -> None:
    files = ScriptFiles()
    files.route("/scripts")
    names = {file_of(files.delivered("board", *each)[0]) for each in ((SCRIPT, CSS), changed)}
    assert len(names) == 2
    assert file_of(files.delivered("board", SCRIPT, CSS)[0]) in names


def test_what_is_short_and_what_no_route_leads_to_travels_itself() -> None:
    files = ScriptFiles()
    assert files.delivered("board", SCRIPT, CSS) == (SCRIPT, CSS)
    files.route("/scripts")
    assert files.delivered("small", "export default 1;", CSS) == ("export default 1;", CSS)


def test_a_file_that_is_none_is_not_found() -> None:
    assert served(ScriptFiles(), "board.0123456789abcdef.js").status_code == 404

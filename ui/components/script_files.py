"""Scripts and style sheets of components as files, which a browser fetches once and keeps.

Streamlit sends a component's code anew in every message in which its data changes. So the message
has some lines that import the code from an address of the server; a digest of the content is in
it. Where a server has no such addresses, as when Streamlit runs another script, the message has the
code itself.
"""

import gzip
import json
from hashlib import sha256
from pathlib import Path

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from stage.hosts.assets import module

ADDRESS = "scripts"
"""Next to the address of every page."""
_IMPORTING = Path(__file__).with_name("script_file.js")
WORTH_A_REQUEST = 1_000
"""Characters; what is shorter travels with the message."""
_KEPT = ", ".join(["public", "max-age=31536000", "immutable"])


class ScriptFiles:
    """The files of one server, from the moment that it has the route to them."""

    def __init__(self) -> None:
        self._has_route = False
        self._compressed: dict[str, bytes] = {}

    def route(self, path: str) -> Route:
        """Return the route to the files, which are `{path}/NAME`."""
        self._has_route = True
        return Route(f"{path}/{{name}}", self._respond)

    def delivered(self, name: str, script: str, css: str) -> tuple[str, str]:
        """Return what a message has of a component's script and style sheet."""
        if not self._has_route or len(script) + len(css) < WORTH_A_REQUEST:
            return script, css
        content = f"{script}\nexport const COMPONENT_STYLES = {json.dumps(css)};".encode()
        file = f"{name}.{sha256(content).hexdigest()[:16]}.js"
        self._compressed[file] = gzip.compress(content, mtime=0)
        return module(_IMPORTING, given={"ADDRESS": f"{ADDRESS}/{file}"}), ""

    def _respond(self, request: Request) -> Response:
        content = self._compressed.get(request.path_params["name"])
        if content is None:
            return PlainTextResponse("Not Found", 404)
        headers = {"cache-control": _KEPT, "vary": "accept-encoding"}
        if "gzip" in request.headers.get("accept-encoding", ""):
            headers["content-encoding"] = "gzip"
        else:
            content = gzip.decompress(content)
        return Response(content, headers=headers, media_type="text/javascript")


script_files = ScriptFiles()

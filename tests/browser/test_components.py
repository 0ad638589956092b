"""What each drawn component shows of what it is given, and what it tells of what is done on it."""

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from tests.browser.components import Component, Step, blank, done
from tests.browser.conftest import BrowserWith
from ui.page_texts import component_texts

TOKENS = ["a", "b", "c"]
PLACES = [[0, -1], [0.9, 0.5], [-0.9, 0.5]]
GRAPH = {
    "stage": "s", "labels": TOKENS, "places": PLACES, "round": True, "within": False, "faint": [2],
    "threshold": 0.2, "drawn": None, "chosen": 2, "looks": True, "title": "graph",
    "lines": [
        {"source": source, "target": target, "cell": f"w.{target}.{source}", "text": text,
         "spoken": f"{target} reads {source}", "weight": weight, "width": width}
        for source, target, text, weight, width in
        [(0, 1, "0.25", 0.25, 3), (0, 2, "0.50", 0.5, 5), (1, 2, "0.40", 0.4, 4), (2, 2, "0.10", 0.1, 1)]
    ],
    "words": {"covered": "covered", "press": "press", "look": "look", "draw": "draw", "back": "back",
              "clear": "clear", "idle": "idle", "drawing": "drawing", "held": "held …",
              "drawn": "… reads …", "taken": "… no more …"},
}  # fmt: skip
"""Token 2 reads 0 and 1, and 1 reads 0; a weight below the threshold is not drawn."""
ON = "[here().node, here().from, here().to]"
EDGES = "all('.edge').map(({ dataset }) => dataset.from + dataset.to).sort()"
LAYER = {
    "labels": TOKENS, "chosen": 1,
    "words": {"title": "layer", "press": "press", "changes": "changes", "none": "none", "look": "look",
              "mixes": "mixes", "apart": "apart", "adds": "adds"},
    "boxes": [
        {"name": "Attention", "array": "att", "adds": None,
         "alone": [[1, 1, 1], [0, 1, 1], [0, 0, 1]], "inside": [[1, 1, 1], [0, 1, 1], [0, 0, 1]]},
        {"name": "Add", "array": "sum", "adds": 0,
         "alone": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "inside": [[1, 1, 1], [0, 1, 1], [0, 0, 1]]},
    ],
}  # fmt: skip
FILLED = "all('.dots').map((one) => [...one.children].map((dot) => +(dot.className === 'changed')).join(''))"
LIT = "all('.box').map((box) => [...box.querySelectorAll('path.changed')].map((path) => ends(path).map(([, y]) => (y - 16) / 32).join('')))"
CACHE = {
    "labels": TOKENS, "now": 1, "again": False,
    "rows": {name: [[f"{sign}{n}"] for n in range(3)] for name, sign in {"K": "", "V": "-"}.items()},
    "costs": [{"name": name, "bars": bars, "texts": texts} for name, bars, texts in
              (("with", [0.1, 0.2, 0.3], ["1", "2", "3"]), ("without", [0.2, 0.5, 1], ["2", "5", "10"]))],
    "words": {"play": "Play", "stop": "Stop", "before": "Back", "after": "On", "cost": "Work",
              "with": "with", "without": "without", "kept": "is kept", "new": "is new", "again": "is made again",
              "later": "is to come"},
}  # fmt: skip
LINES = "all('.K tr').map((line) => line.className)"
OFF = "all('.way button').map((one) => one.disabled)"
ORDERS = {
    "chosen": {"mask": "none", "places": "off"}, "words": {"mask": "Mask", "places": "Places", "same": "same", "other": "other"},
    "switches": {"mask": {"none": "no mask", "causal": "causal"}, "places": {"off": "without", "on": "with"}},
    "cases": {
        "none off": {"tokens": [TOKENS, ["c", "a", "b"]], "place": [1, 2, 0], "same": [True, True, True],
                     "rows": [[["1"], ["-2"], ["3"]], [["3"], ["1"], ["-2"]]]},
        "causal off": {"tokens": [TOKENS, ["c", "a", "b"]], "place": [1, 2, 0], "same": [True, False, True],
                       "rows": [[["1"], ["-2"], ["3"]], [["3"], ["1"], ["9"]]]},
    },
}  # fmt: skip
FROM_TO = "all('line').map((line) => ['x1', 'x2'].map((at) => Math.round(line.getAttribute(at) * 3 / 100 - 0.5)).join('') + line.getAttribute('class'))"
TREES = {
    "forest": "1 (2 3)", "labels": ["a", "b", "c"], "shapes": [["pairs", "((1 2) 3)"], ["all", "(1 2 3)"]],
    "nodes": {"1": {"s": "1", "v": "-2", "name": "1", "spoken": "one"}},
    "counts": {"sizes": [1, 2, 4], "texts": ["1.00", "2.00", "4.00"], "merged": "5", "whole": "5", "off": False},
    "words": {"board": "board", "counts": "counts", "covered": "covered", "merged": "merged", "whole": "whole",
              "twice": "twice …", "shapes": "shapes", "again": "again", "back": "back", "held": "held …", "idle": "idle",
              "leave": "leave", "apart": "apart", "look": "look"},
}  # fmt: skip
AT = "here().tree"
SMALL = {
    "labels": TOKENS, "row": 2, "words": {"reads": "reads", "open": "open"},
    "maps": [{"word": "one", "name": "One", "stage": "stage_1", "weights": [[1, 0, 0], [0.25, 0.75, 0], [0.5, -0.25, 0.75]],
              "texts": [["1.00", "0", "0"], ["0.25", "0.75", "0"], ["0.50", "-0.25", "0.75"]]}],
}  # fmt: skip
READING = {
    "said": "b reads", "total": "total 1", "tokens": TOKENS, "query": 1, "reads": ["60", "<1", ""], "features": ["f", "g"],
    "before": [["1", 20], ["-2", 40]], "after": [["3", 60], ["4", 80]], "largest": 1,
}  # fmt: skip
SEARCH = {
    "token": "a", "best": 1,
    "words": {"label": "search", "key": "key", "value": "value", "query": "query", "asks": "asks", "result": "result",
              "gets": "gets", "fits": ["badly", "well"]},
    "entries": [{"token": "a", "title": "T0", "content": "C0", "part": "20"}, {"token": "b", "title": "T1", "content": "C1", "part": "80"}],
}  # fmt: skip
PICTURES = {
    "stage": "s", "title": "maps", "high": 40, "chosen": 0, "row": 1, "labels": ["a", "internationalisation"],
    "pictures": [
        {"name": name, "place": f"w.{n}", "said": ["reads ", "b"],
         "matrices": [{"palette": "w", "rows": 2, "cols": 2, "levels": levels, "beside": ["x", "y"]}]}
        for n, (name, levels) in enumerate({"One": "Cv8UBQ==", "Two": "/v0AAQ=="}.items())
    ],
}  # fmt: skip
COMPONENTS: dict[str, tuple[Component, object, list[Step]]] = {
    "graph": (
        Component(["events.js", *(f"graph/{one}.js" for one in ("curves", "picture", "edges", "gestures", "graph"))]),
        GRAPH,
        [
            ("", EDGES, ["01", "02", "12"]),
            ("", "texts('.number text').sort()", ["0.25", "0.40", "0.50"]),
            ("", "all('.edge.in').map(({ dataset }) => dataset.from)", ["0", "1"]),
            ("", "all('.node').map((one) => ['chosen', 'faint'].filter((name) => one.classList.contains(name)).join())",
             ["", "", "chosen,faint"]),
            ("", "attrs('[data-from=\"0\"][data-to=\"2\"] .stroke', 'stroke-width')", ["5"]),
            # An arrow begins at its source, and its head is at its target: the places of the circle.
            ("globalThis.near = ([x, y]) => all('.node').map((one) => one.transform.baseVal[0].matrix).map(({ e, f }) => Math.hypot(e - x, f - y))"
             ".reduce((best, far, n, all) => (far < all[best] ? n : best), 0)",
             "all('.edge').map((one) => [one.dataset.from, one.dataset.to].join('')"
             " === ends(one.querySelector('.stroke')).map(near).join('') && String(near(numbers(one.querySelector('.tip').getAttribute('d')))) === one.dataset.to)",
             [True] * 3),
            ("tap('[data-node=\"0\"]')", "news()", [["node", {"node": 0}]]),
            ("draw({ chosen: 0 }); all('[data-node=\"0\"]')[0].focus(); key('ArrowLeft')", ON, ["2", None, None]),
            ("key('ArrowDown')", ON, [None, "0", "2"]),
            ("key('ArrowRight')", ON, [None, "1", "2"]),
            ("key('ArrowUp')", ON, ["2", None, None]),
            ("key('ArrowRight'); key('ArrowRight'); key('ArrowDown')", ON, [None, "0", "1"]),
            ("key('Escape')", ON, ["1", None, None]),
            ("key('ArrowLeft'); key('ArrowDown')", ON, ["0", None, None]),
            ("key('Enter')", "news()", [["node", {"node": 0}]]),
            ("draw({ drawn: '000100110', threshold: 0 }); all('[data-node=\"2\"]')[0].focus(); key('ArrowDown'); key('Delete')",
             "[news(), texts('.aloud')]", [[["drawn", {"bits": "000100010"}]], ["a no more c"]]),
            ("press('.group button', 1); tap('[data-node=\"1\"]')", "[texts('.help'), attrs('[aria-pressed=true].node', 'data-node')]", [["held b"], ["1"]]),
            ("tap('[data-node=\"0\"]')", "[news(), texts('.edge.fresh ~ .number text'), texts('.aloud')]",
             [[["drawn", {"bits": "010100010"}]], ["0.25", "0.40", "…"], ["b reads a"]]),
            ("press('.bar > button')", "news()", [["drawn", {"bits": "000100010"}]]),
            ("press('.bar > button', 1)", "[news(), texts('.edge'), all('.bar > button').map((one) => one.disabled)]",
             [[["drawn", {"bits": "000000000"}]], [], [False, True]]),
        ],
    ),
    "layer_diagram": (
        Component(["events.js", "layer_diagram/layer_diagram.js"]),
        LAYER,
        [
            ("", FILLED, ["010", "011", "011"]),
            ("", LIT, [["11", "12"], ["11", "22"]]),
            ("", "texts('.how')", ["mixes", "apart"]),
            ("", "attrs('a', 'aria-label')", ["Attention: changes b, c; look", "Add: changes b, c; look"]),
            ("", "all('.around').map((one) => one.style.gridColumn)", ["4 / span 2"]),
            ("press('.token', 2)", "[news(), attrs('[aria-pressed=true]', 'data-token')]", [[["token", {"token": 2}]], ["2"]]),
            ("late({ chosen: 1 })", FILLED, ["001", "001", "001"]),
            ("press('.token', 2)", "news()", []),
            ("draw({ chosen: 0 })", LIT, [["00", "01", "02"], ["00", "11", "22"]]),
        ],
    ),
    "cache_rows": (
        Component(["events.js", "cache_rows/cache_rows.js"]),
        CACHE,
        [
            ("", LINES, ["kept", "new drops", "later"]),
            ("", "texts('.V td')", ["−0", "is kept", "−1", "is new", "", ""]),
            ("", "[texts('.written span'), texts('.written .new')]", [["a", "b"], ["b"]]),
            ("", "[texts('.work b'), all('.work i').map((bar) => bar.style.width)]", [["2", "5"], ["20%", "50%"]]),
            ("draw({ again: true })", LINES, ["again", "new", "later"]),
            ("press('.after')", "[news(), texts('.V td.how')]", [[["token", {"token": 2}]], ["is made again", "is made again", "is new"]]),
            ("late({ now: 1 })", OFF, [False, False, True]),
            ("draw({ now: 0, again: false })", OFF, [False, True, False]),
            ("press('.play')", "[texts('.play'), texts('.work b'), news()]", [["◼ Stop"], ["2", "5"], []]),
            (890, "texts('.work b')", ["2", "5"]),
            (10, "[texts('.play'), texts('.work b'), news()]", [["▶ Play"], ["3", "10"], [["token", {"token": 2}]]]),
            ("press('.play')", "texts('.work b')", ["1", "2"]),
            ("press('.play')", "[texts('.play'), news()]", [["▶ Play"], [["token", {"token": 0}]]]),
        ],
    ),
    "two_orders": (
        Component(["events.js", "two_orders/two_orders.js"]),
        ORDERS,
        [
            ("", FROM_TO, ["01same", "12same", "20same"]),
            ("", "all('.sentence').map((one) => one.textContent)", ["a1b−2c3", "c3a1b−2"]),
            ("press('[data-option=\"mask causal\"]')", "news()", [["chosen", {"mask": "causal", "places": "off"}]]),
            ("late({})", FROM_TO, ["01same", "12other", "20same"]),
            ("", "[texts('.said'), attrs('button[aria-pressed=true]', 'data-option')]", [["= same", "≠ other", "= same"], ["mask causal", "places off"]]),
            ("", "all('.sentence').map((one) => [...one.querySelectorAll('i.other')].map((number) => number.textContent))", [["−2"], ["9"]]),
        ],
    ),
    "trees": (
        Component(["events.js", *(f"trees/{one}.js" for one in ("forest", "counts", "gestures", "trees"))]),
        TREES,
        [
            ("", "texts('.set')", ["{1}", "{2, 3}", "{2}", "{3}"]),
            ("", "texts('.number')", ["s 1", "v −2", *["s …", "v …"] * 3]),
            ("", "attrs('.bars', 'aria-label')", ["counts: 1: 1.00, 2: 2.00, 3: 4.00"]),
            ("press('.number.v')", "news()", [["look", {"array": "v_1"}]]),
            ("all('.node')[0].focus(); key('ArrowDown'); key('ArrowRight')", AT, "2"),
            ("key('ArrowDown'); key('ArrowRight')", AT, "3"),
            ("key('ArrowLeft')", AT, "(2 3)"),
            ("key('End')", AT, "3"),
            ("key('ArrowUp')", AT, "2"),
            ("key('Home')", AT, "1"),
            ("key('Enter')", "[texts('.help'), attrs('.held', 'data-tree')]", [["held {1}"], ["1"]]),
            ("key('Escape')", "[texts('.help'), attrs('.held', 'data-tree')]", [["idle"], []]),
            ("key(' '); key('End'); key('Enter')", "[news(), here().tree]", [[["tree", {"forest": "(2 (3 1))"}]], "(3 1)"]),
            ("draw({ forest: '(2 (3 1))' })", "texts('.result')", ["5merged=5whole"]),
            ("key('Delete')", "[news(), here().tree]", [[["tree", {"forest": "(2 3 1)"}]], "3"]),
            ("key('Delete')", "news()", []),
            ("press('.bar > button')", "news()", [["tree", {"forest": "(2 (3 1))"}]]),
            ("press('.group button', 1)", "[news(), texts('.group button[aria-pressed=true]')]", [[["tree", {"forest": "(1 2 3)"}]], ["all"]]),
            ("press('.key', 1); tap('[data-tree=\"3\"] > .head')", "news()", [["tree", {"forest": "(1 2 (3 2))"}]]),
            ("draw({ forest: '(1 2 (3 2))', counts: { ...TREES.counts, off: true } })", "[texts('.result'), all('.result.off').length]", [["5merged≠5whole"], 1]),
            ("", "all('.pile').map((pile) => [...pile.children].map(({ style, className }) => style.height + className))", [["25%"], ["50%", "50%again"], ["100%"]]),
            ("", "[texts('.aloud'), attrs('.bars', 'aria-label')]", [["5 merged ≠ 5 whole. twice 2"], ["counts: 1: 1.00, 2: 2 × 2.00, 3: 4.00"]]),
            ("press('[data-tree=\"2\"] .apart')", "news()", [["tree", {"forest": "(1 (3 2))"}]]),
        ],
    ),
    "weight_maps": (
        Component(["events.js", "weight_maps/weight_maps.js"]),
        SMALL,
        [
            ("", "all('i').map((one) => one.style.getPropertyValue('--share') + one.className)",
             ["100%", "0%hidden", "0%hidden", "25%", "75%", "0%hidden", "50%", "0%", "75%"]),
            ("", "attrs('i', 'title').slice(6, 8)", ["c reads a: 0.50", "c reads b: −0.25"]),
            ("", "[texts('.label'), all('.frame').map((one) => one.style.gridRow)]", [TOKENS, ["3"]]),
            ("press('.open')", "news()", [["map", {"word": "one"}]]),
        ],
    ),
    "readings": (
        Component(["readings/readings.js"]),
        [READING],
        [
            ("", "[texts('.asks'), texts('.percent')]", [["b"], ["60\u00a0%", "<1\u00a0%", ""]]),
            # From the middle of what is read to the query, a little aside; as wide as its share.
            ("", "all('path').map((path) => [ends(path).map(([x]) => x), +(+path.getAttribute('stroke-width')).toFixed(3)])",
             [[[50, 136], 7.2], [[146, 154], 1.595]]),
            ("", "all('tbody tr').map((row) => row.textContent)", ["b before1−2", "b after34"]),
            ("", "[texts('.largest'), all('td[style]').map((one) => one.style.getPropertyValue('--part'))]", [["4"], ["20%", "40%", "60%", "80%"]]),
        ],
    ),
    "library": (
        Component(["library/library.js"]),
        SEARCH,
        [
            ("", "texts('.library > .card')", ["querya asks", "resulta gets"]),
            ("", "texts('li')", ["keya: T0badly20\u00a0%valuea: C0", "keyb: T1well80\u00a0%valueb: C1"]),
            ("", "texts('.best .token')", ["b", "b"]),
            ("", "all('path').map((path) => [ends(path), +path.getAttribute('stroke-width')])",
             [[[[100, 0], [50, 40]], 4], [[[100, 0], [150, 40]], 11.5], [[[50, 0], [100, 40]], 4], [[[150, 0], [100, 40]], 11.5]]),
        ],
    ),
    "maps": (
        Component(["maps/maps.js"]),
        PICTURES,
        [
            ("", "attrs('.map', 'href')", ["#stage-w.0", "#stage-w.1"]),
            ("", "all('.map').map((map) => [...map.querySelectorAll('path')].map((path) => path.getAttribute('class') + numbers(path.getAttribute('d')).slice(0, 2)))",
             [["w100,0", "masked20,0", "w200,20", "w520,20"], ["nan0,0", "random20,0", "w00,20", "w120,20"]]),
            ("", "texts('.map:first-of-type .side bdi')", ["a", "interna…", "x", "y"]),
            ("", "[attrs('.row', 'y'), attrs('.map', 'aria-current')]", [["19", "19"], ["true", "false"]]),
            ("place.addEventListener('click', (event) => event.preventDefault()); press('.map', 1)", "attrs('.map', 'aria-current')", ["false", "true"]),
            ("draw({ chosen: null, row: null })", "[attrs('.map', 'aria-current'), attrs('.row', 'y')]", [["false", "false"], []]),
            ("press('.map')", "attrs('.map', 'aria-current')", ["false", "false"]),
        ],
    ),
    "player": (
        Component(["events.js", "player/player.js"]),
        {"values": [1, 2, 3], "now": 1, "title": "Slower", "words": {"stop": "Stop"}},
        [
            ("", "texts('button')", ["▶ Slower"]),
            ("press('button')", "[news(), texts('button')]", [[["value", {"value": 2}]], ["◼ Stop"]]),
            (1000, "news()", []),
            ("draw({ now: 2 })", "[news(), texts('button')]", [[["value", {"value": 3}]], ["▶ Slower"]]),
            ("draw({ now: 3 }); press('button')", "news()", [["value", {"value": 1}]]),
            (340, "draw({ now: 1 }), news()", []),
            (10, "news()", [["value", {"value": 2}]]),
            ("press('button'); draw({ now: 2 })", "[news(), texts('button')]", [[], ["▶ Slower"]]),
        ],
    ),
    "arrows": (
        Component(["events.js", "arrows/arrows.js"], texts=component_texts()),
        {"q": [3, 0], "k": [0, 3], "limit": 5, "words": {"zero": "zero", "positive": "more", "negative": "less", "none": "none"}},
        [
            # The arc of the angle goes around the origin between the arrows, and so does its name.
            ("globalThis.turns = () => { const wedge = all('.wedge')[0], at = wedge.getPointAtLength(wedge.getTotalLength() / 2);"
             " const { x, y } = Object.fromEntries(['x', 'y'].map((name) => [name, +all('.angle')[0].getAttribute(name)]));"
             " return [[at.x, at.y], [x, y - 0.14]].map(([right, down]) => [Math.round(Math.atan2(-down, right) * 180 / Math.PI), +Math.hypot(right, down).toFixed(2)]); }",
             "turns()", [[45, 0.7], [45, 1.05]]),
            ("draw({ k: [0, -3] })", "turns()", [[-45, 0.7], [-45, 1.05]]),
            ("draw({ q: [-3, 0], k: [0, -3] })", "turns()", [[-135, 0.7], [-135, 1.05]]),
            ("draw({ q: [0, 2], k: [-4, 4] })", "turns().map(([at]) => Math.round(at / 10))", [11, 11]),
            # What falls from k on q: the shadow, the line that drops it, and the corner at its foot.
            ("", "['shadow', 'drop'].map((name) => numbers(all('.' + name)[0].getAttribute('d')))", [[0, 0, 0, -4], [-4, -4, 0, -4]]),
            ("", "numbers(all('.corner')[0].getAttribute('d')).map((x) => +x.toFixed(2))", [0, -3.78, -0.22, -3.78, -0.22, -4]),
            ("", "numbers(all('.arrow.k')[0].getAttribute('d')).slice(4, 6)", [-4, -4]),
            ("", "['q', 'k'].map((name) => Math.sign(all('.name.' + name)[0].getAttribute('x') - { q: 0, k: -4 }[name]))", [1, -1]),
            ("key('ArrowUp', '[data-grip=\"k\"]'); key('ArrowLeft', '[data-grip=\"k\"]'); all('[data-grip=\"k\"]')[0].dispatchEvent(new Event('keyup'))",
             "news()", [["drop", {"q": [0, 2], "k": [-4.1, 4.1]}]]),
            ("key('ArrowDown', '[data-grip=\"q\"]'); key('ArrowRight', '[data-grip=\"q\"]'); all('[data-grip=\"q\"]')[0].dispatchEvent(new Event('keyup'))",
             "news()", [["drop", {"q": [0.1, 1.9], "k": [-4.1, 4.1]}]]),
        ],
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def page(browser_with: BrowserWith) -> Iterator[Page]:
    made = browser_with("wide").new_page()
    blank(made)
    yield made
    made.close()


@pytest.mark.parametrize("name", COMPONENTS)
def test_a_component_shows_what_it_is_given_and_tells_what_is_done(page: Page, name: str) -> None:
    component, given, steps = COMPONENTS[name]
    component.loaded(page)
    page.evaluate(f"globalThis.TREES = {json.dumps(TREES)}")
    page.evaluate("(given) => draw(given)", given)
    done(page, steps)

"""What the stage is told has one description, `schema.json`: Python makes no more and no less.

What the browser reads of it is compared with the same file in tests/browser/test_told_fields.py.
"""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from core.attention.setups import Setup
from core.models.captures import captured_heads, load_capture, trace_of
from core.program.families import Options
from core.program.trace import Trace
from stage.document.document import document
from stage.document.other_runs import alternatives
from tests.document_schema import SCHEMA, fields, told_fields
from tests.registry import REGISTRY
from tests.sampling import some
from tests.ui.support import opened, told

TOLD = Draft202012Validator(SCHEMA)
STATES: dict[str, dict[str, str]] = {
    "walkthrough": {"compare": "mask", "step": "weights", "cover": "result"},
    "real_heads": {},
    "why_scale": {"scale_step": "scaled"},
    "debug_lab": {},
    "one_query": {},
}
"""Pages whose stages are told of everything, between them, and what their links say."""


def faults(news: object) -> list[str]:
    """What of the news no description knows, and what is missing."""
    return [f"{fault.json_path}: {fault.message[:200]}" for fault in TOLD.iter_errors(news)]


def told_of(trace: Trace) -> Any:
    name = [*trace][-1]
    return json.loads(document(trace, (name, (0,) * trace[name].ndim), code=True).text)


def news_of(page: str) -> list[dict[str, Any]]:
    messages = told(opened(page, **STATES[page]), "attention_told")
    return [news for message in messages if (news := message["news"]).keys() <= TOLD_NAMES]


TOLD_NAMES = SCHEMA["properties"].keys()


def test_the_description_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", some([*REGISTRY], 30))
def test_the_document_of_a_run_is_as_described(name: str) -> None:
    assert faults({"document": told_of(REGISTRY[name].run())}) == []


@pytest.mark.parametrize("page", STATES)
def test_what_a_page_tells_its_stage_is_as_described(page: str) -> None:
    told_here = news_of(page)
    assert told_here
    assert [fault for news in told_here for fault in faults(news)] == []


def told_ahead() -> Any:
    setup = Setup()

    def made(options: Options) -> dict[str, Any]:
        run = setup.family.run(**options)
        return document(run, ("scores", (0, 0, 0)), family=setup.family, options=options)

    family, options = setup.family, setup.options
    return json.loads(json.dumps(alternatives(made(options), family, options, made)))


def test_what_toggles_lead_to_is_as_described() -> None:
    ahead = told_ahead()
    assert ahead["documents"]
    assert faults({"alternatives": ahead}) == []


def test_each_described_field_is_told_somewhere() -> None:
    large = told_of(trace_of(load_capture(next(iter(captured_heads())))))
    news = [{"document": large}, {"alternatives": told_ahead()}]
    news += [each for page in STATES for each in news_of(page)]
    told_somewhere = {field for each in news for field in told_fields(each)}
    assert fields() - told_somewhere == {"answer.numbers"}  # which a browser has to ask for

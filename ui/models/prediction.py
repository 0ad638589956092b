"""What a model predicts, before and after a change: the most probable tokens, as a chart."""

from collections.abc import Sequence

import plotly.graph_objects as go

from core.models.head_words import tenth_percent, whole_percent
from core.models.transformer.prompt_run import Prediction, leading_tokens
from core.program.labels import VISIBLE_SPACES
from ui.charts.colours import NEUTRAL, TEXT_COLOUR, WITH
from ui.charts.framing import LETTERS, Chart, as_text, draw_chart, framed, kept
from ui.models.changes import changes_said
from ui.models.work import ModelWork
from ui.page.prose import say
from ui.page_texts import chart_texts, page_texts
from ui.text import Markdown, token_text

TEXTS, PLAIN = page_texts("models"), chart_texts("models")
MOST_SHOWN = 10
"""Tokens in the chart."""
_ONE_BAR, _TWO_BARS = 26, 46
"""Pixels of a token's row."""
_ONE_LABEL, _TWO_LABELS = 52, 112
"""Pixels at the end of the longest bar for its percentage, and for the word after it."""


def draw_prediction(work: ModelWork) -> None:
    """Draw the most probable tokens at the end of the prompt, or in place of a masked one."""
    assert work.before is not None
    assert work.checkpoint is not None
    before = work.before.prediction
    after = work.after.prediction if work.after else None
    if before is None:
        say(TEXTS("no_prediction", mask=work.checkpoint.hidden_token))
        return
    ids = leading_tokens(before, *([after] if after else []))[:MOST_SHOWN]
    texts = [_seen(work.checkpoint.tokeniser.readable(id)) for id in ids]
    say(_notice(work, before, after))
    draw_chart(
        prediction_figure(
            tuple(texts), _probabilities(before, ids), _probabilities(after, ids) if after else ()
        ),
        "model_prediction",
    )


def _notice(work: ModelWork, before: Prediction, after: Prediction | None) -> Markdown:
    """What is most probable, and what a change made of it."""
    assert work.checkpoint is not None
    was, is_causal = best_of(before), work.checkpoint.settings.is_causal
    told = {"token": _told(work, was), "causal": is_causal}
    if after is None:
        percent = whole_percent(float(before.probabilities[was]))
        return TEXTS("predicted", **told, percent=percent)
    now = best_of(after)
    return TEXTS(
        "predicted_after",
        **told,
        percent=_percent(before, was),
        changes=changes_said(work.changes),
        same=now == was,
        percent_after=_percent(after, was),
        now=_told(work, now),
        now_percent=_percent(after, now),
    )


def best_of(prediction: Prediction) -> int:
    """Return the number of the most probable token."""
    return int(prediction.probabilities.argmax())


def _told(work: ModelWork, id: int) -> Markdown:
    assert work.checkpoint is not None
    return Markdown(token_text(_seen(work.checkpoint.tokeniser.readable(id))))


def _seen(token: str) -> str:
    """A token with its white space seen."""
    return token.translate(VISIBLE_SPACES)


def _percent(prediction: Prediction, id: int) -> str:
    return tenth_percent(float(prediction.probabilities[id]))


def _probabilities(prediction: Prediction, ids: list[int]) -> tuple[float, ...]:
    return tuple(float(prediction.probabilities[id]) for id in ids)


@kept
def prediction_figure(
    tokens: Sequence[str], before: Sequence[float], after: Sequence[float]
) -> Chart:
    """Probabilities of tokens as bars from above; `after` is empty if nothing was changed."""
    names = [as_text(token) for token in tokens]
    percent = tenth_percent if after else whole_percent  # a change may be small
    rows: list[tuple[str, Sequence[float], str, str]] = [("", before, NEUTRAL, "")]
    if after:
        rows = [(PLAIN("bar_before"), before, NEUTRAL, "/"), (PLAIN("bar_after"), after, WITH, "")]
    bars = [
        go.Bar(
            x=list(values), y=list(range(len(names))), orientation="h", name=name,
            text=[_label(percent(value), name) for value in values], textposition="outside",
            textfont={"size": LETTERS, "color": TEXT_COLOUR}, constraintext="none",
            cliponaxis=False, hoverinfo="skip",
            marker={"color": colour, "pattern": {"shape": pattern, "solidity": 0.3, "size": 6}},
        )
        for name, values, colour, pattern in rows
    ]  # fmt: skip
    said = [
        {"token": token, "before": percent(b), "after": a}
        for token, b, a in zip(
            tokens, before, list(map(percent, after)) or [""] * len(tokens), strict=True
        )
    ]
    return framed(
        bars,
        PLAIN("prediction_chart", tokens=said),
        height=16 + (_TWO_BARS if after else _ONE_BAR) * len(names),
        margin={"l": 8, "r": _TWO_LABELS if after else _ONE_LABEL, "t": 8, "b": 8},
        bargap=0.25,
        xaxis={"visible": False, "range": [0, max([*before, *after])]},
        yaxis={
            "tickmode": "array", "tickvals": list(range(len(names))), "ticktext": names,
            "autorange": "reversed", "showgrid": False, "zeroline": False,
        },
    )  # fmt: skip


def _label(percent: str, name: str) -> str:
    said = PLAIN("percent", percent=percent)
    return f"{said} {name}" if name else said

"""What a model predicts, before and after a change."""

from core.models.head_words import tenth_percent, whole_percent
from core.models.transformer.prompt_run import Prediction, leading_tokens
from core.program.labels import VISIBLE_SPACES
from ui.charts.framing import draw_chart
from ui.models.changes import changes_said
from ui.models.charts import prediction_figure
from ui.models.work import ModelWork
from ui.page.prose import say
from ui.page_texts import page_texts
from ui.text import Markdown, token_text

TEXTS = page_texts("models")
MOST_SHOWN = 10
"""Tokens in the chart."""


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
            tuple(texts),
            _probabilities(before, ids),
            _probabilities(after, ids) if after else (),
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

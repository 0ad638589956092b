"""Asking a question: predict first, with a hint and further tries, then see how the answer is made.

A question and its seed stand in the link; what a person answered does not.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import streamlit as st

from core.errors import InputError
from core.limits import MAX_SEED
from core.path import PATH
from core.program import formulas as f
from core.program.numbers.arithmetic import ArithmeticLine
from core.program.numbers.rounding import typeset
from core.questions.answers import Choice
from core.questions.engine import Question, QuestionMaker, QuestionTable, parse_answer, tables_after
from core.questions.texts import formula_rows
from core.questions.tries import Reply, Tries, answer_said, is_settled, reply
from ui.classroom.questions.class_button import ASK_QUESTION, ask_class
from ui.components.component import component
from ui.lessons.shelf import LinkTarget
from ui.links.links import Key, Keys
from ui.links.question_link import LINK, question_of
from ui.links.session import PERSIST, link_said, save_link
from ui.page.path_navigation import answered
from ui.page.prose import typeset_symbols
from ui.page_texts import plain_ui_texts, ui_texts
from ui.server.fragments import fragment
from ui.text import Markdown, escape_markdown, markdown_table, question_markdown

TEXTS, PLAIN = ui_texts("asking"), plain_ui_texts("asking")
NO_QUESTION = ""
KEYS: Keys = {LINK: Key(NO_QUESTION, lambda key, text: text)}
"""The link's own key for what is asked on its page; until a question is touched there is none."""
_scroll = component(Path(__file__).with_name("question_of_link.js"), "question_of_the_link")
"""In the browser: the view follows the question while parts of the page above it come."""


@fragment
def ask_each(chapter: str) -> None:
    """Draw a chapter's questions by their titles, and the one that is chosen.

    The others are not drawn: what stands on a page weighs on each of its changes.
    """
    state, page, makers = st.session_state, PATH[chapter].key, PATH[chapter].questions
    linked = _open_link(makers, page)
    with st.container(key=f"asked_{page}"):
        if linked:
            with st.container(key=f"to_question_{page}"):
                _scroll(key=f"{page}_to_question")
        if fault := state.get(f"{page}_question_fault"):
            st.warning(escape_markdown(fault))
        state.setdefault(f"{page}_questions", next(iter(makers)))
        st.header(TEXTS("heading"), anchor=False)
        st.pills(
            TEXTS("questions"), list(makers), required=True, key=f"{page}_questions",
            on_change=_touch, args=(page,), format_func=typeset_symbols,
            label_visibility="collapsed", **PERSIST,
        )  # fmt: skip
        maker = makers[state[f"{page}_questions"]]
        _ask(maker, page)
        asked = maker(_seed(page, maker)).id
        ask_class(LinkTarget(chapter, {LINK: asked}).link, page, ASK_QUESTION)
    touched = state.get(f"{page}_question_touched")
    save_link(KEYS, question=asked if touched else NO_QUESTION)


def _open_link(makers: Mapping[str, QuestionMaker], page: str) -> bool:
    """In a visitor's first run of a page: take the question that the link names, if any.

    Returns whether it named something, sense or not.
    """
    state = st.session_state
    opened = f"{page}_question_opened"
    if opened not in state:
        text = link_said().get(LINK, "")
        state[f"{page}_question_fault"] = ""
        if text:
            try:
                title, seed = question_of(makers)(LINK, text)
                state[f"{page}_questions"] = title
                state[f"{page}_question_touched"] = True
                state[_seed_key(page, makers[title])] = seed
            except InputError as error:
                state[f"{page}_question_fault"] = PLAIN("first_instead", error=str(error))
        state[opened] = bool(text)
    return bool(state[opened])


def _ask(maker: QuestionMaker, page: str) -> None:
    """One question, fresh numbers at a press; the seed that made them is shown."""
    seed = _seed(page, maker)
    question = maker(seed)
    known = (
        _is_known_fact(page, maker) and tries_of(page, question) == Tries()
    )  # a fact is asked once
    name = f"{page}_{maker.name}"

    def another(over: bool) -> None:
        if over or not question.fact:
            st.button(
                TEXTS("new_numbers"),
                key=f"{name}_next",
                on_click=_draw_new_numbers,
                args=(maker, page),
            )

    with st.container(border=True, key=f"question_{name}"):
        if ask(question, page, another, known=known):
            answered(name, maker.name)
        st.caption(TEXTS("seed", seed=seed, key=LINK, name=Markdown(question.id)))


def ask(
    question: Question, page: str, more: Callable[[bool], None], *, known: bool = False
) -> bool:
    """One question: what is asked, a field for the answer, and what is said to it.

    `more` draws what can be asked for beside the hint and the answer; it is told whether the
    question is settled. `known`: a fact that was asked before. Returns whether it is found.
    """
    tries = tries_of(page, question)
    over = known or is_settled(question, tries)
    show_prompt(question)
    if not over:
        _form(question, page)
    if tries.hinted and not over:
        st.info(TEXTS("hint", hint=question_markdown(question.hint)))
    text = reply(question, tries)
    if fault := st.session_state.get(_refused_key(page, question)):
        st.error(escape_markdown(fault))
    elif text:
        _reply(question, text, over)
    found = text is not None and text.right
    if known:
        st.markdown(f"{_fact(question)}\n\n{_seen(question)}")
    elif over:
        show_answer(question, found)
    with st.container(horizontal=True):
        if not over:
            _help(question, page, tries.hinted)
        more(over)
    return found


def show_prompt(question: Question) -> None:
    """What is asked, with its tables."""
    st.markdown("\n\n".join([question_markdown(question.prompt), *question_tables(question)]))


def question_tables(question: Question) -> list[str]:
    """Return the tables of what is asked, as Markdown."""
    return [_table(table) for table in question.tables]


def _form(question: Question, page: str) -> None:
    """Where a person answers; Enter or the button gives the answer."""
    field = _field_key(page, question)
    choice = isinstance(question.kind, Choice)
    with (
        st.form(f"{field}_form", border=False),
        st.container(horizontal=not choice, vertical_alignment="bottom"),
    ):
        if isinstance(question.kind, Choice):
            st.radio(
                TEXTS("your_prediction"),
                question.kind.options,
                index=None,
                horizontal=True,
                key=field,
                format_func=question_markdown,
                **PERSIST,
            )
        else:
            st.text_input(TEXTS("your_prediction"), key=field, width=260, **PERSIST)
        st.form_submit_button(
            TEXTS("check"),
            key=f"{field}_check",
            type="primary",
            on_click=_given,
            args=(question, page),
        )


def _help(question: Question, page: str, hinted: bool) -> None:
    """A hint and the answer, to be asked for."""
    key = f"{page}_{question.id.partition('.')[0]}"
    for what in ("shown",) if hinted else ("hinted", "shown"):
        label = TEXTS("ask_shown" if what == "shown" else "ask_hinted")
        st.button(
            label,
            key=f"{key}_{what}",
            type="tertiary",
            on_click=_ask_for,
            args=(question, page, what),
        )


def _reply(question: Question, reply: Reply, over: bool) -> None:
    if reply.right:
        st.success(f"{question_markdown(reply.said)} {question_markdown(answer_said(question))}")
        return
    st.warning(question_markdown(f"{reply.said} {reply.why}".strip()))
    if reply.working and not over:
        st.markdown(f"{TEXTS('unfinished')}\n\n{worked_markdown(reply.working, solved=False)}")


def show_answer(question: Question, found: bool) -> None:
    """The answer, unless it was said already; how it is made and where it is seen."""
    if not found:
        st.info(question_markdown(answer_said(question)))
    text = [_fact(question)] if question.fact else []
    if question.working:
        text.append(worked_markdown(question.working))
    if isinstance(question.kind, Choice):
        text.append("\n".join(_why_not(question)))
    st.markdown("\n\n".join(filter(None, [*text, _seen(question)])))


def _fact(question: Question) -> str:
    return TEXTS("fact", fact=question_markdown(question.fact))


def _seen(question: Question) -> str:
    """The explanation, and where in these numbers it is seen."""
    return "\n\n".join(
        [question_markdown(question.explanation), *map(_table, tables_after(question))]
    )


def _why_not(question: Question) -> Iterator[str]:
    """Of a choice, why it is none of the others."""
    for wrong in (one for one in question.wrong if one.hint):
        option = question_markdown(question.kind.text(wrong.value))
        yield TEXTS("why_not", option=option, hint=question_markdown(wrong.hint))


def worked_markdown(lines: tuple[ArithmeticLine, ...], solved: bool = True) -> str:
    """Return lines of arithmetic as a block of Markdown."""
    block = r" \\ ".join(f"&{f.latex(row)}" for row in formula_rows(lines, solved))
    return f"$$\n\\begin{{aligned}}{block}\\end{{aligned}}\n$$"


def _table(table: QuestionTable) -> str:
    lines = [
        [name, *(_cell(table, (i, j)) for j in range(len(table.columns)))]
        for i, name in enumerate(table.rows)
    ]
    body = markdown_table([table.corner, *table.columns], lines, _told_cell)
    return f"{question_markdown(table.title)}:\n\n{body}"


def _cell(table: QuestionTable, at: tuple[int, int]) -> str:
    text = typeset(table.cells[at[0]][at[1]])
    return f"**{text}**" if at == table.marked else text


def _told_cell(text: str) -> str:
    """A text of a table; what is marked is bold."""
    marked = text.startswith("**")
    return f"**{question_markdown(text[2:-2])}**" if marked else question_markdown(text)


# What a person did, in the session


def _touch(page: str) -> None:
    """From now on the question is in the link, and what was wrong with the old one is not said."""
    st.session_state[f"{page}_question_touched"] = True
    st.session_state[f"{page}_question_fault"] = ""


def _given(question: Question, page: str) -> None:
    """An answer: a try, or a message why it is none."""
    _touch(page)
    state = st.session_state
    refused = _refused_key(page, question)
    state[refused] = ""
    chosen = state[_field_key(page, question)]
    if chosen is None:
        state[refused] = PLAIN("nothing_chosen")
        return
    try:
        given = parse_answer(question, chosen)
    except InputError as error:
        state[refused] = PLAIN("refused", error=str(error))
    else:
        _keep(page, question, tries_of(page, question).with_answer(given))


def _ask_for(question: Question, page: str, what: str) -> None:
    """The hint or the answer, asked for."""
    _touch(page)
    st.session_state[_refused_key(page, question)] = ""
    tries = tries_of(page, question)
    asked = replace(tries, shown=True) if what == "shown" else replace(tries, hinted=True)
    _keep(page, question, asked)


def _draw_new_numbers(maker: QuestionMaker, page: str) -> None:
    """Other numbers, not answered yet."""
    _touch(page)
    seed = (_seed(page, maker) + 1) % (MAX_SEED + 1)
    st.session_state[_seed_key(page, maker)] = seed


def _keep(page: str, question: Question, tries: Tries) -> None:
    state = st.session_state
    state[f"{page}_tries"] = {**state.get(f"{page}_tries", {}), question.id: tries}
    if question.fact and is_settled(question, tries):
        known = state.get(f"{page}_facts", frozenset())
        state[f"{page}_facts"] = known | {question.id.partition(".")[0]}


def tries_of(page: str, question: Question) -> Tries:
    """What a person has done with a question of a page."""
    tries: Tries = st.session_state.get(f"{page}_tries", {}).get(question.id, Tries())
    return tries


def _is_known_fact(page: str, maker: QuestionMaker) -> bool:
    """Whether the question is a fact that has been asked."""
    return maker.name in st.session_state.get(f"{page}_facts", ())


def _seed(page: str, maker: QuestionMaker) -> int:
    seed: int = st.session_state.get(_seed_key(page, maker), 0)
    return seed


def _seed_key(page: str, maker: QuestionMaker) -> str:
    return f"{page}_{maker.name}_seed"


def _field_key(page: str, question: Question) -> str:
    return f"{page}_{question.id}"


def _refused_key(page: str, question: Question) -> str:
    return f"{page}_{question.id}_refused"

"""The tasks of a lesson's sheet solved as a pupil solves them: from what is printed with each."""

import re
from dataclasses import dataclass
from fractions import Fraction
from xml.etree.ElementTree import Element

from tests.stage.questions_solved import printed
from tests.stage.solving import Number, Pupil, Table, read, root


@dataclass
class Task:
    """A task as it is printed: its number, all of its words, its tables, and what may be ticked."""

    number: int
    text: str
    tables: list[Table]
    heads: list[str]
    """Of each table its head, "" if there are not several."""
    rows: list[list[str]]
    """Of each table the labels of its rows, and then of its columns."""
    columns: list[list[str]]
    options: list[str]

    @property
    def asked(self) -> tuple[str, str, str, str]:
        """The array, head and labels of the cell that is asked for; of a mask query and key."""
        cell = r"What is (\w+)\[(.*?), ([^\]]+)\](?: of (?:key/value )?(head \d+))?\?"
        if found := re.search(cell, self.text):
            return found[1], found[4] or "", found[2], found[3]
        found = re.search(r"May the query (\S+) read the key (\S+)\?", self.text)
        assert found, f"{self.text} asks for no cell"
        return "mask", "", found[1], found[2]

    @property
    def needed(self) -> set[int]:
        """The other tasks whose answers its tables name."""
        cells = (text for table in self.tables for row in table.cells for text, _ in row)
        return {int(number) for text in cells for number in re.findall(r"task (\d+)", text)}

    def printed(self, array: str, head: str, row: str, column: str) -> list[str]:
        """What its tables have in the place of a cell, of any head if none is named."""
        labels = zip(self.tables, self.heads, self.rows, self.columns, strict=True)
        return [
            table.cells[rows.index(row)][columns.index(column)][0]
            for table, of, rows, columns in labels
            if table.name == array and head in ("", of) and row in rows and column in columns
        ]


def tasks_of(page: str) -> list[Task]:
    return [_task(section) for section in printed.sections(page)]


def _task(section: Element) -> Task:
    number, heading = _heading(section)
    asked = printed.question_of(section)
    tables, heads = list[Table](), list[str]()
    for table in asked.tables:
        name, _, head = table.title.partition(", ")
        cells = [[(text, "") for text in row] for row in table.cells]
        tables.append(Table(name, f"{len(cells)} × {len(cells[0])}", cells))
        heads.append(head)
    rows, columns = [t.rows for t in asked.tables], [t.columns for t in asked.tables]
    return Task(number, f"{heading} {asked.text}", tables, heads, rows, columns, asked.options)


def _heading(section: Element) -> tuple[int, str]:
    """The number of a task, and what stands behind it."""
    (heading,) = section.findall("h2")
    number, _, words = printed.said(heading).partition(". ")
    return int(number), words


class TaskPupil(Pupil):
    """Who works out one task, with the own answers to others."""

    def __init__(self, task: Task, answers: dict[int, str]) -> None:
        self.task, self.answers = task, answers
        self.said, self.decimals, self.tables = task.text, 2, task.tables
        self.known = [[[self._read(c) for c, _ in row] for row in t.cells] for t in task.tables]

    def answer(self) -> str:
        """The answer: an option, a fraction if that is asked for, or a number of two decimals."""
        array, _, row, column = self.task.asked
        if array == "mask":
            return self._visible(row, column)
        if "as a fraction" in self.said:
            return str(self._of_logarithms())
        formula = re.search(rf"{array} = (.*?)[.,](?: |$)", self.said.partition("What is")[2])
        assert formula, self.said
        spelled = formula[1].replace("^⊤", "ᵀ").replace("/", " / ")
        spelled = re.sub(r"(?<=[A-Z])(?=[A-Z])", " ", spelled)  # QKᵀ: a product
        i = self.task.rows[0].index(row)
        across = self.task.rows if "ᵀ" in spelled else self.task.columns
        table = Table(f"{array} = {spelled}", "1 × 1", [[("", "")]])
        return self._rounded(self._made(table)(i, across[-1].index(column)))

    def _read(self, text: str) -> Number:
        """A number, an own answer, or the one of two numbers that an own answer leaves."""
        if found := re.fullmatch(r"(.+) or (.+) \(task (\d+)\)", text):
            return self._read(found[1 if self._is_yes(int(found[3])) else 2])
        if found := re.fullmatch(r"task (\d+)", text):
            answer = self.answers[int(found[1])]
            is_number = re.fullmatch(r"−?\d+([./]\d+)?", answer)
            text = answer if is_number else str(int(self._is_yes(int(found[1]))))
        return Fraction(text.replace("−", "-")) if "/" in text else read(text)

    def _is_yes(self, number: int) -> bool:
        """Whether an own answer says that a key is visible."""
        answer = self.answers[number]
        assert answer.startswith(("yes, it is visible", "no, the mask hides it")), answer
        return answer.startswith("yes")

    def _visible(self, query: str, key: str) -> str:
        tokens = self.task.rows[0]
        is_later = tokens.index(key) > tokens.index(query)
        assert ("hides later tokens" in self.said) != ("No key is hidden" in self.said)
        hidden = is_later and "hides later tokens" in self.said
        return next(one for one in self.task.options if one.startswith("no") == hidden)

    def _of_logarithms(self) -> Fraction:
        """The weight of the last score, if the scores are said to be ln 1, ln 2, …"""
        heading = re.findall(r"ln (\d+)", self.said.partition("?")[0])
        return Fraction(int(heading[-1]), sum(map(int, heading)))

    def _root(self, number: int) -> Fraction:
        said = re.search(rf"√{number} is about (\d+\.\d+)", self.said)
        return Fraction(said[1]) if said else root(number)

    def _is_said(self, rule: str) -> None:
        """A lesson says its rules in words of its own."""


def answers_of(tasks: list[Task]) -> dict[int, str]:
    """Each task's answer by its number; one that takes another's answer waits for it."""
    found: dict[int, str] = {}
    left = list(tasks)
    while left:
        ready = [task for task in left if task.needed <= {*found}]
        assert ready, "tasks wait for each other"
        found |= {task.number: TaskPupil(task, dict(found)).answer() for task in ready}
        left = [task for task in left if task not in ready]
    return found


def told_by(key: str) -> dict[int, tuple[str, str]]:
    """The answers of a key by their numbers, as a fraction (or "") and as they are otherwise."""
    told = {}
    for section in printed.sections(key):
        exact, _, said = printed.told_by(section).replace("≈", "=").rpartition(" = ")
        told[_heading(section)[0]] = exact if "/" in exact else "", said
    return told


def check_sheet(sheet: str, key: str) -> list[Task]:
    """Every task is solved from its own text, and the key says the same."""
    tasks, told = tasks_of(sheet), told_by(key)
    assert [task.number for task in tasks] == [*told]
    for number, answer in answers_of(tasks).items():
        fraction, said = told[number]
        if "/" in answer:
            assert answer == fraction, (number, answer, fraction)
        else:
            assert answer in (said, f"{said}.00"), (number, answer, said)
    return tasks

"""The questions on the block: a layer norm by hand, a unit, a residual, which rows move."""

from collections.abc import Mapping
from types import MappingProxyType

from core.attention.block import POST, PRE, Kind
from core.attention.language_model import likeliest
from core.chapters.block.moved import moved_rows
from core.chapters.block.tiny_model import WEIGHTS, copied, model_family
from core.draws import Draw
from core.program.arithmetic import Call, Difference, Product, Quotient, Sum, line
from core.program.rounding import CELL_DECIMALS
from core.questions.answers import Choice, Number
from core.questions.engine import Question, QuestionMaker, WrongAnswer, question_maker
from core.questions.texts import equation, exact, number, whole

OWN, SEEING, ALL = "Its own row alone", "Its own row and the later ones", "Every row"


OF_MEAN_0 = (((5, -1, -1, -3), 3), ((7, 1, -1, -7), 5), ((3, 1, 1, -5), 3))
"""Rows of mean 0 whose variance has a whole root, with that root."""


@question_maker("norm-entry")
def norm_entry_question(draw: Draw) -> Question | None:
    """An entry of a layer norm: (x − mean) / √variance."""
    (centred, root), mean = draw.one_of(OF_MEAN_0), draw.whole(-3, 6)
    left = draw.some_of(centred, 4)
    row, at = [mean + x for x in left], draw.whole(0, 3)
    answer = left[at] / root
    squares = " + ".join(str(x * x) for x in left)
    printed = ", ".join(exact(float(x)) for x in row)
    return Question(
        id="",
        prompt=(
            f"A layer norm (gain 1, bias 0, nothing added to the variance) gets the row {printed}. "
            f"What does it make of number {at + 1} of the row, {exact(float(row[at]))}?"
        ),
        kind=Number(0.006),
        answer=answer,
        wrong=(
            WrongAnswer(
                "you left the spread in", float(left[at]),
                "The mean is off. Now divide by the root of the variance.",
            ),
            WrongAnswer(
                "you divided by the variance", answer / root,
                "The variance is in squares. By its root the row comes to variance 1.",
            ),
            WrongAnswer(
                "you left the mean in", row[at] / root,
                "First each number loses the mean of the row.",
            ),
        ),
        hint="The mean first; then the mean of the squares of what is left.",
        explanation=(
            f"The mean is {exact(mean)}. The squares of what is left add up to ${squares} = "
            f"{4 * root**2}$, so the variance is {root**2} and its root {root}."
        ),
        working=(
            line(Difference(*whole(row[at], mean)), CELL_DECIMALS),
            line(Quotient(*whole(left[at], root)), CELL_DECIMALS, trim=False),
        ),
        would_mean=lambda given: (
            f"That would be a number {equation(Product((number(given), *whole(root))))} away from "
            "the mean."
        ),
    )  # fmt: skip


@question_maker("unit-says")
def unit_question(draw: Draw) -> Question | None:
    """What does a unit say? ReLU of a row times its column of W_up."""
    row = [draw.whole(-3, 4) for _ in range(3)]
    column = [draw.whole(-3, 4) for _ in range(3)]
    terms = [a * b for a, b in zip(row, column, strict=True)]
    met = sum(terms)
    positive = sum(max(0, term) for term in terms)
    answer = max(0, met)
    wrong = {"each": positive, "sign": met, "size": abs(met)}
    if not met or len({*wrong.values(), answer} - {answer}) < (1 if met > 0 else 2):
        return None
    found = [
        WrongAnswer("you stopped each negative product by itself", positive,
                    "The unit gets one number, the sum of all products. ReLU acts on that."),
    ]  # fmt: skip
    if met < 0:
        found += [
            WrongAnswer("you left ReLU out", met, "ReLU lets no negative number pass."),
            WrongAnswer("you took off the sign", -met,
                        "ReLU stops a negative number; it does not turn it around."),
        ]  # fmt: skip
    else:
        found.append(WrongAnswer("you let ReLU stop it", 0, "It stops what is below 0 alone."))
    mistakes = tuple({mistake.value: mistake for mistake in reversed(found)}.values())
    if any(mistake.value == answer for mistake in mistakes):
        return None
    told = next(term for term in terms if term != answer)  # naming the answer would give it away
    return Question(
        id="",
        prompt=(
            f"A token's row is {_written(row)}. A unit's column of $W_{{\\text{{up}}}}$ is "
            f"{_written(column)}, and the unit is ReLU. What does it say?"
        ),
        kind=Number(0.3, decimals=0),
        answer=answer,
        wrong=mistakes,
        hint="First the dot product of row and column; then what ReLU makes of it.",
        explanation=(
            f"The dot product is {exact(met)}, "
            + ("which passes." if met > 0 else "which is below 0: the unit says 0.")
        ),
        working=(
            line(Sum(tuple(Product(whole(a, b)) for a, b in zip(row, column, strict=True))), 0),
            line(Call("max", whole(0, met)), 0),
        ),
        would_mean=lambda given: (
            "ReLU says no negative number."
            if given < 0
            else "Then the two other products would add up to "
            f"{equation(Difference(number(given), *whole(told)))}."
        ),
    )  # fmt: skip


@question_maker("rows-moved")
def rows_moved_question(draw: Draw) -> Question | None:
    """Which rows does a part move, where one row of what comes in is another? (K10)"""
    words = draw.some_of(("cat", "owl", "river", "bank", "train", "fox"), 4)
    at, mask = draw.whole(1, 2), draw.one_of(("causal", "none"))
    kind = Kind(draw.one_of((POST, PRE)), "relu", mask)
    parts = moved_rows(kind, " ".join(words), at)
    part = draw.one_of([each for each in parts if each.name != "Sum"])
    patterns = {
        OWN: [n == at for n in range(4)], SEEING: [n >= at for n in range(4)], ALL: [True] * 4,
    }  # fmt: skip
    answer = next(name for name, rows in patterns.items() if rows == list(part.alone))
    under = "with a causal mask" if mask == "causal" else "without a mask"
    mixes = part.name == "Attention"
    reasons = {
        OWN: "Attention lets every token read that sees it, so others move as well.",
        SEEING: (
            "Without a mask, the tokens before it see it too." if mixes
            else "In which part do tokens read from each other? Not in this one."
        ),
        ALL: (
            "A token before it does not see it under a causal mask." if mixes
            else "In which part do tokens read from each other? Not in this one."
        ),
    }  # fmt: skip
    return Question(
        id="",
        prompt=(
            f"“{' '.join(words)}” goes through a transformer block {under}. What comes into the "
            f"{part.name.lower()} is changed in the row of *{words[at]}* alone. Which rows of what "
            "this part makes are others?"
        ),
        kind=Choice((OWN, SEEING, ALL)),
        answer=answer,
        wrong=tuple(
            WrongAnswer("you looked at another part, or another mask", name, reasons[name])
            for name in patterns
            if name != answer
        ),
        hint="Does this part look at one row at a time, or does it mix rows?",
        explanation=(
            f"Attention mixes rows: all tokens that see *{words[at]}* read from it."
            if mixes
            else f"The {part.name.lower()} works on each row by itself, so one row that is another "
            "makes one row that is another."
        ),
    )  # fmt: skip


@question_maker("layers-deep")
def layers_deep_question(draw: Draw) -> Question | None:
    """A number through n layers with a residual: x (1 + a)ⁿ."""
    tenths, layers, start = draw.one_of((5, 10, 20, -5)), draw.whole(2, 3), draw.one_of((2, 4, 8))
    a = tenths / 10
    answer, dropped, once = start * (1 + a) ** layers, start * a**layers, start * (1 + a * layers)
    if len({round(x, 6) for x in (answer, dropped, once, start * (1 + a))}) < 4:
        return None
    factor = number(1 + a)
    return Question(
        id="",
        prompt=(
            f"A feature is {exact(start)}. Each layer multiplies it by {exact(a)} and adds what "
            f"came in. What is it after {layers} layers?"
        ),
        kind=Number(0.006),
        answer=answer,
        wrong=(
            WrongAnswer("you dropped what came in", dropped,
                        "A residual connection adds what came into each layer."),
            WrongAnswer("you let each layer add to the first number", once,
                        "Each layer gets what the one before has made."),
            WrongAnswer("you stopped after one layer", start * (1 + a),
                        f"There are {layers} layers."),
        ),
        hint="By what does one layer multiply it, all in all?",
        explanation=(
            f"One layer makes {exact(1 + a)} times of it: itself, and {exact(a)} times itself."
        ),
        working=(line(Product((*whole(start), *[factor] * layers)), CELL_DECIMALS, trim=False),),
        would_mean=lambda given: (
            f"That is {equation(Quotient(number(given), *whole(start)))} times the number that "
            "came in."
        ),
    )  # fmt: skip


@question_maker("copied-next")
def copied_next_question(draw: Draw) -> Question | None:
    """What does the model write whose weights were set by hand? The word after the last time."""
    words = draw.some_of(("cat", "owl", "river", "fox", "train"), 4)
    told, first, second, more = words
    prompt = [told, first, *([more] if draw.whole(0, 1) else []), told, second, more, told]
    trace = model_family(" ".join(prompt), {}).run(**{WEIGHTS.key: "hand"})
    answer = likeliest(trace)
    reasons = {
        first: ("you took the first time", f"*{told}* stood twice before: the last time counts."),
        told: ("you let it write the word itself", "It looks for what came after that word."),
        more: ("you took another word", f"Find where *{told}* stood before, and read on by one."),
        second: ("you took the last time", "Look again at what the model copies."),
    }  # fmt: skip
    return Question(
        id="",
        prompt=(
            "The tiny model with the weights set by hand reads "
            f"“{' '.join(prompt)}”. Which word does it write next?"
        ),
        kind=Choice(tuple(sorted(words))),
        answer=answer,
        wrong=tuple(WrongAnswer(reasons[w][0], w, reasons[w][1]) for w in words if w != answer),
        hint="What came after this word when it stood before, the last time?",
        explanation=(
            f"Before *{told}* at the end, it stood last before *{copied(prompt)}*. In layer 1 that "
            f"word has read the one before it, so in layer 2 *{told}* finds it, and copies it."
        ),
    )  # fmt: skip


BLOCK_QUESTIONS: Mapping[str, QuestionMaker] = MappingProxyType({
    "Layer norm": norm_entry_question,
    "A unit": unit_question,
    "Which rows move": rows_moved_question,
    "Many layers": layers_deep_question,
    "The next word": copied_next_question,
})  # fmt: skip


def _written(numbers: list[int]) -> str:
    return "(" + ", ".join(exact(x) for x in numbers) + ")"

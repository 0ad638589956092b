"""A training as a script that runs by itself, with numpy and PyTorch alone.

It is made of the product's own functions, without annotations and docstrings: so it draws the same
examples, and on the same machine with the same versions it prints the same losses.
"""

import ast
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

from core.attention.layers.language_model import FINAL
from core.attention.layers.row_norms import EPSILON
from core.models.trained import tasks
from core.models.trained.own_training import usable_text
from core.models.trained.tasks import AGREEMENT, LETTERS, PERIOD, REPEATS
from core.models.trained.training_file import TrainedModel
from core.program.code.script import Block, as_notebook
from core.pytorch import training
from core.texts import core_texts

TEXTS = core_texts("trained")
_OUTLINE = Path(__file__).with_name("training_script.txt")
_MODEL: tuple[Callable[..., Any] | type, ...] = (
    training.TrainingSettings, training.Examples, training.Task, training.Moment,
    training.predictions, training._loss, training._begun, training.train_model,
)  # fmt: skip
_DRAWS: dict[str, tuple[tuple[Callable[..., Any], ...], tuple[str, ...]]] = {
    LETTERS: ((tasks.letters_task,), ("LETTERS", "CONTEXT", "HELD_OUT")),
    REPEATS: ((tasks._draw_repeats,), ("SYMBOLS", "SHORTEST", "LONGEST", "PLACES")),
    PERIOD: ((tasks._draw_period,), ("SYMBOLS", "PLACES", "FIXED_PERIOD")),
    AGREEMENT: (
        (tasks.unseen_pairs, tasks._draw_agreement),
        ("NOUNS", "ADJECTIVES", "PREPOSITIONS", "VERBS", "ADJECTIVES_THERE", "AGREEMENT_WORDS"),
    ),
}
"""What draws a task's examples, and the constants that it reads."""
_LAST_PART = "\n\n\ntask ="
_NUMBERS = ("BATCH", "WARM_UP", "LONGEST_GRADIENT")


@lru_cache(maxsize=8)
def training_script(model: TrainedModel, text: str = "") -> str:
    """Return a script that does a training again; `text` is that of letters, if it is not ours."""
    task, (draws, names) = model.task, _DRAWS[model.task.name]
    constants = {name: getattr(tasks, name) for name in names}
    constants |= {name: getattr(training, name) for name in _NUMBERS}
    constants |= {"EPSILON": EPSILON, "FINAL": FINAL}
    if task.name == LETTERS:
        own = usable_text(text) if text.strip() else tasks.shipped_text()
        made = f"letters_task({own!r}, {''.join(task.shown)!r})"
    else:
        given = (task.name, task.words, task.context)
        said = ", ".join(map(repr, given))
        made = f"Task({said}, {draws[-1].__name__}, {task.shown!r}, {task.rate!r})"
    parts = {
        "constants": "\n".join(f"{name} = {value!r}" for name, value in constants.items()),
        "functions": "\n\n\n".join(_bare(one) for one in (*_MODEL, tasks._shifted, *draws)),
        "task": made,
        "settings": ", ".join(f"{n}={value!r}" for n, value in asdict(model.settings).items()),
    }
    script = _OUTLINE.read_text(encoding="utf-8")
    for name, part in parts.items():
        script = script.replace(f"<{name}>", part)
    return script


def training_notebook(model: TrainedModel, text: str = "") -> str:
    """Return the same as a notebook: what is made, and the training."""
    made, _, done = training_script(model, text).partition(_LAST_PART)
    about, code = made.removeprefix('"""').split('"""', 1)
    last = _LAST_PART.strip() + done.rstrip()
    blocks = [Block("", "", code.strip(), folded=True), Block("", "", last)]
    return as_notebook(TEXTS("notebook"), about, blocks)


def _bare(made: Callable[..., Any] | type) -> str:
    """A function or a class as source without annotations, docstrings and its own imports."""
    source = inspect.unwrap(made) if callable(made) else made
    tree = ast.parse(textwrap.dedent(inspect.getsource(source)))
    return ast.unparse(ast.fix_missing_locations(_Bare().visit(tree)))


class _Bare(ast.NodeTransformer):
    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        node.returns = None
        for argument in (*node.args.args, *node.args.kwonlyargs):
            argument.annotation = None
        node.body = _without_words(node.body)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        self.generic_visit(node)
        node.body = _without_words(node.body)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """A field keeps an annotation, because a dataclass has it by that; of any type."""
        node.annotation = ast.Name("object")
        return node


def _without_words(body: list[ast.stmt]) -> list[ast.stmt]:
    return [
        line
        for line in body
        if not isinstance(line, ast.Import | ast.ImportFrom)
        and not (isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant))
    ]

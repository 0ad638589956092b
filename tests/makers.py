"""Every maker of questions, however chapters are added: found in the chapters' own modules."""

import importlib
import pkgutil

import core.chapters
from core.questions.engine import QuestionMaker


def every_maker() -> dict[str, QuestionMaker]:
    """By name, in the order of the chapters' folders."""
    modules = pkgutil.walk_packages(core.chapters.__path__, f"{core.chapters.__name__}.")
    found = [
        made
        for module in modules
        for made in vars(importlib.import_module(module.name)).values()
        if isinstance(made, QuestionMaker)
    ]
    return {maker.name: maker for maker in found}

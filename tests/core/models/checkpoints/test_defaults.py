"""What a config.json leaves out is what the library itself takes it to be."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
import transformers

from core.errors import InputError
from core.models.checkpoints.model_settings import settings_of_config
from core.models.transformer.settings import ModelSettings
from tests.core.models.tiny_models import MODELS

KINDS = [name for name in MODELS if "," not in name]
WIDE = {"hidden_size": 192, "num_attention_heads": 32}
"""So many heads that the library's own number of key heads fits."""


def by_library(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Every setting of a model, of which some are given, written out by the library."""
    made: dict[str, Any] = getattr(transformers, MODELS[name][1])(**given).to_dict()
    return made


def is_needed(key: str, settings: Mapping[str, Any]) -> bool:
    try:
        settings_of_config({name: value for name, value in settings.items() if name != key})
    except InputError:
        return True
    return False


def same(one: ModelSettings, other: ModelSettings) -> None:
    for field, mine in vars(one).items():
        theirs = getattr(other, field)
        if field == "rope" and mine:
            np.testing.assert_allclose(mine.frequencies, theirs.frequencies, rtol=1e-12)
            assert mine.halves == theirs.halves
        else:
            assert mine == theirs, field


@pytest.mark.parametrize("name", KINDS)
def test_every_setting_that_may_be_left_out_is_then_the_librarys(name: str) -> None:
    settings = dict(MODELS[name][2])
    settings |= WIDE if "hidden_size" in settings and "rope_parameters" in settings else {}
    stated = settings | {"model_type": by_library(name, settings)["model_type"]}
    short = {key: value for key, value in stated.items() if is_needed(key, stated)}
    given = {key: value for key, value in short.items() if key != "model_type"}
    same(settings_of_config(short), settings_of_config(by_library(name, given)))

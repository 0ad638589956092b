"""What is captured: prompts, the model that reads each, and the heads that are kept of the run.

Each head is the first of all layers and heads of its run by its score, as `core.models.head_search`
finds it. So its score there says little of other texts: two further texts, chosen before any weight
of them was seen, are read too. Layers and heads count from 0.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from core.models.checkpoints.opening import MINILM, SMOLLM2, ModelPackage

Pairs = tuple[tuple[str, str], ...]
"""Words that read and the word that each goes with, as the tokeniser has them."""
Further = tuple[str, Pairs]
"""A text that a kept head reads too, and its pairs."""


@dataclass(frozen=True)
class Chosen:
    """A head that is kept, the score it is kept for, and pairs of words for `linked_words`."""

    name: str
    layer: int
    head: int
    score: str
    further: tuple[Further, ...]
    pairs: Pairs = ()


@dataclass(frozen=True)
class Prompt:
    """A text for a model, and the heads of the run that are kept."""

    model: ModelPackage
    text: str
    heads: tuple[Chosen, ...]


WORDS = "red lamp green chair moon fish river tree"
LOVE = "I love tea, you love bread, and we all love the cat."
KEYS = "The keys to the old wooden cabinet are on the kitchen table."
LONG = (
    "The ship left the harbour before sunrise. Its captain, a quiet woman from the north, had "
    "sailed this route often, and she knew every rock on the way. In the afternoon the wind "
    "turned, the sea grew rough, and the crew took in the sails. When the storm was over, the "
    "captain counted them."
)
PLAIN: tuple[Further, ...] = (
    ("The weather was fine, so we walked along the beach until the evening.", ()),
    ("My brother plays the piano, but he has never learned to read notes.", ()),
)
REPEATING: tuple[Further, ...] = (
    ("She bought a new car, but the new car was too small, so she sold the new car.", ()),
    ("She likes to read, he likes to cook, and they both like to sleep.", ()),
)
PRONOUNS: tuple[Further, ...] = (
    (
        "The queen told the king that she was leaving and he was staying.",
        (("Ġshe", "Ġqueen"), ("Ġhe", "Ġking")),
    ),
    ("When Anna called Tom, she was late and he was angry.", (("Ġshe", "ĠAnna"), ("Ġhe", "ĠTom"))),
)
GIVING: tuple[Further, ...] = (
    ("When Tom and Anna went to the park, Anna gave a ball to", (("Ġto", "ĠTom"),)),
    ("After Peter and Lucy came to the office, Peter sent a letter to", (("Ġto", "ĠLucy"),)),
)
SUBJECTS: tuple[Further, ...] = (
    ("The books on the shelf in the hall are very old.", (("are", "books"),)),
    ("The dogs of the man next door are loud at night.", (("are", "dogs"),)),
)

PROMPTS: Mapping[str, Prompt] = {
    "smollm2-keys": Prompt(
        SMOLLM2,
        KEYS,
        (
            Chosen("smollm2-previous-token", 16, 0, "previous_token", PLAIN),
            Chosen("smollm2-even", 0, 1, "evenness", PLAIN),
        ),
    ),
    "smollm2-list": Prompt(
        SMOLLM2,
        "To buy:\n- milk\n- eggs\n- bread\n- apples\n- salt\n",
        (Chosen("smollm2-own-token", 11, 6, "own_token", PLAIN),),
    ),
    "smollm2-repeat": Prompt(
        SMOLLM2,
        f"The list: {WORDS} {WORDS}",
        (
            Chosen("smollm2-induction", 18, 6, "induction", REPEATING),
            Chosen("smollm2-first-token", 18, 8, "first_token", PLAIN),
        ),
    ),
    "smollm2-code": Prompt(
        SMOLLM2,
        "a = load(1)\nb = load(2)\nc = load(3)\n",
        (Chosen("smollm2-same-token-code", 14, 3, "same_token", REPEATING),),
    ),
    "smollm2-love": Prompt(
        SMOLLM2, LOVE, (Chosen("smollm2-induction-love", 17, 5, "induction", REPEATING),)
    ),
    "smollm2-met": Prompt(
        SMOLLM2,
        "When Mary met John, he was tired and she was happy.",
        (
            Chosen(
                "smollm2-pronouns",
                15,
                7,
                "linked_words",
                PRONOUNS,
                (("Ġhe", "ĠJohn"), ("Ġshe", "ĠMary")),
            ),
        ),
    ),
    "smollm2-drink": Prompt(
        SMOLLM2,
        "When Mary and John went to the shop, John gave a drink to",
        (Chosen("smollm2-drink-to", 24, 4, "linked_words", GIVING, (("Ġto", "ĠMary"),)),),
    ),
    "smollm2-ship": Prompt(
        SMOLLM2, LONG, (Chosen("smollm2-punctuation", 1, 1, "punctuation", PLAIN),)
    ),
    "minilm-bank": Prompt(
        MINILM,
        "We sat on the river bank, and then she took her money to the bank in town.",
        (
            Chosen("minilm-previous-token", 0, 2, "previous_token", PLAIN),
            Chosen("minilm-next-token", 1, 8, "next_token", PLAIN),
            Chosen("minilm-same-token-bank", 2, 9, "same_token", REPEATING),
        ),
    ),
    "minilm-keys": Prompt(
        MINILM,
        KEYS,
        (Chosen("minilm-keys-are", 3, 1, "linked_words", SUBJECTS, (("are", "keys"),)),),
    ),
    "minilm-love": Prompt(
        MINILM, LOVE, (Chosen("minilm-same-token-love", 2, 4, "same_token", REPEATING),)
    ),
}

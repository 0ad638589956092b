"""Tokenisers of GGUF files give the token numbers of transformers' own, for tiny vocabularies."""

import json
import re
import unicodedata
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from core.models.checkpoints.gguf_tokeniser import tokeniser_of_gguf
from core.models.checkpoints.tokeniser import Tokeniser
from tests.core.support import refuses

TEXTS = [
    "When Mary and John went to the shop, John gave a drink to",
    "it's 12345 apples; THE river's bank isn't 3.14 far\n\n  two  spaces\tand a tab ",
    "Émile said: naïve café, größer 東京 🙂!?",
    "cafe\u0301 and don't WE'LL",
    "<s>the bank</s> and <|end|>",
    "",
]
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, BYTE = 1, 2, 3, 4, 6
SPACE = "▁"


def read(settings: dict[str, Any]) -> Tokeniser | None:
    return tokeniser_of_gguf({f"tokenizer.ggml.{name}": value for name, value in settings.items()})


def numbers(settings: dict[str, Any], text: str) -> list[int]:
    made = read(settings)
    assert made is not None
    return made.encode(text).ids


@cache
def learnt() -> tuple[list[str], list[str]]:
    """Tokens and merges of a byte-level BPE of the texts."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(vocab_size=360, initial_alphabet=alphabet, show_progress=False)
    made.train_from_iterator([*TEXTS, "12 123 345"] * 3, trainer)
    tokens = sorted(made.get_vocab(), key=made.get_vocab().__getitem__)
    return tokens, [" ".join(merge) for merge in json.loads(made.to_str())["model"]["merges"]]


def byte_level(rule: str) -> dict[str, Any]:
    """A byte-level BPE learnt from the texts, with one token that is looked for whole."""
    tokens, merges = learnt()
    return {
        "model": "gpt2", "pre": rule, "tokens": [*tokens, "<|end|>"],
        "token_type": [NORMAL] * len(tokens) + [CONTROL], "merges": [*merges],
        "add_bos_token": False,
    }  # fmt: skip


def of_transformers(settings: dict[str, Any]) -> Any:
    """What transformers makes of the same lists."""
    from transformers.integrations.gguf import gguf_tokenizer_mapping

    names = {"model": "tokenizer_type", "pre": "pre_tokenizer_type"}
    lists = {names.get(name, name): value for name, value in settings.items()}
    return gguf_tokenizer_mapping.convert_gguf_tokenizer("llama", lists)[0]


@pytest.mark.parametrize(
    "rule", ["gpt-2", "default", "llama-bpe", "llama3", "smaug-bpe", "falcon3"]
)
def test_byte_level_tokens_are_those_of_transformers(rule: str) -> None:
    settings = byte_level(rule)
    theirs = of_transformers(settings)
    for text in TEXTS:
        assert numbers(settings, text) == theirs.encode(text, add_special_tokens=False).ids, text


def test_tokens_of_qwen_2_are_those_of_its_class() -> None:
    settings = byte_level("qwen2")
    vocabulary = {token: n for n, token in enumerate(settings["tokens"])}
    merges = [tuple(merge.split(" ")) for merge in settings["merges"]]
    theirs = transformers.Qwen2Tokenizer(
        vocab=vocabulary, merges=merges, eos_token="<|end|>", unk_token=None
    )
    for text in TEXTS:
        assert numbers(settings, text) == theirs(text)["input_ids"], text


def test_the_rules_cut_numbers_differently() -> None:
    """So the tests above can tell them apart."""
    found = {rule: len(numbers(byte_level(rule), "12345")) for rule in ("gpt-2", "smollm", "qwen2")}
    assert found["smollm"] == found["qwen2"] == 5
    assert found["gpt-2"] < 5
    assert numbers(byte_level("llama-bpe"), "12345") != numbers(byte_level("gpt-2"), "12345")


def test_a_text_begins_as_its_rule_says_if_the_file_does_not() -> None:
    for rule, begins in (("llama-bpe", True), ("smaug-bpe", False), ("qwen2", False)):
        settings = byte_level(rule) | {"bos_token_id": 360}
        bare = numbers(settings, "the bank")
        del settings["add_bos_token"]
        assert numbers(settings, "the bank") == [360] * begins + bare


def test_a_word_of_llama_3_may_be_a_token_that_no_merge_makes() -> None:
    for rule, is_whole in (("llama-bpe", True), ("gpt-2", False)):
        settings = byte_level(rule)
        settings["tokens"] = [*settings["tokens"], "zzqzz"]
        settings["token_type"] = [*settings["token_type"], NORMAL]
        assert (numbers(settings, "zzqzz") == [len(settings["tokens"]) - 1]) is is_whole


def pieces(**more: Any) -> dict[str, Any]:
    """A vocabulary as SentencePiece makes it: bytes, merged pieces, then single characters."""
    text = [SPACE + re.sub("[東京🙂]", "", one).replace(" ", SPACE) for one in TEXTS[:4] * 3]
    learnt = Tokenizer(models.BPE())
    learnt.train_from_iterator(text, trainers.BpeTrainer(vocab_size=120, show_progress=False))
    ranks = learnt.get_vocab()
    merged = sorted((one for one in ranks if len(one) > 1), key=ranks.__getitem__)
    single = sorted(one for one in ranks if len(one) == 1)
    tokens = ["<unk>", "<s>", "</s>", *[f"<0x{n:02X}>" for n in range(256)], *merged, *single]
    count = len(merged) + len(single)
    return {
        "model": "llama", "tokens": tokens,
        "scores": [0.0] * 259 + [-float(n) for n in range(count)],
        "token_type": [UNKNOWN, CONTROL, CONTROL, *[BYTE] * 256, *[NORMAL] * count],
        "bos_token_id": 1, "eos_token_id": 2, **more,
    }  # fmt: skip


def by_a_plain_loop(settings: dict[str, Any], text: str) -> list[int]:
    """SentencePiece's rule: merge the pair whose token has the best score, the first of equals."""
    scores = dict(zip(settings["tokens"], settings["scores"], strict=True))
    symbols = list(SPACE + text.replace(" ", SPACE)) if text else []
    while True:
        pairs = [(a + b, n) for n, (a, b) in enumerate(pairwise(symbols))]
        known = [(-scores[token], n) for token, n in pairs if token in scores]
        if not known:
            break
        _, at = min(known)
        symbols[at : at + 2] = [symbols[at] + symbols[at + 1]]
    found = []
    for symbol in symbols:
        if symbol in scores:
            found.append(settings["tokens"].index(symbol))
        else:
            found += [3 + byte for byte in symbol.encode()]
    return found


def test_sentence_pieces_are_those_of_a_plain_loop_and_of_transformers() -> None:
    settings = pieces()
    theirs = of_transformers(settings)
    for text in (*TEXTS[:4], TEXTS[5], " a space first"):
        found = numbers(settings, text)
        assert found == [1, *by_a_plain_loop(settings, text)], text
        if text[:1] != " ":
            assert found == [1, *theirs.encode(text, add_special_tokens=False).ids], text


def test_a_file_says_what_is_put_around_a_text() -> None:
    bare = numbers(pieces(add_bos_token=False), "the bank")
    assert numbers(pieces(add_bos_token=False, add_eos_token=True), "the bank") == [*bare, 2]
    assert numbers(pieces(), "the bank") == [1, *bare]
    shown = read(pieces())
    assert shown is not None
    assert "".join(shown.encode("the bank").labels) == "<s>thebank"
    one, other = (pieces(add_bos_token=False, add_space_prefix=given) for given in (True, False))
    assert numbers(one, "the") == numbers(other, " the") != numbers(other, "the")


def test_control_tokens_are_found_whole_and_never_merged() -> None:
    more = {"<": 1, "s": 1, ">": 1, "<s": 1}
    settings = pieces()
    for token in [token for token in more if token not in settings["tokens"]]:
        settings["tokens"].append(token)
        settings["scores"].append(-1.0)
        settings["token_type"].append(NORMAL)
    before, whole = (numbers(settings, text)[1:] for text in ("<", "<s>"))
    assert whole == [1]
    assert len(before) == 2  # with the space before it
    assert numbers(settings, "<sx")[1:] == by_a_plain_loop(settings, "<sx")


SPECIAL = "[PAD] [UNK] [CLS] [SEP] [MASK]"
SPELLED = f"{SPECIAL} the bank ri ##ver ##s ' , cafe naive ! mary went ##t 東 it s ."
WORDS = SPELLED.split()


def word_pieces(words: list[str], **more: Any) -> dict[str, Any]:
    """A vocabulary as llama.cpp's converter writes BERT's."""
    written = [
        word if word.startswith("[") else word[2:] if word.startswith("##") else SPACE + word
        for word in words
    ]
    numbered = ("padding", "unknown", "cls", "seperator", "mask")
    ids = {f"{name}_token_id": n for n, name in enumerate(numbered)}
    return {"model": "bert", "tokens": written, **ids, **more}


def test_word_pieces_are_those_of_transformers() -> None:
    for words, is_small in ((WORDS, True), ([*WORDS, "Mary", "É", "THE"], False)):
        vocabulary = {word: n for n, word in enumerate(words)}
        theirs = transformers.BertTokenizer(vocab=vocabulary, do_lower_case=is_small)
        for text in (*TEXTS, "the [MASK] rivers, Mary!"):
            assert numbers(word_pieces(words), text) == theirs(text)["input_ids"], text


def test_a_file_may_say_whether_text_becomes_small_letters() -> None:
    kept = word_pieces(WORDS, **{"normalizer.lowercase": False})
    assert numbers(kept, "Mary mary") == [2, 1, 15, 3]
    assert numbers(word_pieces(WORDS), "Mary mary") == [2, 15, 15, 3]
    composed = unicodedata.normalize("NFC", "cafe\u0301")
    assert numbers(word_pieces(WORDS, **{"normalizer.strip_accents": False}), composed) == [2, 1, 3]
    assert numbers(word_pieces(WORDS), composed) == [2, 12, 3]


UNKNOWN_KINDS: list[dict[str, Any]] = [
    {"model": "t5"}, {"model": ["t5"]}, {"pre": "tekken"}, {"pre": ["a"]}, {"tokens": []},
    {"tokens": 5}, {"tokens": "ab"}, {"merges": []},
]  # fmt: skip


def test_kinds_and_rules_that_are_not_known_are_left_to_another_file() -> None:
    for changed in UNKNOWN_KINDS:
        assert read(byte_level("gpt-2") | changed) is None, changed


BROKEN: dict[str, dict[str, Any]] = {
    "too few scores": pieces(scores=[0.0]),
    "too few types": pieces(token_type=[1]),
    "a token twice": pieces(tokens=["a"] * len(pieces()["tokens"])),
    "numbers for tokens": pieces(tokens=[1, 2, 3]),
    "a merge of three": byte_level("gpt-2") | {"merges": ["a b c"]},
    "no unknown token": word_pieces(WORDS, unknown_token_id=-1),
    "too much is looked for whole": pieces(
        tokens=[*pieces()["tokens"], *(f"<{n}>" for n in range(5_000))],
        scores=[*pieces()["scores"], *[0.0] * 5_000],
        token_type=[*pieces()["token_type"], *[CONTROL] * 5_000],
    ),
    "a piece without end": pieces(tokens=["a" * 2_000, "b"], scores=[0.0, 0.0], token_type=[1, 1]),
}


@pytest.mark.parametrize("name", BROKEN)
def test_lists_that_do_not_fit_are_refused(name: str) -> None:
    refuses(r"tokenizer\.ggml", read, BROKEN[name])

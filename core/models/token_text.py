"""Tokens as their tokenisers write them, and as a reader knows them."""

from core.program.labels import VISIBLE_SPACES

NO_BREAK = "\u00a0"
"""A space that is none of the token's: spaces of tokens are shown as ␣."""
_WHITE_SPACE = str.maketrans({"Ġ": " ", "▁": " ", "Ċ": "\n", "ĉ": "\t"})
"""Signs of byte-level tokenisers and of SentencePiece (▁)."""


def _byte_characters() -> dict[str, int]:
    """Return the byte that each character of a byte-level token stands for."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [code for code in range(256) if code not in plain]
    return {chr(code): code for code in plain} | {
        chr(256 + n): code for n, code in enumerate(others)
    }


_BYTES = _byte_characters()


def text_of_bytes(token: str) -> str:
    """Return the text of a byte-level token, in which each character stands for a byte.

    Printable bytes stand for themselves, the others for the characters from 256 on (Radford et al.
    2019): Ġ for a space, and the two characters Ä and ł for a Ġ that somebody typed. Bytes that are
    no whole characters of UTF-8 are written in hexadecimal: ⟨F0 9F⟩.
    """
    codes = [_BYTES.get(character) for character in token]
    if not token or None in codes:
        return token
    data = bytes(code for code in codes if code is not None)
    try:
        return data.decode()
    except UnicodeDecodeError:
        before = " " if data.startswith(b" ") else ""
        hexadecimal = data.removeprefix(b" ").hex(" ").upper().replace(" ", NO_BREAK)
        return f"{before}⟨{hexadecimal}⟩"


def spaced_token(token: str) -> str:
    """Return a captured token with its white space: Ġ and ▁ are spaces, Ċ is a new line.

    Nobody typed these signs in a captured text. WordPiece's ## stays: it says that the token goes
    on with a word.
    """
    return token.translate(_WHITE_SPACE)


def plain_token(token: str) -> str:
    """Return the text of a captured token: without ##, which joins the rest of a word."""
    return spaced_token(token).removeprefix("##")


def label_token(token: str) -> str:
    """Return a captured token as matrices name it."""
    return label_text(plain_token(token))


def label_text(text: str) -> str:
    """Return a token's text as matrices name it: without the white space around it.

    White space by itself is seen: ␣ for a space, ⏎ for a new line.
    """
    return text.strip() or text.translate(VISIBLE_SPACES) or "␣"


def one_line(prompt: str) -> str:
    """Return a prompt in one line: ⏎ stands for each new line."""
    return prompt.replace("\n", "⏎")

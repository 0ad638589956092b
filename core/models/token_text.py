"""Tokens as their tokenisers write them, and as a reader knows them."""

NEW_LINE = "⏎"
_BYTE_LEVEL = {ord("Ġ"): " ", ord("Ċ"): "\n", ord("ĉ"): "\t"}


def spaced_token(token: str) -> str:
    """Return a byte-level token with its white space: Ġ is a space before a word, Ċ a new line.

    WordPiece's ## stays: it says that the token goes on with a word.
    """
    return token.translate(_BYTE_LEVEL)


def plain_token(token: str) -> str:
    """Return the text of a token: without ##, which joins the rest of a word."""
    return spaced_token(token).removeprefix("##")


def label_token(token: str) -> str:
    """Return a token as matrices name it: without the white space around it; ⏎ for a new line."""
    return plain_token(token).strip() or NEW_LINE


def one_line(prompt: str) -> str:
    """Return a prompt in one line: ⏎ stands for each new line."""
    return prompt.replace("\n", NEW_LINE)

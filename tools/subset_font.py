"""Makes the font of formulas: of STIX Two Math, the characters that they use.

    npm pack @fontsource/stix-two-math@5.3.0
    python tools/subset_font.py fontsource-stix-two-math-5.3.0.tgz

The licence is taken from the package too. Needed only where `CHARACTERS` changes.
"""

import io
import string
import sys
import tarfile
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

FOLDER = Path(__file__).parents[1] / "stage/browser/fonts"
FONT, LICENCE = "package/files/stix-two-math-latin-400-normal.woff2", "package/LICENSE"

MARKS = "−+×·=≈≠≤≥<>/±√∞()[]{}|‖,.;:…⊤⊗∑∂°′"
LATIN = string.ascii_letters + string.digits + string.punctuation + "“”‘’–—"
ACCENTED = "".join(chr(code) for code in range(0xA0, 0x100))
SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉"
GREEK = "αβγδεθλμπσςτφΔΣ"
# A single letter of MathML is drawn as one of these: upright x is U+0078, the letter x U+1D465.
ITALIC = "".join(chr(code) for code in range(0x1D434, 0x1D468) if code != 0x1D455) + "ℎ"
ITALIC_GREEK = "".join(chr(ord(c) - ord("α") + 0x1D6FC) for c in GREEK if c >= "α")

CHARACTERS = frozenset(" " + MARKS + LATIN + ACCENTED + SUBSCRIPTS + GREEK + ITALIC + ITALIC_GREEK)


def subset_of(source: bytes) -> bytes:
    """The font with these characters alone, what brackets and roots grow from, and no hints."""
    font = TTFont(io.BytesIO(source), recalcTimestamp=False)
    options = subset.Options()
    options.layout_features = ["kern", "ssty"]
    options.hinting = False
    options.drop_tables += ["gasp"]
    cut = subset.Subsetter(options)
    cut.populate(unicodes=map(ord, CHARACTERS))
    cut.subset(font)
    font.flavor = "woff2"
    made = io.BytesIO()
    font.save(made)
    return made.getvalue()


def main(package: str) -> None:
    FOLDER.mkdir(exist_ok=True)
    with tarfile.open(package) as files:
        made = subset_of(_read(files, FONT))
        (FOLDER / "stix-two-math.woff2").write_bytes(made)
        (FOLDER / "OFL.txt").write_bytes(_read(files, LICENCE))
    print(f"{len(CHARACTERS)} characters, {len(made) / 1000:.1f} KB")


def _read(files: tarfile.TarFile, name: str) -> bytes:
    found = files.extractfile(name)
    assert found is not None, name
    return found.read()


if __name__ == "__main__":
    main(*sys.argv[1:])

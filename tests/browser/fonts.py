"""The fonts of the browser under test: two of our own, a narrow and a wide one, and no other.

What happens to be installed then moves no pixel of a test. Every character is the same box, so a
text is as wide as it has characters: in the narrow font a fifth less, in the wide one a fifth more
than in DejaVu, which is what a machine without any choice of fonts has. Each has a glyph of its
own: in a PDF that is all that tells characters apart.
"""

from collections.abc import Sequence
from pathlib import Path

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen

from tests.sampling import paired

ADVANCES = {"narrow": 460, "wide": 700}
"""How far a character moves on, in thousandths of the font's size."""
FONTS = tuple(ADVANCES)


def in_fonts(*values: object) -> Sequence[tuple[object, str]]:
    """Each value with each font; in a sample each with one of them, the first with the wide one."""
    return paired(values, FONTS[::-1])


_BLOCKS = ((0x20, 0x3FF), (0x1D00, 0x1DBF), (0x2000, 0x2BFF), (0x1D400, 0x1D7FF))
"""Latin and Greek, small capitals and superscripts, signs and arrows, letters of formulas."""
_BLANK = (0x20, 0xA0)
_CONFIGURATION = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>{folder}</dir><cachedir>{folder}/cache</cachedir></fontconfig>
"""


def fontconfig_file(folder: Path, name: str) -> Path:
    """Writes one of the fonts into the folder, and the configuration that knows only that one."""
    _font(name, ADVANCES[name]).save(folder / f"{name}.ttf")
    configuration = folder / "fonts.conf"
    configuration.write_text(_CONFIGURATION.format(folder=folder))
    return configuration


def _font(name: str, advance: int) -> FontBuilder:
    box = TTGlyphPen(None)
    corners = ((60, 0), (60, 560), (advance - 60, 560), (advance - 60, 0))
    box.moveTo(corners[0])
    for corner in corners[1:]:
        box.lineTo(corner)
    box.closePath()
    drawn, blank = box.glyph(), TTGlyphPen(None).glyph()
    characters = {
        code: f"u{code:04X}" for first, last in _BLOCKS for code in range(first, last + 1)
    }
    glyphs = {".notdef": drawn} | {
        name: blank if code in _BLANK else drawn for code, name in characters.items()
    }

    font = FontBuilder(unitsPerEm=1000)
    font.setupGlyphOrder(list(glyphs))
    font.setupCharacterMap(characters)
    font.setupGlyf(glyphs)
    font.setupHorizontalMetrics(dict.fromkeys(glyphs, (advance, 60)))
    font.setupHorizontalHeader(ascent=930, descent=-240)
    font.setupOS2(sTypoAscender=930, sTypoDescender=-240, usWinAscent=930, usWinDescent=240)
    font.setupNameTable({"familyName": name, "styleName": "Regular"})
    font.setupPost(keepGlyphNames=False)
    return font

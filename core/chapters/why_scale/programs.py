"""The programs and families of this chapter; others of its programs are attention's own."""

from core.chapters.why_scale.real_model import (
    REAL_HEAD,
    REAL_PROGRAMS,
    real_head_family,
    sentence_family,
)
from core.models.captures import load_capture
from core.sample import Sample

PROGRAMS = {
    f"a real head, scale {name}": Sample(program) for name, program in REAL_PROGRAMS.items()
}
FAMILIES = {
    "scale": sentence_family("a b c"),
    "a real head, scale": real_head_family(load_capture(REAL_HEAD)),
}

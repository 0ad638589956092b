"""The families of this chapter; its programs are those of attention itself."""

from core.chapters.why_scale.sentence import sentence_family

FAMILIES = {"scale": sentence_family("a b c")}

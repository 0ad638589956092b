"""A sentence whose scores are divided by √d_k, or are not, for short vectors and long ones."""

from core.attention.family import SCALE_TOGGLE
from core.attention.inputs import toy_inputs
from core.attention.program import attention_program
from core.program.families import Built, Family, Options, Toggle

HEAD_SIZES = (4, 8, 16, 32, 64)
PROGRAMS = {
    "on": attention_program(heads=1),
    "off": attention_program(heads=1, scale=False),
}
SCALED = Toggle("scale_on", SCALE_TOGGLE.word, {name: name for name in PROGRAMS}, "on")
D_K = Toggle("scale_d_k", "d_k", {str(d): str(d) for d in HEAD_SIZES}, "64", resizes=True)


def sentence_family(text: str) -> Family:
    """The sentence with one head, so that d_k = d_model. Building raises `InputError`."""

    def build(options: Options) -> Built:
        inputs = toy_inputs(text, heads=1, d_model=int(options[D_K.key]))
        return Built(PROGRAMS[options[SCALED.key]], inputs)

    return Family((SCALED, D_K), build, "scale_", sentence_family)

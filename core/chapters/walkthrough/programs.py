"""The families of this chapter; its programs are those of attention itself."""

from core.attention.setups import Setup

FAMILIES = {"walkthrough": Setup(text="a b c").family}

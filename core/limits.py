"""How large what comes from outside may be, everywhere in the product."""

MAX_TOKENS = 64
MAX_TEXT = 10_000
"""Characters of a sentence."""
LONGEST_TOKEN = 200
"""Characters of a token that is given as such."""
MAX_D_MODEL = 64
MAX_HEADS = 16
MAX_SEED = 999_999
LARGEST = 1e6
"""No entry of a matrix from outside may be larger in size."""
MOST_POSITIONS, MOST_FEATURES, MOST_REAL_HEADS = 256, 256, 64
"""Tokens, features of a head's vector and heads, of numbers that a real model computed."""
MOST_MAPPED = 1_024
"""Tokens of weights that are shown as a map, and keys on the stage if the queries are few enough:
queries × keys are at most `MOST_POSITIONS` squared."""
HIDES = -1e4
"""A number that is added to a score hides its key from here down: BERT's −10,000, −1e9, and the
lowest numbers of float16 and float32."""
MOST_MODEL_BYTES = 6_000_000_000
"""Of a real model's numbers together, in memory or in files to be fetched."""

"""The technical terms of the pages, one entry a term."""

from collections.abc import Mapping
from types import MappingProxyType

GLOSSARY: Mapping[str, str] = MappingProxyType({
    "attention": "A way for each token to read from others: a mean of their values, weighted by "
    "how well its query matches their keys.",
    "token": "A piece of text that a model reads as one: a word, a part of one, a mark or a "
    "character.",
    "embedding": "The row of numbers that stands for a token.",
    "projection": "A product with a weight matrix: it makes other features out of a row.",
    "query": "The row with which a token asks: its row of X times W_Q.",
    "key": "The row by which a token is found: its row of X times W_K.",
    "value": "The row that a token hands over: its row of X times W_V.",
    "score": "The dot product of a query and a key, before softmax.",
    "weight": "The share that a query reads of a value: from 0 to 1. Those of a query add up "
    "to 1, or to 0 where no key is visible.",
    "softmax": "e to each number of a row, divided by the sum of these: shares that add up to 1.",
    "logit": "A number that softmax makes a share of: here, a score as it enters softmax.",
    "temperature": "A number that divides every logit before softmax: above 1 it makes the shares "
    "more even, below 1 sharper.",
    "mask": "What says which keys a query may see. A hidden key's score becomes −∞.",
    "causal": "Said of a mask under which no token sees a later one.",
    "head": "One of several attentions side by side, each with narrower queries, keys and values.",
    "dot-product": "Two vectors with equally many entries, multiplied entry by entry, and "
    "the products added up.",
    "cosine": "The dot product of two vectors divided by both their lengths: from −1 to 1.",
    "parameter": "A number that training sets, as each entry of a weight matrix.",
    "permutation": "Another order of the same things. Its matrix has one 1 in each row and each "
    "column.",
    "equivariant": "Said of a function for which moving what goes in moves what comes out in the "
    "same way, and changes nothing else.",
    "rotary": "Said of an encoding that turns pairs of features by an angle that grows with the "
    "place.",
    "rank": "How many rows of a matrix are independent of each other.",
    "symmetric": "Said of a matrix that is equal to its transpose: entry i, j is entry j, i.",
    "variance": "The mean of the squared distance from the mean: how far numbers spread.",
    "gradient": "How a result changes with each number it is made of. Training follows it.",
    "entropy": "How evenly shares are spread: 0 where one takes all, most where all are equal.",
    "concat": "The rows of the heads side by side, as one wider row.",
    "recurrent": "Said of a net that reads one token after another into one state of fixed size.",
    "convolution": "A layer in which each row is made of the few rows around it, by distance.",
    "fast-memory": "The little memory close to where a processor computes. The large one is many "
    "times slower to read.",
    "cache": "Keys and values of earlier tokens, kept so that they are not computed again.",
    "flop": "One addition or multiplication of two numbers. In a product of matrices each "
    "multiplication comes with an addition.",
    "padding": "Tokens without meaning that fill a text up to the length of another.",
    "packing": "Several texts one after another in one row, kept apart by the mask.",
    "graph": "Things, called nodes, and which of them are joined to which: its edges.",
    "edge": "What joins two nodes of a graph. Here it has a direction: from the token that is "
    "read to the token that reads.",
    "encoder": "The part of a translator that reads the sentence to translate.",
    "decoder": "The part of a translator that writes, token by token; GPT is one by itself.",
    "cross-attention": "Attention in which queries come from one sentence, keys and values from "
    "another.",
    "receptive-field": "The tokens of which something can come to a token.",
    "inductive-bias": "What a model takes for likely before it has seen any data.",
    "message": "What comes to a node along an edge: here a value, times the weight of the edge.",
    "transformer-block": "A layer of a transformer: attention, then a feed-forward net, each with "
    "a residual connection and a layer norm.",
    "dropout": "Leaving out numbers at random in training; those that stay are made larger, so "
    "that the mean stays the same.",
    "residual": "What came into a part of a network, added to what that part makes of it.",
    "layer-norm": "A row with its mean taken off, divided by its spread; then each feature times "
    "a gain, plus a bias.",
    "unit": "A number that a feed-forward net makes of a row, a bend and all.",
    "relu": "max(0, x): a number below 0 becomes 0.",
    "gelu": "x times the share of a standard normal distribution below x: a ReLU with a smooth "
    "bend.",
    "feed-forward": "The layer after attention: two products with weight matrices, or three, for "
    "each row on its own.",
})  # fmt: skip
"""What each term means, by its name in a link: `[softmax](#term-softmax)`."""

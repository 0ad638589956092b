"""Up to what size a result is float noise about zero, for several operations alike."""

from collections.abc import Sequence

import numpy as np

from core.program.operation import Arrays, Operation


def largest_number(array: np.ndarray) -> float:
    """The largest size of an array's numbers, NaN apart; no copy is made of it."""
    flat = array.ravel()
    most = np.fmax.reduce(flat, initial=0.0), -np.fmin.reduce(flat, initial=0.0)
    return float(max(most))


def noise_of_sum(operation: Operation, operands: Arrays, noises: Sequence[float]) -> float:
    """A residue of terms that cancel: 1e-9, or less where the terms themselves are small."""
    largest = max(map(largest_number, operands))
    return max(1e-9 * min(1.0, largest), *noises)


def noise_of_product(operation: Operation, operands: Arrays, noises: Sequence[float]) -> float:
    """What is left of the operands' noise: nothing cancels in one product."""
    a, b = map(largest_number, operands)
    return max(noises[0] * b, noises[1] * a)


def noise_of_exponential(operation: Operation, operands: Arrays, noises: Sequence[float]) -> float:
    """Nothing cancels in an exponential, down to where floats underflow."""
    return float(np.finfo(np.float64).tiny)

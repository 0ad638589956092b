"""A length that is cut: into blocks of one width, or into a number of even parts."""


def blocks(length: int, width: int) -> tuple[int, ...]:
    """Return the sizes of blocks of one width; the last may be smaller."""
    return tuple(min(width, length - at) for at in range(0, length, width))


def even_cuts(length: int, among: int) -> tuple[int, ...]:
    """Return sizes that differ by at most 1, the larger ones first, and none that is 0."""
    each, more = divmod(length, among)
    return tuple(size for size in (each + (n < more) for n in range(among)) if size)

"""A length cut up: into blocks of a width, or into so many shares."""


def blocks(length: int, width: int) -> tuple[int, ...]:
    """Blocks of so many; the last may have fewer."""
    return tuple(min(width, length - at) for at in range(0, length, width))


def even_cuts(length: int, among: int) -> tuple[int, ...]:
    """As even as they go, the larger ones first; with too few, a share of 1 for each of these."""
    each, more = divmod(length, among)
    return tuple(size for size in (each + (n < more) for n in range(among)) if size)

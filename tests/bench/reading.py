"""How much of a text was read, and windows in pixels: what thresholds.py needs of plain Python."""


def distance(a, b):
    """How many to insert, delete and replace to make b of a: a column of bits for each of b.

    G. Myers, A fast bit-vector algorithm for approximate string matching (1999), in the form of
    H. Hyyro (2001) that compares whole sequences.
    """
    if not a:
        return len(b)
    full, last = (1 << len(a)) - 1, 1 << (len(a) - 1)
    places = {}
    for i, one in enumerate(a):
        places[one] = places.get(one, 0) | 1 << i
    up, down, count = full, 0, len(a)
    for other in b:
        same = places.get(other, 0)
        across = (((same & up) + up) ^ up) | same
        more, less = (down | ~(across | up)) & full, up & across
        count += bool(more & last) - bool(less & last)
        more, same = more << 1 | 1, same | down
        up, down = (less << 1 | ~(same | more)) & full, more & same & full
    return count


def share_right(wanted, got):
    """1 less the share that is wrong, missing or made up; 0 if more is."""
    return max(0.0, 1 - distance(wanted, got) / len(wanted))


def pixels(length, dpi):
    """Inches as the nearest odd number of pixels, of two as near the larger; all else as it is."""
    if not str(length).endswith("in"):
        return length
    return max(3, 2 * int(float(length[:-2]) * dpi / 2 + 1e-9) + 1)

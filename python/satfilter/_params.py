"""Values of parameters as the library reads them."""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from . import _words

INTEGER, REAL, SIZE, PLACE, FLAG, BORDER, CHOICE, FILE, SHAPE, PART = range(10)  # satf_param_type

_BORDERS = {"nearest": "clamp", "edge": "clamp", "replicate": "clamp",
            "symmetric": "reflect", "grid-mirror": "reflect",
            "reflect_101": "mirror", "reflect101": "mirror",
            "grid-wrap": "wrap", "circular": "wrap", "periodic": "wrap", "tile": "wrap",
            "constant": 0, "grid-constant": 0, "zero": 0, "zeros": 0}
"""Words of numpy, scipy, OpenCV, torch and Matlab that mean the same wherever they are used."""
_DOUBTFUL = {"repeat": ("clamp", "repeats the pixels at the edge", "wrap", "repeats the image"),
             "extend": ("clamp", "repeats the pixels at the edge", "reflect", "mirrors the image"),
             "reflection": ("reflect", "mirrors the image with the pixels at its edge", "mirror", "without them")}


def border(value: Any) -> Any:
    """The library's word for another's, a constant for a constant; other values as they are."""
    if not isinstance(value, str):
        return value
    if value in _DOUBTFUL:
        first, does, second, also = _DOUBTFUL[value]
        raise ValueError(f"border={value!r} has two meanings: {first!r} {does}, {second!r} {also}")
    return _BORDERS.get(value, value)


def _number(value: Any) -> str:
    if isinstance(value, str):
        return value
    try:
        return str(operator.index(value))
    except TypeError:
        value = float(value)
        return str(int(value)) if value.is_integer() else repr(value)


def text(kind: int, value: Any) -> str:
    """A parameter's value as the library reads it. Pairs are (rows, columns), the library's are x first. Two sides of
    a result are these very sides: arrays have no proportions to keep."""
    if kind == FLAG:
        return "on" if _words.flag("", value) else "off"
    if kind in (SIZE, PLACE, SHAPE) and not isinstance(value, str) and np.ndim(value):
        if np.shape(value) != (2,):
            raise ValueError
        sides = (":" if kind == PLACE else "x").join(_number(v) for v in reversed(tuple(value)))
        return sides + "!" if kind == SHAPE else sides
    if kind == PART and not isinstance(value, str):
        if np.shape(value) not in ((2,), (4,)):
            raise ValueError
        *at, rows, columns = (_number(v) for v in value)
        return f"{columns}x{rows}" + "".join("+" + number for number in reversed(at))
    if kind == BORDER and not isinstance(value, str):
        return "constant:" + _number(value)
    return _number(value)


def possible(kind: int, syntax: str, least: float, most: float) -> str:
    """What a parameter may be."""
    if kind == SIZE:
        return f"an integer of {least:.0f} to {most:.0f}, or two of them, (rows, columns)"
    if kind == PLACE:
        return f"two integers of {least:.0f} to {most:.0f}, (rows, columns)"
    if kind == SHAPE:
        return f"two integers of {least:.0f} to {most:.0f}, (rows, columns), or text: '33%', '1024x' or 'x768'"
    if kind == PART:
        return "two integers, (rows, columns), or four, (row, column, rows, columns)"
    if kind == FLAG:
        return "True or False"
    if kind == BORDER:
        return ("clamp (or nearest, edge, replicate), mirror (reflect_101), reflect (symmetric), wrap (grid-wrap), "
                "shrink, valid or a finite number")
    first, *words = syntax.split("|")
    if kind == CHOICE:
        return ", ".join([first, *words])
    return " or ".join([f"{'an integer' if kind == INTEGER else 'a number'} of {least:.15g} to {most:.15g}", *words])

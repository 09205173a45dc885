"""What is refused, in the words of Python: the library's sentences with numpy's types and order of axes, and checks of
arguments whose sentences name the argument."""
from __future__ import annotations

import operator
import re
from typing import Any, Callable

import numpy as np

_TYPES = {"u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64", "f32": "float32", "f64": "float64",
          "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "f16": "float16", "bf16": "bfloat16"}
_TYPE = f"(?:{'|'.join(_TYPES)})"
_NUMBER = r"(-?\d+)"
_RULES: list[tuple[str, Any]] = [
    (rf"\({_NUMBER} x {_NUMBER} at {_NUMBER}, {_NUMBER}\)", r"(\4, \3, \2, \1)"),
    (rf"\bat={_NUMBER}:{_NUMBER} of", r"at=(\2, \1) of"),
    (rf"contains its own pixel for ({_NUMBER} to {_NUMBER}) and ({_NUMBER} to {_NUMBER})",
     r"contains its own pixel for rows of \4 and columns of \1"),
    (rf"(?<!\S){_NUMBER} x {_NUMBER}\b", r"(\2, \1)"),
    (", width by height", ""),
    (rf"\bof 1 (?={_TYPE}\b)", "of "),
    (rf"\bof (\d) (?={_TYPE}\b)", r"of \1 channels of "),
    (r"\b(\w+)=FILE takes", r"\1 takes"),
    ("as the input", "as the image"),
    (r", and u8, u16, f32 or f64$", ""),
    (r"border constant:", "border="),
    (rf"(?<![\w/.'-]){_TYPE}(?![\w/'-])", lambda found: _TYPES[found[0]]),
    (r"the \w+ view's flags \(0x1\) do not fit 1 channels",
     "alpha=True: the image has one channel, and alpha is the last of several"),
    (r"\b(input|output|image|table) view", r"\1"),
    (r"not like the view that the plan was made for", "not like the array that the plan was made for"),
    (r"no format is named; NULL restores the default", "no format is named"),
    (r"the weights \(the auxiliary input\)", "the weights"),
    (r"the auxiliary input", "the second image"),
    (r"LO must be below HI", "black must be below white"),
    (r"or name LO:HI or auto \(option: range\)", 'or say range=(black, white) or range="auto"'),
    (r"or name LO:HI \(option: range\)", "or say range=(black, white)"),
    (r"auto(?::1)? shows what occurs \(option: range\)", 'range="auto" shows what occurs'),
    (r", or u8 for shades of grey \(option: type\)", ""),
    (r", unless others are named \(option: page\)", ""),
    (r"; it looks like .* \(option: axes\)", "; numpy.load() reads it"),
    (r"\(option: format\)", "(format=)"),
    (r"put the filter real in front, which rounds them", "astype('float64') rounds them"),
    (r"put the filter real in front to take them as they are", "take them as they are by astype('float64')"),
    (r"put the filter real in front", "take astype('float64')"),
    (r", which the value none overrules \(option: nodata\)", ""),
    (r"naming it leaves them out \(option: nodata\)", "nodata= leaves them out"),
    (r"allow it by satf_context_set_formats\(.*\) \(limit: formats\)", 'formats="all" reads it'),
    (r"\(limit: formats\)", '(formats="all" reads it)'),
    (r" \((?:limit|option): [a-z -]+\)$", ""),
]
_COMPILED = [(re.compile(pattern), to) for pattern, to in _RULES]


def say(text: str) -> str:
    """A sentence of the library as an exception or a warning has it."""
    for pattern, to in _COMPILED:
        text = pattern.sub(to, text)
    return text


def channels(call: str, shape: tuple[int, ...], channel_axis: int | None) -> None:
    """Refuses an array whose last axis looks like colours where nobody says what it counts."""
    if channel_axis is None and len(shape) > 2 and shape[-1] in (1, 2, 3, 4) and min(shape[-3:-1]) > 4:
        raise ValueError(f"an image of shape {tuple(shape)}: {call}(image, ..., channel_axis=-1) if the last axis "
                         f"counts channels, {call}(image[..., None], ..., channel_axis=-1) if it counts columns")


def shown(value: Any) -> str:
    """A wrong value in a message."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 80 else text[:77] + "..."


def integer(name: str, value: Any, least: int = -2**31, most: int = 2**31 - 1) -> int:
    """Also of a float that is one."""
    try:
        made = operator.index(value) if not isinstance(value, (float, np.floating)) else int(value)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{name}={shown(value)}: an integer") from None
    if made != value:
        raise TypeError(f"{name}={shown(value)}: an integer")
    if not least <= made <= most:
        raise ValueError(f"{name}={shown(value)}: {least} to {most}")
    return made


def number(name: str, value: Any) -> float:
    try:
        if isinstance(value, (str, bytes)) or _is_sequence(value):
            raise TypeError
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{name}={shown(value)}: a number") from None


def numbers(name: str, value: Any, count: int) -> tuple[int, ...]:
    """An integer for each of count axes, of a sequence or of one for all."""
    return pair(name, value, count) if _is_sequence(value) else (integer(name, value),) * count


def pair(name: str, value: Any, count: int = 2, read: Callable[[str, Any], Any] = integer) -> tuple[Any, ...]:
    if not _is_sequence(value) or len(value) != count:
        refused = ValueError if _is_sequence(value) else TypeError
        raise refused(f"{name}={shown(value)}: {count} {'integers' if read is integer else 'numbers'}")
    return tuple(read(name, one) for one in value)


def _is_sequence(value: Any) -> bool:
    return isinstance(value, (list, tuple)) or isinstance(value, np.ndarray) and value.ndim > 0


def flag(name: str, value: Any) -> bool:
    if isinstance(value, (bool, np.bool_)) or isinstance(value, int) and value in (0, 1):
        return bool(value)
    raise TypeError(f"{name}={shown(value)}: True or False")


def path(value: Any) -> Any:
    if "\0" in str(value):
        raise ValueError(f"{str(value)!r} is no path")
    return value


def word(name: str, value: Any) -> str | None:
    if value is None or isinstance(value, str) and "\0" not in value:
        return value
    raise TypeError(f"{name}={shown(value)}: text or None")


def dtype(name: str, value: Any) -> np.dtype:
    try:
        return np.dtype(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name}={shown(value)}: a type of numpy, such as 'float64'") from None


def axis(name: str, value: Any, axes: int) -> int:
    """Counted from the first."""
    try:
        made = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}={shown(value)} cannot be taken as an integer") from None
    if not -axes <= made < axes:
        raise ValueError(f"{name}={made}: the array has {axes} axes")
    return made % axes


def array(name: str, value: Any) -> np.ndarray:
    if isinstance(value, np.ndarray):
        return value
    raise TypeError(f"{name} is a {type(value).__name__}, not a numpy.ndarray")


def rects(value: Any) -> np.ndarray:
    """A template's rectangles and weights."""
    wanted = "rects: rows of (row, column, height, width, weight)"
    try:
        if np.iscomplexobj(np.array(value)):
            raise TypeError
        rows = np.array(value, "f8")
    except (TypeError, ValueError) as error:
        raise type(error)(f"{wanted}, not {shown(value)}") from None
    if rows.ndim == 0 or rows.shape[-1] != 5:
        raise ValueError(f"{wanted}, not an array of shape {rows.shape}")
    rows = rows.reshape(-1, 5)
    if not (np.abs(rows[:, :4]) < 2**31).all() or (rows[:, :4] % 1).any():
        raise ValueError(f"{wanted}: all but the weight are integers")
    return rows

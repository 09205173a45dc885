#!/usr/bin/env python3
"""Writes _functions.py, a function for each filter, from the library's table of filters, into a folder that has the
compiled _core. setup.py and tests/python.sh call it.

    python3 make_functions.py FOLDER
"""
import sys
import textwrap
from pathlib import Path
from types import ModuleType

FOLDER = Path(sys.argv[1])
sys.dont_write_bytecode = True
sys.modules["satfilter"] = ModuleType("satfilter")  # the package's own __init__ wants the file
sys.modules["satfilter"].__path__ = [str(FOLDER), str(Path(__file__).resolve().parents[1] / "satfilter")]
from satfilter import _arrays, _core, _params  # noqa: E402

WIDTH = 110

HEAD = '''"""A function for each filter of the library. Written by make_functions.py; do not edit."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._arrays import Filter, _made, make as _make
from ._counting import called as _apply

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, DTypeLike
'''

TYPES = {_params.INTEGER: "int", _params.REAL: "float", _params.SIZE: "int | tuple[int, int]",
         _params.PLACE: "tuple[int, int]", _params.FLAG: "bool", _params.BORDER: "str | float",
         _params.CHOICE: "str", _params.FILE: "ArrayLike", _params.SHAPE: "str | tuple[int, int]",
         _params.PART: "str | tuple[int, int] | tuple[int, int, int, int]"}
HELP = {
    "at": "(rows, columns). The window's centre lies so far below and to the right of the pixel, which the "
          "window contains.",
    "border": "what lies outside the image: clamp (also nearest, edge, replicate), reflect (symmetric), mirror "
              "(reflect_101), wrap (grid-wrap), shrink or valid, or a number, which is all samples there. valid makes "
              "the result smaller: whole windows only.",
    "rects": "rows of (row, column, height, width, weight): rectangles by their upper left pixel, relative to "
             "the pixel that is computed.",
    "order": "integers of shape (H * W) or (H, W), each of 0 to H * W - 1 once: pixel k of the result, "
             "counted along the rows, is pixel order[k] of the image.",
    "other": "the other image, of any type: (H, W), which serves all channels, or (H, W, C).",
    "map": "the radius r of each pixel's window, of any type: (H, W), which serves all channels, or (H, W, C).",
    "guide": "an image of the same size and type, (H, W) or (H, W, C), whose edges stay; with colour=True, (H, W, 3) "
             "of any type. The image itself without.",
}
RESULTS = {
    "same": "An array of the image's type. Integers are rounded once, halves up; into floats nothing is "
            "rounded. Of bool samples, float64.",
    "real": "An array of float64; of float16 samples, float32.",
    "sum": "An array of exact sums: uint32 or uint64, of signed samples int64, of floats float64 (of float16 "
           "float32).",
    "bilevel": "A uint8 array of 0 and 255; with surface, of float64. Channels become one.",
    "move": "An array of the image's type, whatever it is.",
    "linearize": "A uint16 array of uint8 samples, but float32 by a power above 2; float32 of uint16 samples. Floats "
                 "keep their type. Of all others, float64.",
    "delinearize": "A uint8 array of uint16 samples, or of so many bits as `depth` says; else an array of the image's "
                   "type.",
}


def kind_of(name, kind):
    if kind == _arrays._MOVE:
        return "move"
    if name in ("linearize", "delinearize"):
        return name
    if name == "by":
        return "same"
    if name == "template":
        return "real"
    made = [_core.made(_core.create(name), 9, 9, 1, t, 0, 0.0)[3] for t in (_arrays.U8, _arrays.F64)]
    if made[1] == _arrays.U8:
        return "bilevel"
    return {_arrays.U8: "same", _arrays.F64: "real"}.get(made[0], "sum")


def samples_of(name, kind, params):
    """Which types its images may have; of 64 bits samples that occur may say what the type does not."""
    signed, wide = (kind == _arrays._MOVE or takes(name, _arrays.CODES[of]) for of in ("int8", "uint64"))
    wide = wide or all(param[0] != "full" for param in params)
    words = ["Integers", "" if signed else "without a sign", "" if wide else "of up to 32 bits", "and floats"]
    text = "Any integers and floats" if signed and wide else " ".join(word for word in words if word)
    return text + ("." if kind_of(name, kind) == "bilevel" else ", bool.")


def takes(name, code):
    try:
        _core.made(_core.create(name), 9, 9, 1, code, 0, 0.0)
    except TypeError:
        return False
    return True


def can_leave_out(name, kind):
    """Whether the filter takes pixels that do not count; moves take them like others."""
    return kind != _arrays._MOVE and name != "guided"


def is_number(text):
    try:
        float(text)
    except (TypeError, ValueError):
        return False
    return True


def default_of(kind, text):
    if text is None:
        return "None"
    if kind == _params.PLACE:
        return "(" + ", ".join(reversed(text.split(":"))) + ")"
    if kind == _params.FLAG:
        return "False"
    return text if is_number(text) else f'"{text}"'


def type_of(kind, syntax, default):
    words = (syntax or "").split("|")
    if kind == _params.CHOICE:
        return "int" if all(is_number(w) for w in words) else "str"
    if kind == _params.REAL and len(words) > 1:
        return "float | str"
    return TYPES[kind] + (" | None" if kind == _params.FILE and default is None else "")


def help_of(argument, kind, syntax, unit, help_):
    text = HELP.get(argument, help_)
    if kind == _params.SIZE:
        text = "pixels, 1 to 65535: of a square window, or (rows, columns)."
    elif kind == _params.SHAPE:
        text = "(rows, columns) of the result, whatever the proportions; or text that keeps them: a share of the "
        text += "image's, \"33%\", \"1024x\" or \"x768\", or a box, \"1024x768\"."
    elif kind == _params.PART:
        text = "(rows, columns) of the middle, or (row, column, rows, columns): where it begins, and its sides. Or "
        text += "text, columns first: \"640x480+10+20\"."
    elif kind == _params.CHOICE:
        text = ", ".join(syntax.split("|")) + ": " + text
    return text if text.endswith(".") else text + "."


def sentence(text):
    text = text[:1].upper() + text[1:]
    return text if text.endswith(".") else text + "."


def fill(text, indent):
    return textwrap.fill(text, WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)


def signature(name, kind, params):
    """The parameters in order, and where those begin that are named."""
    words, named = ["image: ArrayLike"], False
    for param, kind, syntax, _, _, _, default, _, is_value in params:
        if not is_value and not named:
            words, named = words + ["*"], True
        hint = type_of(kind, syntax, "" if is_value else default)
        tail = "" if is_value and default is None else " = " + default_of(kind, default)
        words.append(f"{_arrays._argument(name, param)}: {hint}{tail}")
    words += [] if named else ["*"]
    words += ["out: np.ndarray | None = None", "dtype: DTypeLike | None = None", "channel_axis: int | None = None",
              "alpha: bool = False"]
    return words + ["weights: ArrayLike | None = None", 'nan_policy: str = "propagate"',
                    "nodata: float | None = None"] * can_leave_out(name, kind)


def docstring(name, help_, detail, kind, params):
    lines = [sentence(help_), "", *fill(detail, "    ").split("\n"),
             f"    The exact definition: docs/filters.md#{name}.", "", "    Parameters", "    ----------"]
    lines += ["    image : array of shape (..., H, W), or with channels on channel_axis",
              fill(f"Leading axes count images. {samples_of(name, kind, params)}", "        ")]
    for param, type_, syntax, unit, _, _, default, text, is_value in params:
        argument = _arrays._argument(name, param)
        hint = type_of(type_, syntax, "" if is_value else default).replace("ArrayLike", "array")
        lines += [f"    {argument} : {hint}", fill(help_of(argument, type_, syntax, unit, text), "        ")]
    lines += ["    out : array that takes the result, of its shape and any type; it may be the image",
              "    dtype : the type of a new result: integers are rounded halves up and saturated",
              "    channel_axis : the axis that counts channels, if there is one",
              "    alpha : the last channel is straight alpha, which weighs the others"]
    if can_leave_out(name, kind):
        lines += ["    weights : array (H, W), or with the axes that count images in front",
                  fill("How much each pixel counts: 0 does not, the type's largest integer, or 1 of floats and bools, "
                       "counts wholly, others in proportion; less than 0 and NaN are 0. For integers of 8 and 16 "
                       "bits they are rounded to the image's type, but not to 0, and more than 1 is 1.", "        "),
                  '    nan_policy : "propagate", NaN spreads, or "omit", it does not count',
                  "    nodata : samples of this number do not count; the result where nothing does"]
    lines += ["", "    Returns", "    -------", fill(RESULTS[kind_of(name, kind)], "    "),
              "", "    Raises", "    ------",
              "    ValueError : a parameter or a shape is out of its range; the message says which",
              "    TypeError : samples of this type cannot be filtered; the message says what makes others",
              '    """']
    return "\n".join(line.rstrip() for line in lines)


def wrapped(head, words):
    """The words behind head, between commas, in lines that begin below the first."""
    lines, margin = [head + words[0]], " " * len(head)
    for word in words[1:]:
        if len(lines[-1]) + len(word) + 2 < WIDTH:
            lines[-1] += ", " + word
        else:
            lines[-1] += ","
            lines.append(margin + word)
    return "\n".join(lines)


def function(name, help_, detail, kind, params):
    arguments = [_arrays._argument(name, p[0]) for p in params]
    passed = ", ".join(f"{a}={a}" for a in arguments)
    head = f"def {name}("
    lines = ["", "", f"{wrapped(head, signature(name, kind, params))}) -> np.ndarray:",
             '    """' + docstring(name, help_, detail, kind, params)]
    rest = "out, dtype, channel_axis, alpha" + (", weights, nan_policy, nodata" if can_leave_out(name, kind) else "")
    files = [_arrays._argument(name, p[0]) for p in params if p[1] == _params.FILE]
    of = f'Filter.of("{name}"' + (f", {passed})" if passed else ")")
    if any(p[1] == _params.FILE and p[8] for p in params):
        lines += [f"    f = {of}", f"    return _apply(f, image, {rest})"]
        return "\n".join(lines)
    if files:  # arrays are no keys
        lines += [f"    if {files[0]} is not None:",
                  wrapped("        f = Filter.of(", [f'"{name}"', *passed.split(", ")]) + ")",
                  f"        return _apply(f, image, {rest})"]
        arguments = [a for a in arguments if a not in files]
        passed = ", ".join(f"{a}={a}" for a in arguments)
    key = ", ".join([f'"{name}"'] + arguments) + ("" if arguments else ",")
    lines += [f"    key = ({key})", "    try:", "        f = _made[key]",
              "    except (KeyError, TypeError):",
              wrapped("        f = _make(", ["key", *passed.split(", ")] if passed else ["key"]) + ")",
              f"    return _apply(f, image, {rest})"]
    return "\n".join(lines)


def text():
    body = "".join(function(*row) + "\n" for row in _core.table())
    names = textwrap.fill(", ".join(f'"{row[0]}"' for row in _core.table()), WIDTH, initial_indent="    ",
                          subsequent_indent="    ")
    return HEAD + f"\n__all__ = [\n{names},\n]\n" + body


if __name__ == "__main__":
    (FOLDER / "_functions.py").write_text(text())

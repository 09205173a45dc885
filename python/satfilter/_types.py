"""Types of samples: which can be filtered and which results have, and numbers of one type as those of another."""
from __future__ import annotations

import re

import numpy as np


def is_number(dtype: np.dtype) -> bool:
    """Integers, floats, bool and complex numbers of up to 64 bits, or two such parts."""
    return dtype.kind in "biufc" and dtype.itemsize <= (16 if dtype.kind == "c" else 8)


def why_not(dtype: np.dtype) -> str:
    """What is said of samples that cannot be filtered."""
    if dtype.names:
        return f"{dtype} samples: one field, such as array[{dtype.names[0]!r}], is an array that can be filtered"
    wider = "complex128" if dtype.kind == "c" else "float64"
    return f"{dtype} samples: astype('{wider}') may make an array that can be filtered"


def full_scale(dtype: np.dtype) -> float:
    """The sample that is white."""
    return float(np.iinfo(dtype).max) if dtype.kind in "iu" else 1.0


def result(want: np.dtype, of: np.dtype | None = None) -> np.dtype:
    """The type, if results have it: those of such samples."""
    if not is_number(want) or want.kind == "b":
        raise TypeError(f"results are integers or floats, not {want}")
    if of is not None and (want.kind == "c") != (of.kind == "c"):
        raise TypeError(f"results of {of} samples are not {want}")
    return want


_SEEN = r"(?:uint8|uint16|float32|float64)"
_IMAGE = re.compile(rf"((?:cannot filter|not|does not fit) ){_SEEN}(?= samples\b)")
_OTHER = re.compile(rf"(the second image is \([\d, ]+\) of (?:\d channels of )?){_SEEN}\b")
_LIKE = re.compile(rf"(it must be \([\d, ]+\) of (?:\d channels of )?){_SEEN}(?=, as the image)")


def named(text: str, image: np.dtype | None, other: np.dtype | None) -> str:
    """A sentence of the library about arrays of those types that it has seen converted."""
    if other is not None:
        text = _OTHER.sub(rf"\g<1>{other}", text)
    if image is not None:
        text = _LIKE.sub(rf"\g<1>{image}", _IMAGE.sub(rf"\g<1>{image}", text))
    return text


def integers(name: str, array: np.ndarray) -> np.ndarray:
    """Whole numbers of any size as int64; an array without samples may be of any type."""
    if array.size and array.dtype.kind not in "iu":
        raise TypeError(f"{name}: integers, not {array.dtype} samples")
    if array.size and array.dtype == np.uint64 and array.max() > 2**63 - 1:
        raise ValueError(f"{name}: {array.max()} is more than {2**63 - 1}")
    return array.astype("i8")


def give(made: np.ndarray, out: np.ndarray | None, want: np.dtype | None) -> np.ndarray:
    """The result as samples of that type: integers halves up and saturated; floats into floats."""
    want = made.dtype if want is None else want
    made = made.view("u1") if made.dtype.kind == "b" and want.kind != "b" else made
    if made.dtype == want:
        typed = made
    elif want.kind in "iu" and made.dtype.kind == "f":
        typed = _rounded(made, want)
    elif want.kind in "iu":
        info = np.iinfo(want)
        typed = np.clip(made, max(info.min, np.iinfo(made.dtype).min), min(info.max, np.iinfo(made.dtype).max))
        typed = typed.astype(want)
    else:
        typed = made.astype(want)
    if out is None:
        return typed
    if out.shape != typed.shape:
        raise ValueError(f"out has shape {out.shape}, the result {typed.shape}")
    out[...] = typed
    return out


def _rounded(made, want):
    """By pieces that stay in the caches."""
    info = np.iinfo(want)
    pieces = np.nditer([made, None], ["external_loop", "buffered", "zerosize_ok"],
                       [["readonly"], ["writeonly", "allocate"]], [made.dtype, want], buffersize=1 << 14)
    with pieces, np.errstate(invalid="ignore"):
        for samples, typed in pieces:
            whole = np.floor(samples)
            whole += samples - whole >= 0.5
            if want.itemsize < 8:
                np.clip(whole, info.min, info.max, out=whole)
            typed[...] = whole
            if want.itemsize == 8:  # a double may be one more than the largest of them
                typed[whole >= float(info.max)] = info.max
                typed[whole <= float(info.min)] = info.min
            typed[np.isnan(whole)] = 0
        return pieces.operands[1]

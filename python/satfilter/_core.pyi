"""libsatfilter as functions and capsules. Not for programs: what they call is in satfilter itself."""
from typing import Any

import numpy as np

class Error(Exception):
    """The library refused, or could not do, what was asked."""

# A capsule that has a filter, an image or a plan.
_Capsule = Any
# What the library writes: quality, png_level, format, range (None, "auto" or two numbers).
_Writer = tuple[int, int, str | None, Any]

# A path, or an object's (name, read or write, seek or None).
_File = Any

# An array of numpy, or what stands for one on a device: (address, device, stream, type, shape, strides).
_Images = np.ndarray | tuple[Any, ...]

def parse(spec: str, /) -> _Capsule: ...
def create(name: str, /) -> _Capsule: ...
def set(filter: _Capsule, param: str, text: str, /) -> None: ...
def set_rects(filter: _Capsule, rects: Any, /) -> None: ...
def set_order(filter: _Capsule, order: Any, /) -> None: ...
def set_image(filter: _Capsule, image: np.ndarray, channels: int, flags: int, full: float, /) -> None: ...
def text(filter: _Capsule, /) -> str: ...
def reach(filter: _Capsule, /) -> tuple[int, int, int, int]:
    """Left, top, right, bottom."""
def knows_colours(filter: _Capsule, /) -> bool: ...
def table() -> list[tuple[str, str, str, int, list[tuple[Any, ...]]]]:
    """(name, help, detail, kind, [(name, type, syntax, unit, min, max, default, help, is_value)])."""
def made(filter: _Capsule, height: int, width: int, channels: int, type: int, flags: int, full: float,
         /) -> tuple[int, int, int, int]:
    """(height, width, channels, type) of what the filter makes of such an image."""
def result(filter: _Capsule, image: np.ndarray, type: int, channels: int, flags: int, full: float, /) -> np.ndarray:
    """An array for the result, whose samples are not set."""
def run(filter: _Capsule, image: _Images, out: _Images | None, type: int, channels: int, flags: int,
        full: float, /) -> np.ndarray:
    """Filters each image. type: of a new result, -1 the filter's. channels: 1, the last axis counts them.

    BufferError: the image, or out, has to be copied or converted first.
    """
def calls() -> int:
    """How many images were filtered in this process."""
def rect_sums(table: np.ndarray, rects: Any, sums: Any, channels: int, /) -> None: ...
def rect_stats(table: np.ndarray, squares: np.ndarray, rects: Any, means: Any, variances: Any, channels: int,
               /) -> None: ...
def moments(filter: _Capsule, image: np.ndarray, mean: np.ndarray, deviation: np.ndarray, channels: int,
            /) -> None:
    """One pass for both."""
def weigh(image: np.ndarray, type: int, rows: int, columns: int, step: int, places: np.ndarray, weights: np.ndarray,
          outside: float, out: np.ndarray, out_type: int, /) -> None:
    """The weighted sums along rows, of samples that are step apart, or down columns (0), of an image without gaps.

    places: int64, which sample lies at each place from radius in front of the first result to radius behind the last
    one, counted in steps; -1 is outside. Along rows the results are as many as the samples. weights: float64, of the
    sample itself and those up to radius away.
    """
def plan(filter: _Capsule, image: _Images, out: _Images, channels: int, flags: int, full: float,
         /) -> _Capsule: ...
def plan_run(plan: _Capsule, image: _Images, out: _Images | None, /) -> np.ndarray: ...
def plan_info(plan: _Capsule, /) -> tuple[int, list[tuple[str, str | None, str | None, str | None]]]: ...
def image_read(file: _File, formats: str | None, /) -> _Capsule: ...
def image_decode(data: Any, formats: str | None, /) -> _Capsule: ...
def image_wrap(array: np.ndarray, channels: int, flags: int, /) -> _Capsule:
    """An image around the array's memory. BufferError: it has to be copied first."""
def image_view(image: _Capsule, /) -> tuple[int, int, int, int, int, int, int, float]:
    """Address, stride, height, width, channels, type, flags, full."""
def image_range(image: _Capsule, /) -> tuple[float, float] | None: ...
def image_metadata(image: _Capsule, kind: int, /) -> bytes | None: ...
def image_set_metadata(image: _Capsule, kind: int, data: Any, /) -> None: ...
def image_filter(filter: _Capsule, image: _Capsule, type: int, /) -> _Capsule: ...
def image_write(image: _Capsule, file: _File, writer: _Writer, /) -> None: ...
def image_encode(image: _Capsule, writer: _Writer, /) -> bytes: ...
def probe(file: _File, formats: str | None, /) -> dict[str, Any]: ...
def filter_file(filter: _Capsule, source: _File, target: _File, writer: _Writer, formats: str | None,
                mask: _Capsule | None, linear: bool, /) -> list[str]:
    """What a user should know of a call that went well."""
def set_threads(count: int, /) -> int:
    """Threads of the CPU to use, 1 to 1024, or 0 for all cores, in every thread; the number before."""
def type_bytes(type: int, /) -> int: ...
def version() -> str: ...

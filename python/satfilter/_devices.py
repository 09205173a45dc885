"""Arrays of torch and cupy in CUDA memory: filtered where they are, on their current stream."""
from __future__ import annotations

import sys
from typing import Any

import numpy as np

from . import _core

NATIVE = ("uint8", "uint16", "uint32", "uint64", "float32", "float64", "int8", "int16", "int32", "int64", "float16",
          "bfloat16")  # satf_type's, in its order; numpy has no bfloat16
ALPHA = 1  # satf_view.flags
AUTO = -1  # the filter's own type of result
_HOST, _CUDA = {1, 3}, {2, 13}  # device types of DLPack: the host's memory, also pinned; CUDA's, also managed


_READABLE = ("__array__", "__array_interface__", "__array_struct__", "__buffer__")  # by numpy.asarray()


class _Torch:
    """Tensors of torch."""

    @staticmethod
    def check(x: Any) -> None:
        torch = sys.modules["torch"]
        if x.requires_grad and torch.is_grad_enabled():
            raise TypeError("a tensor that requires grad: filters have no gradients; x.detach() can be filtered")
        if x.layout != torch.strided:
            raise TypeError("a tensor that is not strided: x.to_dense() can be filtered")

    @staticmethod
    def see(x: Any) -> tuple:
        """(address, device, stream, name of the samples' type, shape, strides in bytes)"""
        torch = sys.modules["torch"]
        _Torch.check(x)
        step = x.element_size()
        stream = torch.cuda.current_stream(x.device).cuda_stream
        return (x.data_ptr(), x.device.index, stream, str(x.dtype).removeprefix("torch."), tuple(x.shape),
                tuple(s * step for s in x.stride()))

    @staticmethod
    def empty(shape: tuple, name: str, like: Any) -> Any:
        torch = sys.modules["torch"]
        return torch.empty(shape, dtype=getattr(torch, name), device=like.device)

    @staticmethod
    def copy(x: Any) -> Any:
        torch = sys.modules["torch"]
        return x.clone(memory_format=torch.contiguous_format)

    @staticmethod
    def fill(out: Any, made: Any) -> None:
        out.copy_(made)

    @staticmethod
    def move(x: Any, from_axis: int, to_axis: int) -> Any:
        return x.movedim(from_axis, to_axis)


class _Cupy:
    """Arrays of cupy."""

    @staticmethod
    def see(x: Any) -> tuple:
        cupy = sys.modules["cupy"]
        with x.device:
            stream = cupy.cuda.get_current_stream().ptr
        return x.data.ptr, x.device.id, stream, x.dtype.name, x.shape, x.strides

    @staticmethod
    def empty(shape: tuple, name: str, like: Any) -> Any:
        with like.device:
            return sys.modules["cupy"].empty(shape, name)

    @staticmethod
    def copy(x: Any) -> Any:
        with x.device:
            return x.copy(order="C")

    @staticmethod
    def fill(out: Any, made: Any) -> None:
        with out.device:
            out[...] = made

    @staticmethod
    def move(x: Any, from_axis: int, to_axis: int) -> Any:
        return sys.modules["cupy"].moveaxis(x, from_axis, to_axis)


_LIBRARIES = {"torch": _Torch, "cupy": _Cupy}


def has(x: Any) -> bool:
    """Whether x is an array whose samples are not in the host's memory."""
    where = None if isinstance(x, np.ndarray) else getattr(x, "__dlpack_device__", None)
    return (where is not None and where()[0] not in _HOST) or (where is None and hasattr(x, "__cuda_array_interface__"))


def _of(x: Any) -> Any:
    where = getattr(x, "__dlpack_device__", None)
    found = _LIBRARIES.get(type(x).__module__.partition(".")[0])
    if where is not None and where()[0] not in _CUDA:
        raise TypeError(f"an array on the device {getattr(x, 'device', where())}: it can be filtered on a CUDA device "
                        "or, copied there, on the host")
    if found is None:
        raise TypeError(f"a {type(x).__name__} on a device: torch.from_dlpack(x) and cupy.from_dlpack(x) make arrays "
                        "that can be filtered")
    return found


class Seen:
    """An array of a device as _core takes it, its channels moved to where the library wants them."""

    __slots__ = ("library", "array", "tuple", "code", "channels", "axis", "to")

    def __init__(self, f: Any, array: Any, channel_axis: int | None, alpha: bool):
        self.library, self.array = _of(array), array
        address, device, stream, name, shape, strides = self.library.see(array)
        if name not in NATIVE:
            raise TypeError(f"{name} samples on a device: integers and floats can be filtered")
        self.code = NATIVE.index(name)
        self.channels, self.axis, self.to = 0, 0, 0
        if channel_axis is not None:
            self._place_channels(f, shape, strides, channel_axis, alpha)
        elif alpha:
            raise ValueError("alpha is the last of several channels: channel_axis says which axis counts them")
        order = list(range(len(shape)))
        if channel_axis is not None:
            order.insert(self.to % len(shape), order.pop(self.axis))
        self.tuple = (address, device, stream, self.code, tuple(shape[i] for i in order),
                      tuple(strides[i] for i in order))

    def _place_channels(self, f, shape, strides, channel_axis, alpha):
        """Those that lie side by side are the last axis; others count images, where filters allow."""
        if not -len(shape) <= channel_axis < len(shape):
            raise ValueError(f"channel_axis {channel_axis}: the image has {len(shape)} axes")
        self.axis = channel_axis % len(shape)
        count = shape[self.axis]
        step = _core.type_bytes(self.code)
        if count <= 4 and (count == 1 or strides[self.axis] == step):
            self.channels, self.to = 1, -1
        elif alpha or f.arrays or _core.knows_colours(f.capsule):
            raise TypeError(f"{f.title} wants 1 to 4 channels that lie side by side, as in torch's channels_last")

    def result(self, f: Any, name: str | None, flags: int) -> tuple[tuple, str]:
        """The shape of the filter's result, its channels where the library has them, and its samples' type."""
        shape = self.tuple[4]
        axes = 2 + self.channels
        if len(shape) < axes:
            has = f"{len(shape)} ax{'is' if len(shape) == 1 else 'es'}"
            row = "; image[None] makes it a row" * (len(shape) == 1 and axes == 2)
            raise ValueError(f"an image has rows and columns: this array has {has}{row}")
        lead, (height, width, *depth) = shape[:len(shape) - axes], shape[len(shape) - axes:]
        height, width, many, code = _core.made(f.capsule, height, width, depth[0] if depth else 1, self.code, flags,
                                               0.0)
        keeps = depth and (many > 1 or depth[0] == 1)
        return (*lead, height, width, *((many,) if keeps else ())), name or NATIVE[code]


def from_dlpack(x: Any) -> Any:
    """An array of numpy, of the same memory, of an object of the host that numpy.asarray() would not read."""
    if isinstance(x, np.ndarray) or not hasattr(x, "__dlpack__") or any(hasattr(x, name) for name in _READABLE):
        return x
    try:
        return np.from_dlpack(x)
    except (BufferError, RuntimeError) as error:
        raise TypeError(f"a {type(x).__name__} that gives numpy no array: {error}") from None


def is_tensor(x: Any) -> bool:
    """Whether it is a tensor of torch."""
    return type(x).__module__.partition(".")[0] == "torch" and hasattr(x, "requires_grad")


def to_numpy(x: Any) -> Any:
    """A tensor of the host as an array of numpy, of the same memory."""
    if not is_tensor(x):
        raise TypeError(f"out is a {type(x).__name__}, the image a tensor of torch")
    _Torch.check(x)
    return x.detach().numpy()


def to_tensor(made: Any) -> Any:
    """The same the other way round."""
    return sys.modules["torch"].from_numpy(made)


def name_of(dtype: Any) -> str | None:
    """What numpy calls a type of numpy or torch."""
    text = str(dtype)
    return text.removeprefix("torch.") if text.startswith("torch.") else dtype


def _name(dtype: Any) -> str | None:
    if dtype is None:
        return None
    name = name_of(dtype)
    name = name if name in NATIVE else np.dtype(name).name
    if name not in NATIVE:
        raise TypeError(f"results on a device are {', '.join(NATIVE)}, not {name}")
    return name


def _new(f, seen, name, flags):
    """A new array for the result, with its channels where the image has them; and as _core takes it."""
    shape, name = seen.result(f, name, flags)
    made = seen.library.empty(shape, name, seen.array)
    address, device, stream, _, shape, strides = seen.library.see(made)
    whole = len(shape) == len(seen.tuple[4])
    placed = seen.library.move(made, seen.to, seen.axis) if whole and seen.axis != seen.to % len(shape) else made
    return placed, (address, device, stream, NATIVE.index(name), shape, strides)


def _check_out(seen, out, name):
    if type(out) is not type(seen.array):
        raise TypeError(f"out is a {type(out).__name__}, the image a {type(seen.array).__name__}")
    theirs = seen.library.see(out)
    if theirs[1] != seen.tuple[1]:
        raise ValueError(f"out is on CUDA device {theirs[1]}, the image on {seen.tuple[1]}")
    if name is not None and theirs[3] != name:
        raise ValueError(f"out has {theirs[3]} samples, dtype is {name}")


def apply(f: Any, image: Any, out: Any, dtype: Any, channel_axis: int | None, alpha: bool) -> Any:
    """The filter applied to each image. Nothing is copied or waited for, unless _core refuses the strides."""
    seen, flags, name = Seen(f, image, channel_axis, alpha), ALPHA if alpha else 0, _name(dtype)
    if out is None:
        made, tuple_ = _new(f, seen, name, flags)
    else:
        _check_out(seen, out, name)
        bilevel = channel_axis is not None and len(out.shape) < len(image.shape)
        made, tuple_ = out, Seen(f, out, None if bilevel else channel_axis, alpha and not bilevel).tuple
    try:
        _core.run(f.capsule, seen.tuple, tuple_, AUTO, seen.channels, flags, 0.0)
    except BufferError:
        again = seen.library.copy(image)
        if out is None:
            return apply(f, again, None, dtype, channel_axis, alpha)
        seen.library.fill(out, apply(f, again, None, NATIVE[tuple_[3]], channel_axis, alpha))
    return made


def plan(f: Any, like: Any, dtype: Any, channels: bool, flags: int, out: Any) -> tuple[Any, Any]:
    """A plan for images like that one, and the array for its results: out, or a new one."""
    seen = Seen(f, like, -1 if channels else None, bool(flags))
    if channels and not seen.channels:
        raise TypeError("a plan wants 1 to 4 channels that lie side by side")
    if out is None:
        out, tuple_ = _new(f, seen, _name(dtype), flags)
    else:
        _check_out(seen, out, _name(dtype))
        tuple_ = _tuple_of(out)
    return _core.plan(f.capsule, seen.tuple, tuple_, seen.channels, flags, 0.0), out


def _tuple_of(x: Any) -> tuple:
    address, device, stream, name, shape, strides = _of(x).see(x)
    if name not in NATIVE:
        raise TypeError(f"{name} samples on a device: a plan takes {', '.join(NATIVE)}")
    return address, device, stream, NATIVE.index(name), shape, strides


def run_plan(plan_: Any, image: Any, out: Any) -> Any:
    _core.plan_run(plan_, _tuple_of(image), _tuple_of(out))
    return out

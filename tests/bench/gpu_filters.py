#!/usr/bin/env python3
"""Measures means, sums, Gaussians and halving by CuPy and PyTorch on a CUDA device.

    gpu_filters.py [--sizes 4096] [--json FILE]

CuPy: cupyx.scipy.ndimage's uniform_filter and gaussian_filter. torch: avg_pool2d along one axis, then the other (the
means of floats; with a divisor of 1 sums), conv2d with a line of weights twice, avg_pool2d of 2 x 2 by steps of 2.
Times are medians by CUDA events beside a copy of the same bytes. Each mean and sum is compared with sums in f64; CuPy
rounds means of integers down after each axis, so these may be 2 too low. Prints a Markdown table; records are
satbench's. A peer that is missing is named and left out; exits with 77 if both are.
"""
import math
import sys

import gpu_peers as peers
import measure as shared

WINDOWS = (3, 15, 63, 255)
SIGMAS = (2, 6)
TRUNCATE = 3  # deviations, as the radius of satfilter's weights


def entry(peer, name, kind, size, window, work, timer, copy):
    peers.note(f"{peer}: {name} of {kind}, {size} x {size}, window {window}")
    made = peers.record(name, kind, size, timer(work), timer(copy))
    made.update(table="filter", name=name, output=kind, window=window, peer=peer)
    del made["sum"]
    return made


def check(name, size, got, image, window, times):
    """The results around the middle of the image, as NumPy arrays: sums of a window over its pixels, times `times`."""
    import numpy
    middle, half = size // 2, window // 2
    for y, x in ((middle, middle), (middle + 1, middle - 7)):
        part = image[y - half:y + half + 1, x - half:x + half + 1].astype(numpy.float64)
        want = part.sum() * times
        if abs(float(got[y, x]) - want) > (2 if got.dtype.kind == "u" else 1e-3 * max(1, abs(want))):
            sys.exit(f"gpu_filters.py: {name}, window {window}: {got[y, x]} at {x},{y}, not {want}")


def cupy_filters(size):
    import cupy
    from cupyx.scipy import ndimage
    timer = peers.events(cupy.cuda.Event, cupy.cuda.get_elapsed_time)
    peer = f"cupy {cupy.__version__}"
    for kind, dtype, top in (("u8", cupy.uint8, 256), ("u16", cupy.uint16, 65536), ("f32", cupy.float32, 256)):
        image = (cupy.arange(size * size, dtype=cupy.int64) * 2654435761 // 65536 % top).astype(dtype)
        image = image.reshape(size, size)
        out = cupy.empty_like(image)
        spare = cupy.empty_like(image)
        host = image.get()

        def copy():
            cupy.copyto(spare, image)

        for window in WINDOWS:
            def mean():
                ndimage.uniform_filter(image, window, output=out, mode="nearest")
            yield entry(peer, "box", kind, size, window, mean, timer, copy)
            check(f"{peer} box", size, out.get(), host, window, 1 / window ** 2)
        for sigma in SIGMAS:
            def blur():
                ndimage.gaussian_filter(image, sigma, output=out, mode="nearest", truncate=TRUNCATE)
            yield entry(peer, f"gauss={sigma}", kind, size, 0, blur, timer, copy)
        del image, out, spare
        cupy.get_default_memory_pool().free_all_blocks()


def torch_filters(size):
    import torch
    from torch.nn import functional
    timer = peers.torch_timer(torch)
    peer = f"torch {torch.__version__}"
    image = torch.arange(size * size, dtype=torch.int64, device="cuda") * 2654435761 // 65536 % 256
    image = image.reshape(1, 1, size, size).float()
    spare = torch.empty_like(image)
    host = image.cpu().numpy()[0, 0]
    kept = [None]

    def copy():
        spare.copy_(image)

    with torch.no_grad():
        for window in WINDOWS:
            half = window // 2
            for name, divisor in (("box", None), ("sum", 1)):
                def mean():
                    rows = functional.avg_pool2d(image, (1, window), 1, (0, half), divisor_override=divisor)
                    kept[0] = functional.avg_pool2d(rows, (window, 1), 1, (half, 0), divisor_override=divisor)
                yield entry(peer, name, "f32", size, window, mean, timer, copy)
                check(f"{peer} {name}", size, kept[0].cpu().numpy()[0, 0], host, window,
                      1 if divisor else 1 / window ** 2)
        for sigma in SIGMAS:
            radius = TRUNCATE * sigma
            line = torch.tensor([math.exp(-x * x / (2 * sigma * sigma)) for x in range(-radius, radius + 1)],
                                device="cuda")
            line /= line.sum()

            def blur():
                rows = functional.conv2d(image, line.reshape(1, 1, 1, -1), padding=(0, radius))
                kept[0] = functional.conv2d(rows, line.reshape(1, 1, -1, 1), padding=(radius, 0))
            yield entry(peer, f"gauss={sigma}", "f32", size, 0, blur, timer, copy)

        def halve():
            kept[0] = functional.avg_pool2d(image, 2)
        yield entry(peer, "resize=50%", "f32", size, 0, halve, timer, copy)


def device_of():
    """The device's name, by whichever peer is there."""
    try:
        import torch
        return torch.cuda.get_device_name(0)
    except (ImportError, RuntimeError, AssertionError):
        import cupy
        return cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()


def main():
    parser = shared.parser_of(__doc__)
    parser.add_argument("--sizes", default="4096")
    options = parser.parse_args()
    records = []
    for size in map(int, options.sizes.split(",")):
        for filters in (cupy_filters, torch_filters):
            try:
                records += filters(size)
            except Exception as error:  # of each peer its own where it is missing or finds no device
                peers.note(str(error))
    if not records:
        peers.note("skipped: no peer, or no CUDA device")
        sys.exit(77)
    shared.table(["peer", "filter", "type", "side", "window", "ms", "copy ms", "x copy"],
                 [[r["peer"], r["name"], r["input"], r["width"], r["window"] or "", f"{r['ms']:.4g}",
                   f"{r['copy_ms']:.4g}", f"{r['x_copy']:.2f}"] for r in records])
    shared.write(options.json, records, {"kind": "cuda", "name": device_of(), "driver": peers.driver(), "threads": 1})


if __name__ == "__main__":
    main()

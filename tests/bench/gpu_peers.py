#!/usr/bin/env python3
"""Measures SATs by PyTorch, CuPy, CUB and NPP on a CUDA device.

    gpu_peers.py [--sizes 4096,16384] [--json FILE] [--with-npp]

torch and cupy: cumsum over rows, then over columns, f32 and f64. CUB: cub_sat.cu,
compiled here with nvcc, whose NVCC_PREPEND_FLAGS may name another CCCL by -I; with
--with-npp also nppiIntegral, where libnppist is.
Times are medians by CUDA events beside a copy of the same bytes; each result is
checked. Prints a Markdown table; records are satbench's. A peer that is missing
is named and left out; exits with 77 if all are.
"""
import itertools
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

import measure as shared

HERE = pathlib.Path(__file__).resolve().parent
SAMPLES = 15
LEAST_MS = 2.0


def note(text):
    print(f"gpu_peers.py: {text}", file=sys.stderr)


def measure(elapsed_ms):
    """Median and least ms of one call; elapsed_ms(calls) times so many in a row."""
    elapsed_ms(1)
    calls = 1
    while elapsed_ms(calls) < LEAST_MS and calls < 1024:
        calls *= 2
    samples = [elapsed_ms(calls) / calls for _ in range(SAMPLES)]
    return statistics.median(samples), min(samples)


def record(name, kind, size, work_ms, copy_ms):
    ms, ms_min = measure(work_ms)
    copy, _ = measure(copy_ms)
    return {"table": "sat", "name": name, "input": kind, "sum": kind, "width": size,
            "height": size, "channels": 1, "ms": ms, "ms_min": ms_min, "copy_ms": copy,
            "x_copy": ms / copy}


def check(name, size, right):
    if not right:
        sys.exit(f"gpu_peers.py: {name} {size}: a wrong sum")


def ones_in(size):
    """One pixel in so many is 1: every sum stays below 2^24, exact in f32 too."""
    return (size * size >> 22) + 1


def events(make, elapsed_ms):
    """A function of work: one of calls, the ms that so many take between two events."""
    def timer(work):
        def elapsed(calls):
            begin, end = make(), make()
            begin.record()
            for _ in range(calls):
                work()
            end.record()
            end.synchronize()
            return elapsed_ms(begin, end)
        return elapsed
    return timer


def ones(module, size, **place):
    index = module.arange(size * size, dtype=module.int64, **place)
    return (index * 2654435761 % 4294967296 // 64 % ones_in(size) == 0).reshape(size, size)


def records_of(module, sizes, timer, copy, equal, free, **place):
    """Two cumsums of torch's or cupy's, taken apart again into the image."""
    for size, (kind, dtype) in itertools.product(sizes, (("f32", module.float32), ("f64", module.float64))):
        image = module.zeros((size, size), dtype=dtype, **place)
        image += ones(module, size, **place)
        between, out = module.zeros_like(image), module.zeros_like(image)

        def sat():
            module.cumsum(image, 1, out=between)
            module.cumsum(between, 0, out=out)

        name = f"{module.__name__} {module.__version__} cumsum twice"
        found = record(name, kind, size, timer(sat), timer(lambda: copy(between, image)))
        out -= 1
        sat()
        between[:] = out
        between[1:] -= out[:-1]
        out[:] = between
        out[:, 1:] -= between[:, :-1]
        check(name, size, bool(equal(out, image)))
        yield found
        del image, between, out
        free()


def torch_timer(torch):
    return events(lambda: torch.cuda.Event(enable_timing=True), lambda begin, end: begin.elapsed_time(end))


def torch_records(sizes):
    try:
        import torch
    except ImportError:
        return note("torch is missing"), []
    if not torch.cuda.is_available():
        return note("torch finds no CUDA device"), []
    return torch.cuda.get_device_name(0), list(records_of(
        torch, sizes, torch_timer(torch), lambda to, of: to.copy_(of), torch.equal, torch.cuda.empty_cache,
        device="cuda"))


def cupy_records(sizes):
    try:
        import cupy
        cupy.cuda.runtime.getDeviceCount()
    except ImportError:
        return note("cupy is missing"), []
    except Exception as error:  # cupy's own classes differ between versions
        return note(f"cupy finds no CUDA device: {error}"), []
    return cupy.cuda.runtime.getDeviceProperties(0)["name"].decode(), list(records_of(
        cupy, sizes, events(cupy.cuda.Event, cupy.cuda.get_elapsed_time), cupy.copyto, lambda a, b: (a == b).all(),
        cupy.get_default_memory_pool().free_all_blocks))


def find_npp(nvcc):
    """The flags that link libnppist, or None."""
    toolkit = pathlib.Path(nvcc).resolve().parent.parent
    for folder in ("lib64", "lib", "targets/x86_64-linux/lib"):
        if list((toolkit / folder).glob("libnppist.so*")):
            return ["-DWITH_NPP", f"-L{toolkit / folder}", "-lnppist", "-lnppc",
                    "-Xlinker", f"-rpath={toolkit / folder}"]
    return None


def cub_records(sizes, with_npp):
    nvcc = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
    if not nvcc:
        note("nvcc is missing: no CUB")
        return []
    npp = find_npp(nvcc) if with_npp else []
    if npp is None:
        note("libnppist is missing: no NPP")
        npp = []
    with tempfile.TemporaryDirectory() as folder:
        program = str(pathlib.Path(folder) / "cub_sat")
        built = subprocess.run([nvcc, "-std=c++20", "-O3", "-arch=native", "-o", program,
                                str(HERE / "cub_sat.cu"), *npp], capture_output=True, text=True)
        if built.returncode:
            note(f"cub_sat.cu: {built.stderr.strip()}")
            return []
        done = subprocess.run([program, *map(str, sizes)], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"gpu_peers.py: {done.stderr.strip() or done.returncode}")
        return [json.loads(line) for line in done.stdout.splitlines()]


def driver():
    if not shutil.which("nvidia-smi"):
        return "unknown"
    done = subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"],
                          capture_output=True, text=True)
    return done.stdout.splitlines()[0].strip() if done.stdout.strip() else "unknown"


def main():
    parser = shared.parser_of(__doc__)
    parser.add_argument("--sizes", default="4096,8192,16384")
    parser.add_argument("--with-npp", action="store_true")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]

    torch_device, records = torch_records(sizes)
    cupy_device, more = cupy_records(sizes)
    records += more
    if torch_device or cupy_device or driver() != "unknown":
        records += cub_records(sizes, options.with_npp)
    if not records:
        note("skipped: no peer, or no CUDA device")
        sys.exit(77)
    shared.table(["peer", "input", "sum", "side", "ms", "min", "copy ms", "x copy"],
                 [[r["name"], r["input"], r["sum"], r["width"], f"{r['ms']:.4g}", f"{r['ms_min']:.4g}",
                   f"{r['copy_ms']:.4g}", f"{r['x_copy']:.2f}"] for r in records])
    shared.write(options.json, records, {"kind": "cuda", "name": torch_device or cupy_device or "unknown",
                                         "driver": driver(), "threads": 1})


if __name__ == "__main__":
    main()

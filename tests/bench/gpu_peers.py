#!/usr/bin/env python3
"""Measures SATs by PyTorch, CuPy, CUB and NPP on a CUDA device.

    gpu_peers.py [--sizes 4096,16384] [--json FILE] [--with-npp]

torch and cupy: cumsum over rows, then over columns, f32 and f64. CUB: cub_sat.cu,
compiled here with nvcc; with --with-npp also nppiIntegral, where libnppist is.
Times are medians by CUDA events beside a copy of the same bytes; each result is
checked. Prints a Markdown table; records are satbench's. A peer that is missing
is named and left out; exits with 77 if all are.
"""
import argparse
import datetime
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

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


def torch_records(sizes):
    try:
        import torch
    except ImportError:
        return note("torch is missing"), []
    if not torch.cuda.is_available():
        return note("torch finds no CUDA device"), []

    def timer(work):
        def elapsed(calls):
            begin = torch.cuda.Event(enable_timing=True)
            end = torch.cuda.Event(enable_timing=True)
            begin.record()
            for _ in range(calls):
                work()
            end.record()
            end.synchronize()
            return begin.elapsed_time(end)
        return elapsed

    records = []
    for size in sizes:
        for kind, dtype in (("f32", torch.float32), ("f64", torch.float64)):
            index = torch.arange(size * size, device="cuda", dtype=torch.int64)
            image = (index * 2654435761 % 4294967296 // 64 % ones_in(size) == 0).to(dtype)
            del index
            image = image.reshape(size, size)
            between, out = torch.empty_like(image), torch.empty_like(image)

            def sat():
                torch.cumsum(image, 1, out=between)
                torch.cumsum(between, 0, out=out)

            name = f"torch {torch.__version__} cumsum twice"
            found = record(name, kind, size, timer(sat), timer(lambda: between.copy_(image)))
            out.fill_(-1)
            sat()
            rows = torch.diff(out, dim=0, prepend=torch.zeros_like(out[:1]))
            check(name, size,
                  torch.equal(torch.diff(rows, dim=1, prepend=torch.zeros_like(rows[:, :1])), image))
            records.append(found)
            del image, between, out, rows
            torch.cuda.empty_cache()
    return torch.cuda.get_device_name(0), records


def cupy_records(sizes):
    try:
        import cupy
        cupy.cuda.runtime.getDeviceCount()
    except ImportError:
        return note("cupy is missing"), []
    except Exception as error:  # cupy's own classes differ between versions
        return note(f"cupy finds no CUDA device: {error}"), []

    def timer(work):
        def elapsed(calls):
            begin, end = cupy.cuda.Event(), cupy.cuda.Event()
            begin.record()
            for _ in range(calls):
                work()
            end.record()
            end.synchronize()
            return cupy.cuda.get_elapsed_time(begin, end)
        return elapsed

    records = []
    for size in sizes:
        for kind, dtype in (("f32", cupy.float32), ("f64", cupy.float64)):
            index = cupy.arange(size * size, dtype=cupy.int64)
            image = (index * 2654435761 % 4294967296 // 64 % ones_in(size) == 0).astype(dtype)
            del index
            image = image.reshape(size, size)
            between, out = cupy.empty_like(image), cupy.empty_like(image)

            def sat():
                cupy.cumsum(image, axis=1, out=between)
                cupy.cumsum(between, axis=0, out=out)

            name = f"cupy {cupy.__version__} cumsum twice"
            found = record(name, kind, size, timer(sat),
                           timer(lambda: cupy.copyto(between, image)))
            out.fill(-1)
            sat()
            rows = out.copy()
            rows[1:] -= out[:-1]
            columns = rows.copy()
            columns[:, 1:] -= rows[:, :-1]
            check(name, size, bool((columns == image).all()))
            records.append(found)
            del image, between, out, rows, columns
            cupy.get_default_memory_pool().free_all_blocks()
    properties = cupy.cuda.runtime.getDeviceProperties(0)
    return properties["name"].decode(), records


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
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="4096,8192,16384")
    parser.add_argument("--json")
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
    print("| peer | input | sum | side | ms | min | copy ms | x copy |")
    print("|---|---|---|--:|--:|--:|--:|--:|")
    for r in records:
        print(f"| {r['name']} | {r['input']} | {r['sum']} | {r['width']} | {r['ms']:.4g} | "
              f"{r['ms_min']:.4g} | {r['copy_ms']:.4g} | {r['x_copy']:.2f} |")
    if options.json:
        now = datetime.datetime.now(datetime.timezone.utc)
        command = " ".join([pathlib.Path(sys.argv[0]).name] + sys.argv[1:])
        document = {"program": "gpu_peers.py", "version": "1", "command": command,
                    "date": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
                    "device": {"kind": "cuda", "name": torch_device or cupy_device or "unknown",
                               "driver": driver(), "threads": 1},
                    "records": records}
        pathlib.Path(options.json).write_text(json.dumps(document, indent=2) + "\n")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""The Python package on a device, beside torch, cupyx and a copy. satfilter must be importable.

    python_devices.py [--json FILE]

Checks first (tests/python/test_devices.py has the bits): 1,000 frames in plans and in a captured graph copy nothing to
or from the host and wait for nothing (torch.profiler). Then times, in ms of CUDA events: the least of 20 sets of
20 calls. What torch cannot do is left out; its means of floats have their borders shrunk here.
"""
import cupy
import numpy as np
import torch
from cupyx.scipy import ndimage as cupy_ndimage

import measure
import satfilter
from gpu_peers import torch_timer

FRAMES = 1000
WAITS = ("Synchronize", "Memcpy HtoD", "Memcpy DtoH", "cudaMemcpy")


def picture(shape, dtype):
    rng = np.random.default_rng(5)
    return rng.random(shape, "f4").astype(dtype) if dtype[0] == "f" else rng.integers(0, 256, shape).astype(dtype)


def check(condition, text):
    if not condition:
        measure.fail(text)


def check_frames():
    """What the profiler saw of 1,000 frames, eagerly, by a plan, and in a graph; and the results."""
    frame = torch.from_numpy(picture((1080, 1920), "u1")).cuda()
    want = satfilter.box(frame.cpu().numpy(), 15)
    out, plan = torch.empty_like(frame), satfilter.Plan("box=15", frame)
    stream, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
    with torch.cuda.stream(stream):
        satfilter.box(frame, 15, out=out)
        plan(frame, out)
        stream.synchronize()
        with torch.cuda.graph(graph, stream=stream):
            plan(frame, out)
        ways = {"call": lambda: satfilter.box(frame, 15, out=out), "plan": lambda: plan(frame, out),
                "graph": graph.replay}
        seen = {}
        for name, way in ways.items():
            out.zero_()
            stream.synchronize()
            activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
            with torch.profiler.profile(activities=activities) as profile:
                for _ in range(FRAMES):
                    way()
            events = {e.key: e.count for e in profile.key_averages()}
            bad = {key: n for key, n in events.items() if any(w in key for w in WAITS)}
            # The profiler itself waits once at its end.
            check(sum(bad.values()) <= 2, f"{name}: {FRAMES} frames copied or waited: {bad}")
            seen[name] = sum(n for key, n in events.items() if "aunch" in key)
            check(bool((out.cpu().numpy() == want).all()), f"{name}: other bits than the host's")
    return seen


def time_of(call):
    call()
    elapsed = torch_timer(torch)(call)
    return min(elapsed(20) / 20 for _ in range(20))


def rows_of(side, dtype, size):
    host = picture((side, side), dtype)
    there, out = torch.from_numpy(host).cuda(), torch.empty((side, side), dtype=getattr(torch, np.dtype(dtype).name),
                                                            device="cuda")
    cupys, cupy_out = cupy.asarray(host), cupy.empty(host.shape, dtype)
    plan = satfilter.Plan(f"box={size}", there)
    times = {"copy": time_of(lambda: out.copy_(there)),
             "satfilter.box": time_of(lambda: satfilter.box(there, size, out=out)),
             "satfilter.Plan": time_of(lambda: plan(there, out))}
    with cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream):
        times["cupyx uniform_filter"] = time_of(
            lambda: cupy_ndimage.uniform_filter(cupys, size, output=cupy_out, mode="nearest"))
    if dtype == "f4":
        image = there[None, None]
        times["torch avg_pool2d"] = time_of(lambda: torch.nn.functional.avg_pool2d(
            image, size, stride=1, padding=size // 2, count_include_pad=False))
        ones = torch.full((1, 1, 1, size), 1 / size, device="cuda")
        times["torch conv2d, two passes"] = time_of(lambda: torch.nn.functional.conv2d(
            torch.nn.functional.conv2d(image, ones, padding="same"), ones.transpose(2, 3), padding="same"))
    return [{"call": name, "side": side, "type": np.dtype(dtype).name, "window": size, "ms": ms}
            for name, ms in times.items()]


def main():
    options = measure.parser_of(__doc__).parse_args()
    launches = check_frames()
    records = [row for side, dtype, size in ((1024, "u1", 15), (4096, "u1", 15), (4096, "f4", 15), (4096, "f4", 63))
               for row in rows_of(side, dtype, size)]
    for row in records:
        print(f"{row['type']:8} {row['side']:5} box {row['window']:3} {row['call']:28} {row['ms']:9.4f} ms")
    measure.write(options.json, records, {"name": torch.cuda.get_device_name()}, torch=torch.__version__,
                  cupy=cupy.__version__, frames=FRAMES, launches=launches)


if __name__ == "__main__":
    main()

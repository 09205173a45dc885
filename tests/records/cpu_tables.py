"""Tables of the CPU, of whole commands and of Python, from results/cpu and results/h100."""
import json

from base import digits, grouped, ratio, read, records, side, table


def document(path):
    return json.loads(read(f"results/{path}.json"))


def ms_and_copies(r):
    return f"{digits(r['ms'])} ({digits(r['x_copy'])})"


# --------------------------------------------------------------------- satbench
def sat():
    groups = grouped(records("sat", "cpu"), lambda r: r["name"])
    sizes = [side(r) for r in groups["blocked"]]
    return table(["<ms (copies)", *sizes], [[name, *map(ms_and_copies, group)] for name, group in groups.items()])


def types():
    runs = [records(f"types-{threads}", "cpu") for threads in (1, 2)]
    return table(["<ms (copies)", "1 thread", "2 threads"],
                 [[f"{one['input']} to {one['sum']}", *map(ms_and_copies, (one, two))] for one, two in zip(*runs)])


def filters():
    chosen = [r for threads in (1, 2) for r in records(f"filter-{threads}", "cpu")]
    windows = list(grouped(chosen, lambda r: r["window"]))
    groups = grouped(chosen, lambda r: (r["threads"], r["name"], r["input"], r["output"]))
    return table(["threads", "<filter", "<type", *map(str, windows)],
                 [[threads, name, f"{given} to {output}", *map(ms_and_copies, group)]
                  for (threads, name, given, output), group in groups.items()])


# --------------------------------------------------------------- whole commands
def commands():
    return table(["<command", "ms", "least", "peak MiB", "output KiB", "wrong samples", "off by"],
                 [[r["name"], digits(r["ms"]), digits(r["ms_min"]), digits(r["peak_mib"]), r["output_bytes"] // 1024,
                   f"{100 * r['wrong_samples'] / (3 * 1920 * 1080):.0f} %", r["off_by"]]
                  for r in records("commands", "cpu")])


def png():
    """PPM to PNG by one core and by 16, and from PNG to PNG through a box."""
    rows = []
    for name in ("png-16-1080p", "png-16-8192"):
        runs = records(name, "cpu")
        for level in (1, 6):
            cells = [runs[0]["size"].replace("x", " x "), level]
            for kind in ("writing", "satfilter"):
                one, many = (next(r.get("ms_min", r["ms"]) for r in runs if (r["name"], r["level"], r["cores"]) ==
                                  (kind, level, cores)) for cores in (1, 16))
                cells += [digits(one), digits(many), ratio(one / many, 1)]
            rows.append(cells)
    return table(["<RGB", "level", "PPM to PNG: 1 core, ms", "16 cores", "times",
                  "PNG to PNG, box 15: 1 core, ms", "16 cores", "times"], rows)


def batches():
    return table(["<pictures", "files a second", "over 16 processes", "times one thread", "peak MiB", "on one thread"],
                 [[r["set"], digits(r["files_per_s"]), ratio(r["rate_over_peer"]), ratio(r["times_one_thread"], 1),
                   digits(r["peak_mib"]), digits(r["one_thread_peak_mib"])] for r in records("batch-16", "cpu")])


def pages():
    return table(["<filter", "threads", "--max-memory", "pages a second", "peak MiB"],
                 [[r["filter"], r["threads"], r["max_memory"] or "", digits(300 / r["seconds"]),
                   digits(r["peak_kib"] / 1024)] for r in records("pages-16", "cpu")])


def auto():
    """Whole processes by each --device."""
    rows = []
    for r in records("auto", "h100"):
        filters, pictures = r["case"].split(": ")
        took, = r["took"]["auto"]  # one kind of device for all files
        rows.append([pictures, filters, digits(r["cpu_s"]), digits(r["cuda_s"]),
                     digits(r["auto_s"]), took.split(":")[0], ratio(r["over_better"])])
    return table(["<pictures", "<filters", "cpu", "cuda", "auto", "<auto took", "over the better"], rows)


# ----------------------------------------------------------------------- Python
def python_host():
    """Calls on two machines; all threads are those that a machine has."""
    rows = {}
    for found in (document(f"cpu/{name}") for name in ("python", "python-2")):
        for name, ms in found["ms"].items():
            rows.setdefault(name.replace(f"{found['cpus']} threads", "all threads"), []).append(digits(ms))
    return table(["<ms", "16 processors", "2 processors"], [[name, *cells] for name, cells in rows.items()])


def python_device():
    groups = grouped(records("python", "h100"), lambda r: r["call"])
    columns = list(grouped(records("python", "h100"), lambda r: (r["side"], r["type"], r["window"])))
    rows = []
    for name, group in groups.items():
        at = {(r["side"], r["type"], r["window"]): digits(r["ms"]) for r in group}
        rows.append([name, *(at.get(column, "") for column in columns)])
    return table(["<ms", *(f"{n}², {kind}, {window}" for n, kind, window in columns)], rows)


# ------------------------------------------------------------- performance.md
def files():
    """What takes how long: a command beside others, batches and pages, the CPU beside a device."""
    one = {r["name"]: r for r in records("commands", "cpu")}
    own = one["satfilter --box 15"]
    others = (f"{label} {digits(r['ms'] / own['ms'], 2)} times as long, {digits(r['peak_mib'], 2)} MiB"
              for label, r in (("libvips", one["the same, PNG filter up"]), ("OpenCV", one["C++ OpenCV"])))
    rows = [["1920 × 1080 RGB PNG, box 15", "2 cores", f"{digits(own['ms'] / 1000, 2)} s",
             digits(own["peak_mib"], 2), "; ".join(others)]]
    rows += [[f"{r['files']} {r['set'].split(' ', 1)[1]}, box 31", "16 cores",
              f"{digits(r['files_per_s'], 2)} a second", digits(r["peak_mib"]),
              f"16 processes of one thread {ratio(r['rate_over_peer'])} times as long"]
             for r in records("batch-16", "cpu")]
    rows += [[f"A4 at 300 dpi, TIFF to Group 4, {r['filter'].split('=')[0]}", "16 cores",
              f"{digits(300 / r['seconds'], 2)} a second", digits(r["peak_kib"] / 1024), ""]
             for r in records("pages-16", "cpu") if r["threads"] == 16 and not r["max_memory"]]
    for r in records("auto", "h100"):
        filters, pictures = r["case"].split(": ")
        if pictures in ("a JPEG of 16000 x 16000", "200 JPEG of 1920 x 1080"):
            rows.append([f"{pictures}, {'box 31' if filters == 'box' else 'five filters'}", "16 cores, H100",
                         f"{digits(r['cpu_s'], 2)} s by the CPU, {digits(r['cuda_s'], 2)} s by CUDA", "", ""])
    return table(["<files", "<machine", "<time", "peak MiB", "<beside it"], rows)

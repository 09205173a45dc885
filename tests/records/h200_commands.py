"""Tables of whole commands on the host of a device, from results/h100/ and results/cpu/."""
import json

from base import digits, ratio, read, table


def auto():
    """Whole processes by each --device."""
    rows = []
    for r in json.loads(read("results/h100/auto.json"))["records"]:
        filters, pictures = r["case"].split(": ")
        took, = r["took"]["auto"]  # one kind of device for all files
        rows.append([pictures, filters, digits(r["cpu_s"]), digits(r["cuda_s"]),
                     digits(r["auto_s"]), took.split(":")[0], ratio(r["over_better"])])
    return table(["<pictures", "<filters", "cpu", "cuda", "auto", "<auto took", "over the better"],
                 rows)


def png():
    """PPM to PNG by one core and by 16, and from PNG to PNG through a box."""
    rows = []
    for name in ("png-16-1080p", "png-16-8192"):
        runs = json.loads(read(f"results/cpu/{name}.json"))["records"]
        for level in (1, 6):
            cells = [runs[0]["size"].replace("x", " x "), level]
            for kind in ("writing", "satfilter"):
                one, many = (next(r.get("ms_min", r["ms"]) for r in runs if (r["name"], r["level"], r["cores"]) ==
                                  (kind, level, cores)) for cores in (1, 16))
                cells += [digits(one), digits(many), ratio(one / many, 1)]
            rows.append(cells)
    return table(["<RGB", "level", "PPM to PNG: 1 core, ms", "16 cores", "times",
                  "PNG to PNG, box 15: 1 core, ms", "16 cores", "times"], rows)

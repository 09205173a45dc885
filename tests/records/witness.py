"""The tables of docs/witness.md from the logs of self-tests in results/witness."""
import re

from base import TOP, read, table

RECORDED = "tools/satfilter/selftest/digests.inc"


def digests(path):
    """{"box u8": digits}, and those of all "integers" and all "floats"."""
    return dict(re.findall(r'\{"([^"]+)", "(\w+)"\}', read(path)))


def stale(integers, now):
    """Filters whose results have other digests now than where the digest of all was this one."""
    if integers == now["integers"]:
        return ""
    then = TOP / f"results/witness/digests-{integers[:12]}.inc"
    if not then.exists():
        return "all"
    old = digests(then)
    names = {name.split()[0] for name in old.keys() | now.keys() if " " in name and old.get(name) != now.get(name)}
    return ", ".join(sorted(names)) or "none"


def parse(path):
    """The fields of a log: those of its one witness line, and the lines "run:" and "flags:" above it."""
    text = path.read_text(encoding="utf-8")
    lines = re.findall(r"(?m)^witness: (.*)$", text)
    if len(lines) != 1:
        raise SystemExit(f"witness.py: {path} has {len(lines)} witness lines, not one")
    found = {key: value.strip('"') for key, value in re.findall(r'(\w+)=("[^"]*"|\S*)', lines[0])}
    for key in ("run", "flags"):
        said = re.search(rf"(?m)^{key}: (.*)$", text)
        if not said:
            raise SystemExit(f'witness.py: {path} has no line "{key}: ..."')
        found[key] = said[1]
    return found


def witnesses():
    """A row for each log."""
    now, rows = digests(RECORDED), []
    for log in sorted((TOP / "results/witness").glob("*.log")):
        w = parse(log)
        by = " ".join(filter(None, (w["instructions"].replace(",", ", "), w["devices"])))
        rows.append([w["system"], w["compiler"], f"`{w['flags']}`", w["run"], by, w["cpu"], w["commit"],
                     w["integers"][:8], w["floats"][:8], w["result"], stale(w["integers"], now)])
    return table(["<system", "<compiler", "<flags", "<run", "<kernels", "<CPU", "<commit", "<integers", "<floats",
                  "<result", "<stale filters"], rows)


def apart():
    """The filters whose engines give floats within bounds of one another, and the greatest difference of any border."""
    most = {}
    for line in read("results/witness/apart.txt").splitlines():
        case, engine, _, result = line.split("\t")
        key = " ".join(case.split()[:2])
        most[key, engine] = max(most.get((key, engine), 0), float(re.match(r"within bounds: (\S+) of", result)[1]))
    return table(["<filter and samples", "<engine", "of the largest result"],
                 [[*key, f"{value:.1e}" if value else "none"] for key, value in most.items()])

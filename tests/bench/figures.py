#!/usr/bin/env python3
"""Measures the tables of the CPU in docs/performance.md anew and fills them in.

    figures.py [--build DIR] [--sizes LIST] [--repeat N]

Writes the records to results/cpu/*.json and the tables between the page's
`<!-- NAME -->` and `<!-- end -->`. A few minutes on a quiet machine; --sizes are
those of the table of SATs ("paper": all 13 of the dissertation, up to 11 GiB).
"""
import os
import re
import subprocess
import sys

from measure import TOP, fill, parser_of

HERE = TOP / "tests" / "bench"
RESULTS = TOP / "results" / "cpu"


def run(*command, environment=None):
    done = subprocess.run(command, cwd=TOP, env=environment, text=True, stdout=subprocess.PIPE)
    if done.returncode:
        sys.exit(f"figures.py: {' '.join(map(str, command))}: exit status {done.returncode}")
    return re.sub(" +", " ", done.stdout).strip()  # the page needs no aligned columns


def satbench(build, name, *options):
    """The table of one run; its records go to results/."""
    environment = dict(os.environ, PATH=f"{build}:{os.environ['PATH']}")
    return run("satbench", *options, "--markdown", "--json", f"results/cpu/{name}.json",
               environment=environment)


def rows(table):
    return "\n".join(line for line in table.splitlines()[2:] if line.startswith("|"))


def by_threads(build, name, *options):
    """The same on one and on two threads, in one table."""
    tables = [satbench(build, f"{name}-{n}", *options, "-T", str(n)) for n in (1, 2)]
    return "\n".join(tables[0].splitlines()[:2] + [rows(table) for table in tables])


def main():
    parser = parser_of(__doc__, build=".", repeat=15)
    parser.add_argument("--sizes", default="1K,2K,4K,8K")
    arguments = parser.parse_args()
    build = arguments.build
    RESULTS.mkdir(parents=True, exist_ok=True)
    filters = ("filter", "--sizes", "4K", "--types", "u8,f32", "--windows", "3,15,63,255")
    peers = ("--build", os.path.relpath(build, TOP), "--repeat", str(arguments.repeat), "--json")
    load = os.getloadavg()[0]
    tables = {
        "load": f"Load average over the minute before the first figure: {load:.2f} (a quiet "
                "machine: 0).",
        "sat": satbench(build, "sat", "sat", "--sizes", arguments.sizes, "-T", "1"),
        "types": by_threads(build, "types", "sat", "--sizes", "4K", "--types", "u8,u16,f32,f64",
                            "--algorithms", "blocked"),
        "filter": by_threads(build, "filter", *filters),
        "commands": run(HERE / "commands.py", "box", *peers, "results/cpu/commands.json"),
    }
    fill("docs/performance.md", tables)


if __name__ == "__main__":
    main()

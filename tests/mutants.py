#!/usr/bin/env python3
"""mutants.py [--seed N] [--count N] [--mutants FILE] [--json FILE] [--source DIR]

Puts small faults into src one by one, as a hand would slip, and says which of them the tests find: a
test that fails or hangs has found one. The faults come from the seed, or from an earlier record
(--mutants), so that the tests of two commits can be held against one another: --source is the tree
whose src and tests are taken. A fault that does not compile is passed over.

Building and running each test once takes eight minutes or so on two cores, a fault some seconds to
minutes more. The tree itself is never touched: all happens in a copy."""

import argparse
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

# What is looked for in a line, and what takes its place.
SLIPS = [
    (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "),
    (r" == ", " != "), (r" != ", " == "), (r" && ", " || "), (r" \|\| ", " && "),
    (r" \+ ", " - "), (r" - ", " + "), (r" \+ 1\b", ""), (r" - 1\b", ""),
    (r" \+= ", " -= "), (r" \* ", " + "), (r" << ", " >> "), (r"\+\+", "--"),
    (r"\bmin\b", "max"), (r"\btrue\b", "false"), (r"\bfalse\b", "true"),
    (r"return 0;", "return 1;"), (r"\b0\)", "1)"), (r"\? (\w+) : (\w+);", r"? \2 : \1;"),
]
# Declarations, preprocessor lines, and what is compiled for nobody here.
PASSED_OVER = re.compile(r"^\s*(#|//|/?\*|extern|typedef|static_assert|_Static_assert|\w[\w ]*\*?\w+\(.*\);$)")
MEMORY = 12 << 30 # of a process: a fault may ask for all there is
SKIPPED = 77 # exit status
FOLDERS = ("base", "filter", "io", "move", "permute", "pipeline", "sat", "window")


def sites(source):
    """Every place where a fault can be put, in an order that only the text decides."""
    found = []
    for folder in FOLDERS:
        for path in sorted((source / "src" / folder).glob("*.c")):
            comment = False
            for number, line in enumerate(path.read_text().split("\n")):
                code = not comment and not PASSED_OVER.match(line) and '"' not in line
                comment = (comment or "/*" in line) and "*/" not in line
                if not code:
                    continue
                for slip, (pattern, _) in enumerate(SLIPS):
                    for match in re.finditer(pattern, line.split("/*")[0]):
                        found.append((str(path.relative_to(source)), number, slip, match.start()))
    return found


def put(line, slip, at):
    pattern, replacement = SLIPS[slip]
    return line[:at] + re.sub(pattern, replacement, line[at:], count=1)


def make_mutant(source, site):
    path, number, slip, at = site
    before = (source / path).read_text().split("\n")[number]
    return {"file": path, "line": number + 1, "before": before, "after": put(before, slip, at)}


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


class Tree:
    """A built copy of the source, whose tests run."""

    def __init__(self, source, work):
        self.root, self.source = work / "build", work / "source"
        shutil.copytree(source, self.source, ignore=shutil.ignore_patterns(
            ".git", "*.o", "*.lo", "*.la", ".libs", "*.trs", "*.log", "Makefile", "config.status"))
        self.root.mkdir()
        self.run("configure", [str(self.source / "configure"), "--quiet", "--disable-cuda", "CFLAGS=-O1"])
        said = self.run("tests", ["make", "-s", "-f", "-", "print"], "include Makefile\nprint:\n"
                        "\t@$(AM_TESTS_ENVIRONMENT) env; echo tests=$(check_PROGRAMS)\n")
        self.environment = dict(re.findall(r"^(\w+)=(.*)$", said, re.MULTILINE))
        self.tests = sorted(self.environment.pop("tests").split()) + ["tests/cli.sh"]
        self.run("build", self.make("check", "TESTS="))
        self.seconds = {}
        failed = self.first_failure(self.tests)
        if failed:
            sys.exit(f"mutants.py: {failed} fails without any fault")
        self.found = dict.fromkeys(self.tests, 0)

    def make(self, *words):
        return ["make", "-s", f"-j{os.cpu_count()}", *words]

    def run(self, what, command, text=None):
        done = subprocess.run(command, cwd=self.root, input=text, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"mutants.py: {what} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.stdout

    def start(self, test):
        folder = self.source if test.endswith(".sh") else self.root
        return subprocess.Popen([folder / test], cwd=self.root, env=self.environment, start_new_session=True,
                                preexec_fn=limit_memory, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)

    def first_failure(self, tests):
        """The first of these tests that fails or hangs; one a core runs at a time, none after that."""
        waiting, running = list(tests), {}
        try:
            while waiting or running:
                while waiting and len(running) < os.cpu_count():
                    running[waiting[0]] = self.start(waiting[0]), time.monotonic()
                    del waiting[0]
                time.sleep(0.01)
                for test, (process, began) in list(running.items()):
                    seconds = time.monotonic() - began
                    if process.poll() is None:
                        if seconds > 20 + 10 * self.seconds.get(test, 60):
                            return test
                        continue
                    del running[test]
                    if process.returncode not in (0, SKIPPED):
                        return test
                    self.seconds.setdefault(test, seconds)
            return None
        finally:
            for process, _ in running.values():
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def compiles(self):
        done = subprocess.run(self.make("check", "TESTS="), cwd=self.root, capture_output=True)
        return done.returncode == 0

    def finder(self):
        """A test that fails. Those that found most in least time come first."""
        test = self.first_failure(sorted(self.tests, key=lambda t: self.seconds[t] / (1 + self.found[t])))
        if test:
            self.found[test] += 1
        return test

    def attempt(self, mutant):
        """False where the fault cannot be put or does not compile; else "by" says who found it."""
        path = self.source / mutant["file"]
        whole = path.read_text() if path.exists() else ""
        lines = whole.split("\n")
        at = mutant["line"] - 1
        if at >= len(lines) or lines[at] != mutant["before"]: # another commit's: by its text
            if lines.count(mutant["before"]) != 1:
                return False
            at = lines.index(mutant["before"])
        lines[at] = mutant["after"]
        path.write_text("\n".join(lines))
        try:
            if not self.compiles():
                return False
            mutant["by"] = self.finder()
            return True
        finally:
            path.write_text(whole)


def main():
    here = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--mutants", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--source", type=pathlib.Path, default=here)
    options = parser.parse_args()
    if options.mutants:
        wanted = json.loads(options.mutants.read_text())["mutants"]
    else:
        places = sites(options.source)
        random.Random(options.seed).shuffle(places)
        wanted = (make_mutant(options.source, place) for place in places)
    kept = []
    with tempfile.TemporaryDirectory() as work:
        tree = Tree(options.source, pathlib.Path(work))
        for mutant in wanted:
            if len(kept) == options.count:
                break
            if tree.attempt(mutant):
                kept.append(mutant)
                print(f"{mutant['by'] or 'NOT FOUND':32} {mutant['file']}:{mutant['line']}: "
                      f"{mutant['before'].strip()} -> {mutant['after'].strip()}", flush=True)
    found = sum(mutant["by"] is not None for mutant in kept)
    print(f"{len(kept)} faults, {found} found, {len(kept) - found} not")
    if options.json:
        options.json.write_text(json.dumps({"seed": options.seed, "mutants": kept}, indent=1) + "\n")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""mutants.py [--seed N] [--count N] [--mutants FILE] [--json FILE] [--source DIR] [--seconds N]

Puts small faults into src one by one, as a hand would slip, and says which of them the tests find: a
test that fails or hangs has found one. The faults come from the seed, or from an earlier record
(--mutants), so that the tests of two commits can be held against one another: --source is the tree
whose src and tests are taken. A fault that does not compile is passed over. A run that was cut off
(--seconds) goes on where it stopped when it is given the same record (--json).

Each fault has a copy of the built tree; a file of tests runs at a time on each core, the fastest of all
faults first, and none of a fault that is found. The tree itself is never touched."""

import argparse
import itertools
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
import threading
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
CORES = os.cpu_count()


def sites(source):
    """Every place where a fault can be put, in an order that only the text decides."""
    found = []
    for path in sorted((source / "src").rglob("*.c")):
        if "study" in path.parts:
            continue
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


def make_mutant(source, site):
    path, number, slip, at = site
    before = (source / path).read_text().split("\n")[number]
    pattern, replacement = SLIPS[slip]
    after = before[:at] + re.sub(pattern, replacement, before[at:], count=1)
    return {"file": path, "line": number + 1, "before": before, "after": after}


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


class Tree:
    """A built copy of the source, whose tests run."""

    def __init__(self, root, environment):
        self.root, self.environment = root, environment
        self.building = threading.Lock() # else two workers link one program at once

    @classmethod
    def build(cls, source, root):
        shutil.copytree(source, root, ignore=shutil.ignore_patterns(
            ".git", "*.o", "*.lo", "*.la", ".libs", "*.trs", "*.log", "Makefile", "config.status"))
        tree = cls(root, {})
        tree.must([str(root / "configure"), "--quiet", "--disable-cuda", "CFLAGS=-O1"])
        said = tree.must(["make", "-s", "-f", "-", "print"], "include Makefile\nprint:\n"
                         "\t@$(AM_TESTS_ENVIRONMENT) env; echo tests=$(check_PROGRAMS)\n")
        tree.environment = dict(re.findall(r"^(\w+)=(.*)$", said, re.MULTILINE))
        programs = sorted(tree.environment.pop("tests").split())
        tree.must(tree.make(CORES))
        tests = [[program, *words] for program in programs for words in tree.parts(program)]
        return tree, tests + [["tests/cli.sh"], ["tests/module.sh"]]

    def parts(self, program):
        """What a program can be asked to run alone: its files of cases."""
        if not (self.root / "tests/test.h").exists():
            return [[]]
        said = subprocess.run([self.root / program, "--list"], cwd=self.root, env=self.environment,
                              capture_output=True, text=True)
        names = dict.fromkeys(line.split("/")[0] for line in said.stdout.split()) if said.returncode == 0 else {}
        return [[name] for name in names] or [[]]

    def copy(self, root):
        subprocess.run(["cp", "-a", "--reflink=auto", self.root, root], check=True)
        return Tree(root, {k: v.replace(str(self.root), str(root)) for k, v in self.environment.items()})

    @staticmethod
    def make(jobs):
        return ["make", "-s", f"-j{jobs}", "check", "TESTS="]

    def must(self, command, text=None):
        done = subprocess.run(command, cwd=self.root, input=text, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"mutants.py: {command[0]} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.stdout

    def compiles(self, mutant):
        """Puts the fault in; False where there is no place for it or it does not compile."""
        path = self.root / mutant["file"]
        for moved in [] if path.exists() else self.root.glob("src/**/" + path.name):
            if moved.read_text().split("\n").count(mutant["before"]) == 1:
                path = moved
        lines = path.read_text().split("\n") if path.exists() else []
        at = mutant["line"] - 1
        if at >= len(lines) or lines[at] != mutant["before"]: # another commit's: by its text
            if lines.count(mutant["before"]) != 1:
                return False
            at = lines.index(mutant["before"])
        lines[at] = mutant["after"]
        path.write_text("\n".join(lines))
        return subprocess.run(["make", "-s"], cwd=self.root, capture_output=True).returncode == 0

    def passes(self, test, seconds, over):
        """Whether it ends well within this time; None: it was stopped, since over() said so."""
        with self.building:
            if not test[0].endswith(".sh"):
                self.must(["make", "-s", test[0]])
        process = subprocess.Popen([self.root / test[0], *test[1:]], cwd=self.root, env=self.environment,
                                   start_new_session=True, preexec_fn=limit_memory, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        began = time.monotonic()
        try:
            while process.poll() is None:
                if over():
                    return None
                if time.monotonic() - began > seconds:
                    return False
                time.sleep(0.01)
            return process.returncode in (0, SKIPPED)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


class Hunt:
    """Workers share one queue: the fastest test of any fault, else the next fault."""

    def __init__(self, options, work):
        self.options, self.work = options, work
        self.end = time.monotonic() + options.seconds
        self.tree, self.tests = Tree.build(options.source, work / "tree")
        self.lock = threading.Condition()
        self.seconds, self.live, self.kept, self.left_out = {}, [], [], []
        self.number = 0

    @staticmethod
    def name(test):
        return " ".join(test)

    def over(self):
        return time.monotonic() > self.end

    def time_tests(self):
        """Each once without a fault: how long it takes, and that it passes."""
        waiting = list(self.tests)

        def run():
            while True:
                with self.lock:
                    if not waiting:
                        return
                    test = waiting.pop()
                began = time.monotonic()
                good = self.tree.passes(test, 900, lambda: False)
                self.seconds[self.name(test)] = time.monotonic() - began
                if not good:
                    print(f"{self.name(test)} fails without any fault: left out", flush=True)
                    self.left_out.append(self.name(test))
        self.side_by_side(run)
        self.tests = [test for test in self.tests if self.name(test) not in self.left_out]
        self.tests.sort(key=lambda test: self.seconds[self.name(test)])
        for test in self.tests[-40:]:
            print(f"{self.seconds[self.name(test)]:6.1f} {self.name(test)}")
        print(f"{len(self.tests)} parts, {sum(self.seconds.values()):.0f} s of a core without a fault", flush=True)

    @staticmethod
    def side_by_side(run):
        threads = [threading.Thread(target=run) for _ in range(CORES)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def next_job(self):
        """A fault and its next test; a fault and None: a new one, to be built; None: all is done."""
        with self.lock:
            while True:
                if self.over():
                    return None
                jobs = [m for m in self.live if m["ready"] and m["todo"]]
                if jobs:
                    fault = min(jobs, key=lambda m: self.seconds[self.name(m["todo"][0])])
                    fault["running"] += 1
                    return fault, fault["todo"].pop(0)
                if len(self.live) < 2 * CORES and len(self.kept) + len(self.live) < self.options.count:
                    mutant = next(self.wanted, None)
                    if mutant and "by" in mutant: # an earlier run ended with it
                        self.kept.append(mutant)
                        continue
                    if mutant:
                        self.number += 1
                        passed = set(mutant.get("passed", []))
                        fault = {"mutant": mutant, "ready": False, "running": 1, "found": None,
                                 "todo": [t for t in self.tests if self.name(t) not in passed],
                                 "root": self.work / str(self.number)}
                        self.live.append(fault)
                        return fault, None
                if not self.live:
                    return None
                self.lock.wait(1)

    def build(self, fault):
        tree = self.tree.copy(fault["root"])
        good = tree.compiles(fault["mutant"])
        with self.lock:
            fault["tree"], fault["ready"] = tree, good
            fault["running"] -= 1
            if not good:
                self.live.remove(fault)
                shutil.rmtree(fault["root"], ignore_errors=True)
            else:
                self.settle(fault)

    def run(self, fault, test):
        limit = 20 + 10 * self.seconds[self.name(test)]
        good = fault["tree"].passes(test, limit, lambda: self.over() or fault["found"])
        with self.lock:
            fault["running"] -= 1
            if good:
                fault["mutant"].setdefault("passed", []).append(self.name(test))
            elif good is False and not fault["found"]:
                fault["found"] = self.name(test)
                fault["todo"].clear()
            self.settle(fault)

    def settle(self, fault):
        """Under the lock: says how it went, once nothing more of it is to run."""
        if not fault["todo"] and not fault["running"] and not self.over():
            mutant = fault["mutant"]
            mutant["by"] = fault["found"]
            self.live.remove(fault)
            self.kept.append(mutant)
            shutil.rmtree(fault["root"], ignore_errors=True)
            print(f"{mutant['by'] or 'NOT FOUND':32} {mutant['file']}:{mutant['line']}: "
                  f"{mutant['before'].strip()} -> {mutant['after'].strip()}", flush=True)
        self.lock.notify_all()

    def work_on(self):
        while True:
            job = self.next_job()
            if not job:
                return
            if job[1] is None:
                self.build(job[0])
            else:
                self.run(*job)

    def hunt(self, wanted):
        self.wanted = wanted
        self.time_tests()
        self.side_by_side(self.work_on)
        left = [fault["mutant"] for fault in self.live]
        for mutant in self.kept:
            mutant.pop("passed", None)
        found = sum(mutant["by"] is not None for mutant in self.kept)
        print(f"{len(self.kept)} faults, {found} found, {len(self.kept) - found} not"
              + (f", {len(left)} left open" if left else ""))
        return self.kept + left


def main():
    here = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--mutants", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--source", type=pathlib.Path, default=here)
    parser.add_argument("--seconds", type=float, default=1e9)
    options = parser.parse_args()
    before = []
    if options.mutants:
        keys = ("file", "line", "before", "after")
        wanted = [{key: m[key] for key in keys} for m in json.loads(options.mutants.read_text())["mutants"]]
    else:
        places = sites(options.source)
        random.Random(options.seed).shuffle(places)
        wanted = (make_mutant(options.source, place) for place in places)
    if options.json and options.json.exists():
        before = json.loads(options.json.read_text())["mutants"]
        seen = {(m["file"], m["line"], m["after"]) for m in before}
        wanted = (m for m in wanted if (m["file"], m["line"], m["after"]) not in seen)
    with tempfile.TemporaryDirectory() as work:
        hunt = Hunt(options, pathlib.Path(work))
        record = {"seed": options.seed, "mutants": hunt.hunt(itertools.chain(before, wanted)),
                  "left_out": hunt.left_out}
    if options.json:
        options.json.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()

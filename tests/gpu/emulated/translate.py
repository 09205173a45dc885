#!/usr/bin/env python3
"""translate.py SOURCE FOLDER: writes the kernels of SOURCE/cuda into FOLDER/cuda as C++ for a host's
compiler, and of SOURCE/src and SOURCE/filters what they include. Prints the names of the files to compile.

Three things of CUDA are no C++: launches, shared memory of no fixed size, and PTX, of which each
instruction that cuda/ has is a row of PTX here. All else is in cuda_runtime.h."""

import pathlib
import re
import sys

FOLDERS = ("base", "formula", "lines", "move", "permute", "products", "sums")

# The beginning of an instruction, and what it is here: {0} the first operand, {outs} the words it makes.
PTX = (
    ("", ""),
    ("prefetch.", ""),
    ("ld.shared.", "{{ unsigned *to[] = {{{outs}}}; emulated_load({first}, {count}, to); }}"),
    ("st.shared.v4.", "{{ const unsigned of[] = {{{ins}}}; emulated_store({0}, of, sizeof of); }}"),
    ("st.shared.u8 ", "{{ uint8_t of = (uint8_t)({1}); emulated_store({0}, &of, 1); }}"),
    ("mbarrier.init.shared.b64", "emulated_barrier_make({0}, (unsigned)({1}));"),
    ("{ .reg .b64 state; mbarrier.arrive.shared.b64", "emulated_barrier_arrive({0});"),
    ("{ .reg .pred p; mbarrier.test_wait", "{0} = emulated_barrier_test({1}, {2});"),
    ("cp.async.cg.shared.global [%0], [%1], 16;", "emulated_store({0}, {1}, 16);"),
    ("cp.async.mbarrier.arrive.noinc", "emulated_barrier_arrive({0});"),
    ("sqrt.approx.ftz.f32", "{0} = emulated_root({1});"),
    ("rcp.approx.ftz.f32", "{0} = emulated_inverse({1});"),
)


def closing(text, start, pair="()"):
    """The place behind what closes the bracket at start."""
    depth = 0
    for i in range(start, len(text)):
        depth += (text[i] == pair[0]) - (text[i] == pair[1])
        if depth == 0:
            return i + 1
    raise SystemExit(f"translate.py: nothing closes {text[start:start + 40]!r}")


def listed(text):
    """The items of a list between commas that are in no bracket."""
    items, depth, item = [], 0, ""
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            items.append(item.strip())
            item = ""
        else:
            item += c
    return items + [item.strip()] if item.strip() else items


def statement(body):
    """An asm statement, of what is between its parentheses."""
    active = body.replace("::", ": :")  # so that empty lists are seen
    parts = [""]
    depth, quoted = 0, False
    for c in active:
        quoted ^= c == '"'
        depth += 0 if quoted else (c in "([{") - (c in ")]}")
        if c == ":" and depth == 0 and not quoted:
            parts.append("")
        else:
            parts[-1] += c
    text = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', parts[0]))
    text = " ".join(text.replace("\\n", " ").replace("\\t", " ").split())
    operands = [[item[item.index("(") + 1:-1] for item in listed(part)] for part in parts[1:3]]
    outs, ins = (operands + [[], []])[:2]
    row = [to for start, to in PTX if text == start or start and text.startswith(start)]
    if not row:
        raise SystemExit(f"translate.py: no row for {text!r}")
    of = ", ".join(f"(unsigned *)&({out})" for out in outs)
    return row[-1].format(*outs, *ins, outs=of, count=len(outs), first=ins[0] if ins else "",
                          ins=", ".join(f"(unsigned)({value})" for value in ins[1:]))


def assembly(text):
    """Its asm statements as C++, but for those of devices from 9.0 on, which go."""
    text = re.sub(r"#if defined\(__CUDA_ARCH__\) && __CUDA_ARCH__ >= 900\n.*?(?:#else\n(.*?))?#endif.*?\n",
                  lambda found: found[1] or "", text, flags=re.S)
    found = re.compile(r"\basm(?: volatile)?\(")
    while (at := found.search(text)) is not None:
        end = closing(text, at.end() - 1)
        text = text[:at.start()] + statement(text[at.end():end - 1]) + text[end + 1:]
    return text


def launches(text):
    """kernel<<<grid, threads, ...>>>(...) as emulated_launch(emulated_grid(...), [&] { kernel(...); })."""
    while (at := text.find("<<<")) >= 0:
        start = len(text[:at].rstrip())
        if text[start - 1] == ">":
            depth = 0
            while True:
                start -= 1
                depth += (text[start] == ">") - (text[start] == "<")
                if depth == 0:
                    break
        if text[start - 1] == ")":
            depth = 0
            while True:
                start -= 1
                depth += (text[start] == ")") - (text[start] == "(")
                if depth == 0:
                    break
        while text[start - 1].isalnum() or text[start - 1] in "_:.":
            start -= 1
        middle = text.index(">>>", at)
        arguments = text.index("(", middle)
        end = closing(text, arguments)
        given = text[arguments + 1:end - 1]
        text = (f"{text[:start]}emulated_launch(emulated_grid({text[at + 3:middle]}), [&] {{"
                f" {text[start:at].strip()}({given}); }}){text[end:]}")
    return text


def products(text):
    """multiply.cuh, whose macros write asm statements, by multiply.h."""
    start = text.index("#if !defined(__CUDA_ARCH__)")
    text = text[:start] + '#include "multiply.h"\n' + text[text.index("#endif", start) + 7:]
    for depth, words in (("k32", "b0, b1"), ("k16", "b")):
        start = text.index("product d;", text.index(f'"{depth}"') - 120)
        call = f"emulated_multiply(d.at, {depth[1:]}, SIGN == SIGNED_WEIGHTS, a, of);"
        end = text.index("return d;", start)
        text = f"{text[:start]}product d = c; uint32_t of[] = {{{words}}}; {call} {text[end:]}"
    return text


def translate(text):
    text = re.sub(r"extern __shared__ (?:__align__\(\d+\) )?(\w+) (\w+)\[\];",
                  r"\1 *const \2 = (\1 *)(void *)emulated_shared;", text)
    return launches(assembly(text))


def write(path, text):
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def main():
    source, target = map(pathlib.Path, sys.argv[1:])
    for folder in FOLDERS:
        for path in sorted((source / "cuda" / folder).iterdir()):
            if path.suffix not in (".cu", ".cuh", ".h"):
                continue
            text = path.read_text()
            if path.name == "multiply.cuh":
                text = products(text)
            name = path.stem + ".cpp" if path.suffix == ".cu" else path.name
            write(target / "cuda" / folder / name, translate(text))
            if path.suffix == ".cu":
                print(f"cuda/{folder}/{name}")
    write(target / "cuda/backend.cpp", (source / "cuda/backend.cu").read_text())
    for folder in ("src", "filters"):
        for path in sorted((source / folder).rglob("*")):
            if path.suffix in (".h", ".inc", ".def") and path.is_file():
                text = path.read_text()
                write(target / path.relative_to(source), assembly(text) if "asm(" in text else text)


main()

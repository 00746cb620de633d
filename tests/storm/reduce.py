#!/usr/bin/env python3
"""Makes the script of a storm that failed short: leaves transactions out as long as the replay still fails.

    reduce.py build/release/tests/storm/test_storm SEED SCRIPT [--says TEXT] [--settle 20] [--no-verify]

With --says only a failure whose output has that text counts. Each try is a whole run, some seconds when it passes
and longer when it fails, so it takes a while. The shortest script that failed so far is SCRIPT.min."""
import subprocess
import sys


def units(lines):
    """What is left out as a whole: one writer's transaction, a statement outside of any, an event. Each is
    a list of (line number, line)."""
    out, open_units = [], {}
    for numbered in enumerate(lines):
        line = numbered[1]
        if line.startswith("--! "):
            out.append([numbered])
            continue
        if line.startswith("--"):
            continue
        writer = line.rsplit("; -- ", 1)[1].split()[0]
        sql = line.lower()
        if sql.startswith("begin"):
            open_units[writer] = []
            out.append(open_units[writer])
        elif writer not in open_units:
            out.append([numbered])
            continue
        open_units[writer].append(numbered)
        if sql.startswith(("commit", "rollback", "prepare transaction")) and not sql.startswith("rollback to"):
            open_units.pop(writer, None)
    return out


def write(chosen, path):
    """In the order of the script, so that the writers still take turns."""
    with open(path, "w") as out:
        out.writelines(line for _, line in sorted(pair for unit in chosen for pair in unit))


def fails(program, seed, chosen, path, text, more):
    write(chosen, path)
    done = subprocess.run([program, seed, "--replay", path, *more], capture_output=True, text=True, errors="replace")
    return done.returncode != 0 and text in done.stdout


def main():
    program, seed, script, *more = sys.argv[1:]
    said = ""
    if more[:1] == ["--says"]:
        said, more = more[1], more[2:]
    with open(script) as text:
        chosen = units(text.readlines())
    start = next(pair for unit in chosen for pair in unit if pair[1].startswith("--! start"))
    trial = script + ".try"
    if not fails(program, seed, chosen, trial, said, more):
        sys.exit("the replay of the whole script passes: what failed depends on the moment")
    size = len(chosen) // 2
    while size >= 1:
        at = 0
        while at < len(chosen):
            without = chosen[:at] + chosen[at + size:]
            if [start] in without and fails(program, seed, without, trial, said, more):
                chosen = without
                write(chosen, script + ".min")
                print(f"{len(chosen)} transactions left", flush=True)
            else:
                at += size
        size //= 2


if __name__ == "__main__":
    main()

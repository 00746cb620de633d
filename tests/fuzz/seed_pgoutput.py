#!/usr/bin/env python3
"""Makes corpus/pgoutput/seed-* from tests/pgoutput/data/*.hex: of each type, length and context the
first message of at most 400 bytes. Run by hand after captures were recorded anew; the files are committed. The
other files, found-*, are what libFuzzer found worth keeping (-merge=1), or what crashed once."""
import pathlib

here = pathlib.Path(__file__).resolve().parent
corpus = here / "corpus" / "pgoutput"
corpus.mkdir(parents=True, exist_ok=True)
for old in corpus.glob("seed-*"):
    old.unlink()

IN_STREAM, PARALLEL = 1, 2  # as in pgoutput_input.hpp
seen = set()
for capture in sorted((here.parent / "pgoutput" / "data").glob("*.hex")):
    context = 0
    for line in capture.read_text().splitlines():
        if line.startswith("#"):
            context |= PARALLEL if "streaming=parallel" in line else 0
            continue
        message = bytes.fromhex(line)
        kind = message[0:1].decode()
        context &= ~IN_STREAM if kind == "E" else ~0
        shape = (kind, len(message), context)
        if shape not in seen and len(message) <= 400:
            seen.add(shape)
            # The letter's case would be lost on some file systems: the type is named by its byte.
            name = f"seed-{message[0]:02x}-{len(message)}-{context}"
            (corpus / name).write_bytes(bytes([context]) + message)
        context |= IN_STREAM if kind == "S" else 0
print(len(seen), "seeds")

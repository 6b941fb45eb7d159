#!/usr/bin/env python3
"""Checks what the compiler does not: that rooms include only rooms below them, that DuckDB's headers stay in src/duckdb
and src/cli, that words of the protocol stay out of src/duckdb, and a few rules of names. Then it prints what has grown
large; size alone fails nothing. Exit code 1 when a rule is broken.

    tools/check_layers.py [--includes]     only what the rooms include, as the build asks
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SRC = ROOT / "src"

# In the order of their dependencies: a room may include itself and those named, and what those may include.
ROOMS = {
    "core/base": [],
    "core/schema": ["core/base"],
    "core/io": ["core/schema"],
    "core/log": ["core/io"],
    "core/table": ["core/log"],
    "core/scan": ["core/table"],
    "core/txn": ["core/scan"],
    "core/maintenance": ["core/txn"],
    "core/changes": ["core/txn"],
    "storage": ["core/base", "core/io"],
    "sql": ["core/schema"],
    "duckdb": ["core/maintenance", "core/changes", "storage", "sql"],
    "cli": ["duckdb"],
}
SEES_DUCKDB = {"duckdb", "cli"}

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.M)
DUCKDB_HEADER = re.compile(r"^(duckdb\.h(pp)?$|duckdb/|parquet_|thrift/|yyjson_utils)")
PROTOCOL_WORD = re.compile(
    r"\b(minReaderVersion|minWriterVersion|readerFeatures|writerFeatures|partitionValues|baseRowId|"
    r"defaultRowCommitVersion|pathOrInlineDv|_delta_log|_last_checkpoint)\b")
BORROWED_NAMES = {"transaction_manager"}  # DuckDB's own name for it
VAGUE_NAME = re.compile(r"(^|_)(utils?|helpers?|common|managers?|misc)(_|$)")
PROMISE = re.compile(r"\b(TODO|FIXME|XXX)\b")
MACHINE_PATH = re.compile(r"""["'(= ](/home|/root|/work|/Users)/\w""")

LIMITS = {".cpp": 500, ".hpp": 200, ".py": 500}
FUNCTION_LIMIT = 60
ROOM_LIMIT = 15


def allowed(room: str) -> set:
    seen, todo = {room}, list(ROOMS[room])
    while todo:
        other = todo.pop()
        if other not in seen:
            seen.add(other)
            todo += ROOMS[other]
    return seen


def room_of(path: str):
    parts = path.split("/")
    for length in (2, 1):
        if "/".join(parts[:length]) in ROOMS:
            return "/".join(parts[:length])
    return None


def line_of(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def check_source(file: pathlib.Path, text: str) -> list:
    name = file.relative_to(SRC).as_posix()
    room = room_of(name)
    if room is None:
        return [f"src/{name}: belongs to no room of tools/check_layers.py"]
    problems = []
    may = allowed(room)
    for match in INCLUDE.finditer(text):
        header, line = match.group(1), line_of(text, match.start())
        if (SRC / header).exists():
            target = room_of(header)
            if target not in may:
                problems.append(f"src/{name}:{line}: {room} may not include {header} ({target} stands above it)")
        elif DUCKDB_HEADER.match(header) and room not in SEES_DUCKDB:
            problems.append(f"src/{name}:{line}: {room} may not include DuckDB's {header}")
        elif room_of(header) and not DUCKDB_HEADER.match(header):
            problems.append(f"src/{name}:{line}: there is no src/{header}")
    if room == "duckdb":
        for match in PROTOCOL_WORD.finditer(text):
            problems.append(f"src/{name}:{line_of(text, match.start())}: '{match.group()}' is a word of the protocol: "
                            "it belongs in core")
    return problems


def check_any(file: pathlib.Path, text: str) -> list:
    name = file.relative_to(ROOT).as_posix()
    problems = []
    if VAGUE_NAME.search(file.stem) and file.stem not in BORROWED_NAMES:
        problems.append(f"{name}: a name that says nothing about what is inside")
    for pattern, why in ((PROMISE, "a promise of later work"), (MACHINE_PATH, "a path of one machine")):
        for match in pattern.finditer(text):
            problems.append(f"{name}:{line_of(text, match.start())}: {why}: {match.group().strip()}")
    if file.suffix in (".cpp", ".hpp") and "\t" in text:
        problems.append(f"{name}:{line_of(text, text.index(chr(9)))}: a tab")
    return problems


def long_functions(text: str):
    """Definitions that start at the margin, as clang-format leaves them: from their first line to the closing brace."""
    begin, name = None, ""
    for number, line in enumerate(text.split("\n"), 1):
        if begin is None:
            if re.match(r"[A-Za-z_].*\(", line) and not re.match(r"(namespace|struct|class|enum|using|#)", line):
                if not line.rstrip().endswith((";", "}")):
                    begin, name = number, line.split("(")[0].split()[-1].lstrip("*&")
            continue
        if line.startswith("}"):
            if number - begin + 1 > FUNCTION_LIMIT:
                yield number - begin + 1, name
            begin = None
        elif line and not line[0].isspace() and line.rstrip().endswith(";"):
            begin = None


def sizes(sources: dict) -> list:
    large = []
    rooms = {}
    for file, text in sources.items():
        name = file.relative_to(ROOT).as_posix()
        lines = text.count("\n")
        if lines > LIMITS.get(file.suffix, lines):
            large.append((lines, f"{name}: {lines} lines"))
        if file.suffix == ".cpp":
            large += [(length, f"{name}: {function} has {length} lines") for length, function in long_functions(text)]
        if file.is_relative_to(SRC):
            rooms.setdefault(file.parent, set()).add(file.stem)
    for room, stems in rooms.items():
        if len(stems) > ROOM_LIMIT:
            large.append((len(stems), f"{room.relative_to(ROOT).as_posix()}: {len(stems)} files"))
    return [text for _, text in sorted(large, key=lambda item: -item[0])]


def main() -> int:
    if "--includes" in sys.argv:
        problems = []
        for file in sorted(SRC.rglob("*.[ch]pp")):
            problems += check_source(file, file.read_text(encoding="utf-8"))
        print("\n".join(problems), end="\n" if problems else "")
        return 1 if problems else 0
    sources = {}
    for folder in ("src", "tests", "tools", "bench"):
        for file in sorted((ROOT / folder).rglob("*")):
            if file.suffix in LIMITS and file != pathlib.Path(__file__).resolve():
                sources[file] = file.read_text(encoding="utf-8")
    problems = []
    for file, text in sources.items():
        problems += check_any(file, text)
        if file.is_relative_to(SRC) and file.suffix in (".cpp", ".hpp"):
            problems += check_source(file, text)
    for problem in problems:
        print(problem)
    large = sizes(sources)
    if large:
        print("Larger than it feels easy with (a good reason is enough):")
        for text in large:
            print("  " + text)
    print(f"layers: {len(sources)} files, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

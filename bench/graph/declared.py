"""Records and resolution over a real tree, by language: `python -m bench.graph.declared TREE`.

For each language with a parser it prints files, megabytes of source per second of processor time, the share
of files that were only partly understood, and bytes of records per byte of source. With `--names`, every
reference in the languages of `named_resolver` is resolved too and counted by role and outcome. `--callers
NAME` lists the uses of a name's declarations, to be compared by eye. `--every N` takes every N-th file.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

from repo_mcp.graph.typed_resolvers import RESOLVERS
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.languages.symbol_parsers import find_parser_task, run_parser_task
from repo_mcp.symbols.symbol_record import ParseStatus, ReferenceRole, decode_symbol_record
from tests.repo_mcp.graph.each_resolver import EachResolver
from tests.repo_mcp.graph.memory_program import MemoryProgram

MAX_FILE_BYTES = 2_000_000


def read_tree(root: Path, every: int) -> dict[str, bytes]:
    """Return the texts of a tree whose languages have parsers, and those that resolvers read."""
    found = {}
    paths = [path for path in sorted(root.rglob("*")) if path.is_file() and not path.is_symlink()]
    for path in paths:
        name = path.relative_to(root).as_posix()
        is_manifest = path.name in {"go.mod", "Cargo.toml", "Package.swift"}
        has_task = find_parser_task(name, find_language(name).name) is not None
        if (has_task or is_manifest) and path.stat().st_size <= MAX_FILE_BYTES:
            found[name] = path.read_bytes()
    return dict(list(found.items())[::every])


def measure_records(texts: dict[str, bytes]) -> None:
    """Print one line for each language."""
    seconds: defaultdict[str, float] = defaultdict(float)
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for path, text in texts.items():
        language = find_language(path).name
        task = find_parser_task(path, language)
        if task is None:
            continue
        start = time.process_time()
        record = run_parser_task(task, path.rpartition("/")[2].encode() + b"\n" + text)
        seconds[language] += time.process_time() - start
        structure = decode_symbol_record(record)
        counts[language].update(files=1, source=len(text), record=len(record))
        counts[language].update({structure.status.name: 1})
        counts[language].update(symbols=structure.symbol_count, references=structure.reference_count)
    for language, count in sorted(counts.items()):
        files, source = count["files"], max(1, count["source"])
        print(
            f"{language}: {files} files, {source / 1e6:.1f} MB, {source / 1e6 / seconds[language]:.2f} MB/s,"
            f" partial {count[ParseStatus.PARTIAL.name] / files:.1%},"
            f" failed {count[ParseStatus.FAILED.name]},"
            f" records {count['record'] / source:.1%}, {count['symbols']} symbols,"
            f" {count['references']} references"
        )


def build_program(texts: dict[str, bytes]) -> MemoryProgram:
    """Build the tree as resolvers see it."""

    def make_parser(language: str) -> Callable[[str, bytes], bytes]:
        return lambda name, text: run_parser_task(f"structure/{language}", name.encode() + b"\n" + text)

    parsers = {language: make_parser(language) for language in RESOLVERS}
    return MemoryProgram(
        texts, parsers, lambda path: "" if path.endswith(".mod") else find_language(path).name
    )


def measure_names(program: MemoryProgram, paths: list[str]) -> None:
    """Print how many references of each role lead where."""
    resolver = EachResolver(program)
    outcomes: defaultdict[str, Counter[str]] = defaultdict(Counter)
    start, total = time.process_time(), 0
    for path in paths:
        structure = program.find_record(path)
        for row in range(structure.reference_count if structure is not None else 0):
            assert structure is not None
            reference = structure.get_reference(row)
            found = resolver.resolve(path, structure, reference)
            total += 1
            outcome = "outside" if found.external else "nothing"
            outcome = found.targets[0].confidence.value if found.targets else outcome
            outcomes[reference.role.name][outcome] += 1
    for role, counter in outcomes.items():
        print(role, ", ".join(f"{name} {count}" for name, count in counter.most_common()))
    print(f"{1e6 * (time.process_time() - start) / max(1, total):.0f} microseconds for each of {total}")


def show_callers(program: MemoryProgram, name: str) -> None:
    """Print each use of a name with what it leads to."""
    resolver = EachResolver(program)
    for path in program.list_using(name):
        structure = program.find_record(path)
        assert structure is not None
        for row in structure.find_references(name):
            reference = structure.get_reference(row)
            if reference.role is not ReferenceRole.BIND:
                found = resolver.resolve(path, structure, reference)
                targets = [(one.declaration.path, one.declaration.ordinal) for one in found.targets]
                sure = found.targets[0].confidence.value if targets else ""
                where = targets or found.external or "nothing"
                print(f"{path}:{reference.line} {reference.role.name} {sure} {where}")


def main() -> None:
    """See the head of this file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--names", action="store_true")
    parser.add_argument("--callers", default="")
    options = parser.parse_args()
    texts = read_tree(options.tree, options.every)
    measure_records(texts)
    if options.names or options.callers:
        program = build_program(texts)
        if options.names:
            measure_names(program, list(texts))
        if options.callers:
            show_callers(program, options.callers)


if __name__ == "__main__":
    main()

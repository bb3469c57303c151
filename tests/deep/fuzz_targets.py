"""The entrances for foreign bytes, each as a function that may only raise the errors of its kind.

python -m tests.deep.fuzz_targets TARGET [libFuzzer options]     under atheris, where that is installed
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from unittest.mock import patch

from index_format import IndexFormatError, IndexWriter, MemoryDirectory, Snapshot, compute_fingerprint, terms
from index_format.packing import pack
from repo_mcp.audit.log_reader import read_log
from repo_mcp.config.repository_file import apply_repository_file
from repo_mcp.config.server_config import load_config
from repo_mcp.errors import RepoError
from repo_mcp.exact.line_matcher import LineMatcher
from repo_mcp.indexing.scan_state import read_seen
from repo_mcp.indexing.side_files import MARK_BYTES
from repo_mcp.indexing.walk_record import keep_walk, recall_walk
from repo_mcp.model import ExactRequest
from repo_mcp.protocol.frames import Refusal, Request, encode_error, parse_frame
from repo_mcp.protocol.resources import build_uri, read_uri
from repo_mcp.ranking.query.clues import parse_prompt
from repo_mcp.ranking.query.query import parse_query
from repo_mcp.research.question.grammar import parse_question
from repo_mcp.storage import packs
from repo_mcp.storage.pack_keys import NO_KEY
from repo_mcp.symbols.model import ReferenceRole, SymbolKind
from repo_mcp.symbols.record_builder import Head, SymbolRecordBuilder
from repo_mcp.symbols.symbol_record import SymbolRecordError, decode_symbol_record
from repo_mcp.text.lines import decode_source, split_lines
from repo_mcp.text.unified_diff import parse_diff
from repo_mcp.workspace.git.index_entries import UnusableIndex, parse_index
from repo_mcp.workspace.glob_filter import GlobFilter
from repo_mcp.workspace.ignore.ignore import IgnoreRules
from repo_mcp.workspace.walk_memory import JudgedNames, WalkMemory
from tests.index_format.segment_bytes import (
    SMALL,
    build_small,
    open_bytes,
    put_together,
    read_everything,
    take_apart,
)
from tests.index_format.small_index import FIELDS, write_model

FRAMES = (
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{}}}',
    b'{"jsonrpc":"2.0","id":"\\ud800","result":{}}',
)
QUERIES = (
    b'lang:py "exact phrase" -not +must path:a/b sym:Foo what calls x()',
    b"Traceback (most recent call last):\n  File \"a.py\", line 3\nKeyError: 'x'",
)
URIS = (b"repo:///docs/a%20plan.png#L10-L20", b"docs://me%2Fledger/..%2f%2E%2e/C#/100%.cs?x#L3")
PATTERNS = (
    rb"foo\b(?i:bar)[^x]{2,5}$".ljust(200) + b"a foo bar\nbaz",
    b"\\x{10ffff}".ljust(200) + b"x\r\ny",
)
INDEXES = (
    b"DIRC" + bytes([0, 0, 0, 2, 0, 0, 0, 1]) + bytes(60) + b"\x00\x01a\x00",
    b"DIRC" + bytes([0, 0, 0, 4, 0, 0, 0, 2]) + (bytes(60) + b"\x00\x01\x00a\x00") * 2 + b"TREE" + bytes(4),
)
DIFFS = (
    b"diff --git a/x.py b/y.py\nrename from x.py\n--- a/x.py\n+++ b/y.py\n@@ -1,2 +1 @@ f\n-a\n b\n\\ No\n",
    b'--- "a/\\303\\251"\t2024\n+++ /dev/null\n@@ -0,0 +1,99999999999 @@\nBinary files a and b differ\n',
)
PACKS = (
    (pack({"signed": False, "files": [["index", "manifest", 3]]}), b"abc"),
    (pack({"signed": False, "files": [["index", "a", 1.5], ["structure", "../b", -1]]}), b"a"),
)
SETTINGS = (
    b"exclude_globs = ['*.md']\n[limits]\nmax_file_bytes = 10\n",
    b"a.b.c = [1, {x = nan}]\n",
)


@dataclass(frozen=True, slots=True)
class Target:
    """One entrance."""

    run: Callable[[bytes], object]
    errors: tuple[type[Exception], ...]  # that say what is wrong with the bytes
    seeds: tuple[bytes, ...]


def _read_segment(data: bytes) -> object:
    return read_everything(open_bytes(data))


def _read_sections(data: bytes) -> object:
    """Read the bytes in place of one section, with every checksum right."""
    return _replace_section(_SEGMENT, data)


def _read_large_sections(data: bytes) -> object:
    """Do the same with a large dictionary, which is folded and has signatures."""
    with patch.object(terms, "LARGE_PAGES", 1):
        return _replace_section(_LARGE_SEGMENT, data)


def _replace_section(segment: bytes, data: bytes) -> object:
    sections = take_apart(segment)
    tags = sorted(sections)
    tag = tags[data[0] % len(tags)] if data else tags[0]
    name, whole = put_together({**sections, tag: data[1:]})
    return read_everything(open_bytes(whole, name))


def _open_index(manifest: bytes) -> object:
    directory = MemoryDirectory()
    directory.files = {**_INDEX.files, "manifest": bytearray(manifest)}
    snapshot = Snapshot.open(directory)
    return None if snapshot is None else [list(snapshot.iter_live_files()), snapshot.close()]


def _read_record(data: bytes) -> object:
    structure = decode_symbol_record(data)
    symbols = [structure.get_symbol(place) for place in range(structure.symbol_count)]
    return symbols, [structure.get_reference(row) for row in range(structure.reference_count)]


def _read_seen(data: bytes) -> object:
    directory = MemoryDirectory()
    directory.files = {"seen": bytearray(data), "seen.changes": bytearray(data[::-1])}
    return read_seen(directory, 1)


def _recall_walk(data: bytes) -> object:
    directory, memory = MemoryDirectory(), WalkMemory()
    directory.files = {"judged": bytearray(compute_fingerprint(data) + data)}
    recall_walk(directory, memory)
    return memory


def _keep_walk() -> bytes:
    directory, memory = MemoryDirectory(), WalkMemory()
    memory.judged, memory.new_names = {"": JudgedNames((b"1",), "a/b/", "c/"), "c": JudgedNames(())}, 3
    keep_walk(directory, memory)
    return bytes(directory.files["judged"][MARK_BYTES:])


_JUDGED = _keep_walk()


def _judge(line: bytes) -> object:
    frame = parse_frame(line)
    if isinstance(frame, Refusal):
        return json.loads(encode_error(frame.id, frame.code, frame.message))
    if isinstance(frame, Request):
        json.dumps(frame.params).encode("ascii")
    return frame


def _locate(data: bytes) -> object:
    """Whatever path a URI gives, its own URI gives it again."""
    read = read_uri(data.decode("utf-8", "surrogateescape"), ("repo", "docs"))
    again = read_uri(build_uri(read.scheme, read.root, read.path), ("repo", "docs"))
    assert (again.scheme, again.root, again.path, again.lines) == (read.scheme, read.root, read.path, None)
    return read


def _ask(data: bytes) -> object:
    text = data.decode("utf-8", "replace")
    return parse_query(text, 1_000), parse_prompt(text), parse_question(text)


def _ignore(data: bytes) -> object:
    rules = IgnoreRules()
    rules.add_file("", data)
    rules.add_file("a/b", data[::-1])
    return [rules.ignored(path, kind) for path in _PATHS for kind in (False, True)]


def _glob(data: bytes) -> object:
    matches = GlobFilter(data.decode("utf-8", "replace")).matches
    return [matches(path) for path in _PATHS]


def _match(data: bytes) -> object:
    pattern = data[:200].decode("utf-8", "replace")
    found = []
    for regex in (False, True):
        matcher = LineMatcher(ExactRequest(pattern, regex=regex, whole_word=bool(data[:1] > b"m")))
        found.append(list(matcher.iter_matches(data[200:])))
    return found


def _configure(data: bytes) -> object:
    return apply_repository_file(load_config("/nowhere"), data)


def _decode(data: bytes) -> object:
    source = decode_source(data)
    lines = split_lines(source.data)
    assert b"\n".join(lines) == source.data.removesuffix(b"\n")
    return lines


def _track(data: bytes) -> object:
    tracked = parse_index(data + bytes(20))  # zeros mean that no checksum was computed
    assert tracked.paths.count(b"\0") == len(tracked.starts)
    return tracked


def _read_pack(data: bytes) -> object:
    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, "a.pack")
        table_bytes = data[0] if data else 0
        with open(path, "wb") as file:
            file.write(packs.HEADER.pack(packs.MAGIC, packs.VERSION, 0, table_bytes) + data[1:])
        return packs.read_pack(path, NO_KEY)


def _read_diff(data: bytes) -> object:
    text = data.decode("utf-8", "replace")
    diff = parse_diff(text)
    for file in diff.files:
        assert len(file.path) <= len(text)
    return diff


def _log(data: bytes) -> object:
    with tempfile.TemporaryDirectory() as place:
        with open(os.path.join(place, "audit.jsonl"), "wb") as file:
            file.write(data)
        return read_log(place, lambda text: text[:8], None, 10)


_PATHS = ("a", "a/b", "a/b/c.py", ".env", "x y/é.md", "a/b/" + "d/" * 30 + "e")
_SEGMENT = build_small(records=True)
with patch.object(terms, "LARGE_PAGES", 1):
    _LARGE_SEGMENT = build_small()


def _build_index() -> MemoryDirectory:
    directory = MemoryDirectory()
    with IndexWriter(directory, "c", FIELDS) as writer:
        writer.add(write_model(directory, SMALL, writer.reserve_temporary()))
        writer.commit()
    return directory


_INDEX = _build_index()
_MANIFEST = bytes(_INDEX.files["manifest"])


def _build_record() -> bytes:
    builder = SymbolRecordBuilder("a.py", 40)
    outer = builder.add_symbol("Outer", SymbolKind.CLASS, 0, 1, 20)
    builder.add_symbol("inner", SymbolKind.METHOD, outer, 3, 9, Head(parameters="(x)", return_type="int"))
    builder.add_reference(1, ReferenceRole.CALL, "call", 4, qualifier="self", arguments=2)
    return builder.encode()


def _list_sections(segment: bytes) -> tuple[bytes, ...]:
    sections = take_apart(segment)
    return tuple(bytes([place]) + sections[tag] for place, tag in enumerate(sorted(sections)))


TARGETS: Mapping[str, Target] = {
    "segment": Target(_read_segment, (IndexFormatError,), (_SEGMENT, build_small())),
    "section": Target(_read_sections, (IndexFormatError,), _list_sections(_SEGMENT)),
    "large section": Target(_read_large_sections, (IndexFormatError,), _list_sections(_LARGE_SEGMENT)),
    "manifest": Target(_open_index, (IndexFormatError, OSError), (_MANIFEST, b"\x00" * 64)),
    "record": Target(_read_record, (SymbolRecordError,), (_build_record(),)),
    "seen": Target(_read_seen, (IndexFormatError,), (b"", b"\x00" * 100)),
    "judged": Target(_recall_walk, (), (_JUDGED, b"")),
    "frame": Target(_judge, (), FRAMES),
    "query": Target(_ask, (), QUERIES),
    "uri": Target(_locate, (RepoError,), URIS),
    "ignore": Target(_ignore, (), (b"*.o\n!a.o\n/b/**/c\n[a-z]?\\ \n#x\n", b"**/a/**\n\\!x\n")),
    "glob": Target(_glob, (RepoError,), (b"**/*.{py,md}", b"a/[!b]?*")),
    "pattern": Target(_match, (RepoError,), PATTERNS),
    "configuration": Target(_configure, (), SETTINGS),
    "text": Target(_decode, (RepoError,), ("é\r\nb\rc\n".encode(), "﻿x".encode("utf-16"), b"\xff\xfea\x00")),
    "tracked": Target(_track, (UnusableIndex,), INDEXES),
    "diff": Target(_read_diff, (RepoError,), DIFFS),
    "pack": Target(_read_pack, (RepoError,), tuple(bytes([len(one)]) + one + files for one, files in PACKS)),
    "log": Target(_log, (), (b'{"seq":1}\n{"tag":"x"}\n', b"\n\n{}\n[")),
}  # fmt: skip


# Targets to which atheris gives equal time.
FAMILIES: Mapping[str, tuple[str, ...]] = {
    "format": ("segment", "section", "large section", "manifest", "record", "seen", "judged", "pack"),
    "wire": ("frame", "text", "log", "uri"),
    "query": ("query", "pattern", "diff"),
    "rules": ("ignore", "glob", "configuration", "tracked"),
}


def run_target(name: str, data: bytes) -> None:
    """Feed bytes to a target. Errors that are not of its kind are raised."""
    target = TARGETS[name]
    with suppress(*target.errors):
        target.run(data)

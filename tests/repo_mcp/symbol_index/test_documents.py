"""Terms and posting lists of structure records, against a slow plain version; bytes for any order."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from index_format import MemoryDirectory, compute_fingerprint, write_segment
from index_format.directory import ReadableFile
from index_format.segment_reader import SegmentReader
from repo_mcp.symbol_index.documents import ParsedFile, build_segment
from repo_mcp.symbol_index.record_columns import find_faulty
from repo_mcp.symbol_index.schema import DECLARES, MAX_NAME_BYTES, MODULES, PARTS, USES
from repo_mcp.symbols.record_builder import SymbolRecordBuilder, encode_failure
from repo_mcp.symbols.symbol_record import ParseStatus, ReferenceRole, SymbolKind
from repo_mcp.text.analysis import analyse_text, get_word_terms
from tests.deep.sizes import examples

NAMES = st.one_of(
    st.sampled_from(
        [
            "getUserName",
            "get_user",
            "HTTPServer2",
            "x",
            "X",
            "operator ==",
            "größeÄndern",
            "",
            "_",
            "2nd",
            "a.b",
        ]
    ),
    st.text("aB_1é $", max_size=6),
    st.just("long" * 80),
)
ROWS = st.lists(st.tuples(st.sampled_from(ReferenceRole), NAMES, NAMES, NAMES), max_size=6)
FILES = st.dictionaries(
    st.text("ab/é", min_size=1, max_size=4),
    st.tuples(st.lists(NAMES, max_size=6), ROWS),
    min_size=1,
    max_size=6,
)


def make(path: str, declared: list[str], rows: list[tuple[ReferenceRole, str, str, str]]) -> ParsedFile:
    builder = SymbolRecordBuilder(path, 3)
    for name in declared:
        builder.add_symbol(name, SymbolKind.FUNCTION, 0, 1, 1)
    for role, name, qualifier, alias in rows:
        builder.add_reference(0, role, name, 1, qualifier=qualifier, alias=alias)
    record = builder.encode()
    return ParsedFile(path, compute_fingerprint(record), 7, "tiny", record)


def clean(text: str) -> str:
    """Clean a text as the record's builder does."""
    return text if len(text) <= 300 else text[:299] + "…"


def expect(
    path: str, declared: list[str], rows: list[tuple[ReferenceRole, str, str, str]]
) -> dict[int, Counter[str]]:
    """Compute what is expected, slowly and plainly. A file declares its own name, too."""
    declared = [path, *declared]
    elsewhere = [row for row in rows if row[0] in (ReferenceRole.IMPORT, ReferenceRole.EXPORT)]
    used = [row[1] for row in rows if row[0] is not ReferenceRole.BIND] + [row[3] for row in elsewhere]
    found = {
        DECLARES: Counter(map(clean, declared)),
        USES: Counter(map(clean, used)),
        MODULES: Counter(clean(row[2]) for row in elsewhere),
        PARTS: Counter(),
    }
    for name in {clean(name) for name in declared} - {""}:
        is_word = all(character.isalnum() or character == "_" or character > "\x7f" for character in name)
        whole = [] if is_word else [name.lower()]
        found[PARTS].update(
            set(whole + (list(get_word_terms(name)) if name.isidentifier() else analyse_text(name)))
        )
    for counts in found.values():
        counts.pop("", None)
    return found


def write(files: list[ParsedFile]) -> tuple[str, SegmentReader]:
    directory = MemoryDirectory()
    entry = write_segment(directory, "one", *build_segment(files))
    file: ReadableFile = directory.open(entry.name)
    return entry.name, SegmentReader(file)


def read_terms(reader: SegmentReader) -> dict[str, dict[int, Counter[str]]]:
    paths = [path.decode() for path in reader.files.iter_paths()]
    found = {path: {field: Counter[str]() for field in range(4)} for path in paths}
    for run in reader.postings.iter_runs(100):
        terms, ends = run.terms.split(), np.cumsum(run.frequencies)
        for ordinal, (term, field) in enumerate(zip(run.list_terms, run.list_fields, strict=True)):
            span = slice(int(ends[ordinal] - run.frequencies[ordinal]), int(ends[ordinal]))
            for doc, count in zip(run.docs[span], run.term_frequencies[span], strict=True):
                found[paths[int(doc)]][int(field)][terms[term].decode()] = int(count)
    return found


@settings(max_examples=examples(150))
@given(FILES, st.randoms(use_true_random=False))
def test_names_and_parts_are_those_of_the_plain_version(
    files: dict[str, tuple[list[str], list[tuple[ReferenceRole, str, str, str]]]], random: object
) -> None:
    parsed = [make(path, *content) for path, content in files.items()]
    name, reader = write(parsed)
    assert read_terms(reader) == {path: expect(path, *content) for path, content in files.items()}
    for field in range(4):
        lengths = reader.norms.read_lengths(field).tolist()
        assert lengths == [
            sum(expect(path, *files[path])[field].values()) for path in sorted(files, key=str.encode)
        ]
    assert reader.length_sums[DECLARES] == sum(
        1 + len([one for one in declared if one]) for declared, _ in files.values()
    )
    random.shuffle(parsed)  # type: ignore[attr-defined]
    assert write(parsed)[0] == name


def test_records_statuses_and_sizes_are_kept() -> None:
    failed = encode_failure("b.tiny", 9)
    good = make("a/b.tiny", ["One"], [])
    bad = ParsedFile("b.tiny", b"f" * 16, 12, "other", failed)
    _, reader = write([bad, good])
    table = reader.read_file_table()
    assert [reader.records.read(file) for file in (0, 1)] == [good.record, failed]
    assert table.flags.tolist() == [ParseStatus.FULL, ParseStatus.FAILED]
    assert (table.sizes.tolist(), tuple(table.language_names)) == ([7, 12], ("other", "tiny"))
    assert (reader.unit_count, reader.file_count) == (0, 2)


def test_files_that_name_nothing_make_a_segment() -> None:
    _, reader = write([ParsedFile("a", b"0" * 16, 0, "x", encode_failure("", 1))])
    assert reader.counts["terms"] == 0
    assert reader.records.read(0) == encode_failure("", 1)


def test_what_is_too_long_is_no_term() -> None:
    """The child may be in the hands of the text, and its record hold what no builder would write."""
    record = SymbolRecordBuilder("f", 1)
    record.add_symbol("n" * 100, SymbolKind.CLASS, 0, 1, 1)
    long = b"n" * (MAX_NAME_BYTES + 1)
    plain = record.encode()
    text = plain[plain.index(b"\nf\n") :].replace(b"n" * 100, long)
    head = plain[:12] + len(text).to_bytes(4, "little") + plain[16 : plain.index(b"\nf\n")]
    parsed = ParsedFile("a", b"0" * 16, 0, "x", head + text)
    assert find_faulty([parsed.record]) == frozenset()
    _, reader = write([parsed])
    assert reader.counts["terms"] == 1  # the file's own name

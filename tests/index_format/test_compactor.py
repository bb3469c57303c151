"""Merging: any grouping and any window give the bytes of one build; the dead leave nothing behind."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index_format import (
    CorruptIndex,
    EncodedRun,
    MemoryDirectory,
    Merge,
    SegmentEntry,
    compactor,
    merge_segments,
    segment_writer,
    terms,
    write_segment,
)
from index_format.snapshot import open_segments
from tests.deep.sizes import examples
from tests.index_format.plain_lists import build_run, pair
from tests.index_format.segment_bytes import open_bytes, put_together, take_apart
from tests.index_format.small_index import BODY, FIELDS, PATH, SYMBOL, Model, build_content, write_model

pytestmark = pytest.mark.usefixtures("dictionary_size")
TERMS = st.sampled_from([b"", b"a", b"ab", b"b", b"\x00", "é".encode(), b"z" * 70, b"m1", b"m2", b"m3"])
UNITS = st.dictionaries(
    st.tuples(st.sampled_from([BODY, PATH, SYMBOL]), TERMS), st.integers(1, 40), max_size=6
)
PATHS = st.text("ab/é", min_size=1, max_size=4)
MODELS = st.dictionaries(PATHS, st.lists(UNITS, max_size=3).map(tuple), min_size=1, max_size=8)


def merge(directory: MemoryDirectory, entries: Sequence[SegmentEntry]) -> SegmentEntry | None:
    segments = open_segments(directory, entries, FIELDS)
    try:
        return merge_segments(directory, "merged", segments)
    finally:
        for segment in segments:
            segment.reader.close()


def write_groups(directory: MemoryDirectory, model: Model, groups: dict[str, int]) -> list[SegmentEntry]:
    """Write one segment for each group; paths without a group are in the first."""
    parts: dict[int, Model] = {}
    for path, units in model.items():
        parts.setdefault(groups.get(path, 0), {})[path] = units
    return [write_model(directory, part) for part in parts.values()]


def read_whole(directory: MemoryDirectory, entry: SegmentEntry | None) -> bytes:
    assert entry is not None
    return bytes(directory.files[entry.name])


@settings(max_examples=examples(60))
@given(MODELS, st.data(), st.sampled_from([1, 2, 7, 1_000_000]), st.sampled_from([1, 10, 1_000_000]))
def test_any_grouping_gives_the_bytes_of_one_build(
    model: Model, data: st.DataObject, window: int, part: int
) -> None:
    groups = {path: data.draw(st.integers(0, 3)) for path in model}
    whole, parts = MemoryDirectory(), MemoryDirectory()
    wanted = read_whole(whole, write_model(whole, model))
    entries = data.draw(st.permutations(write_groups(parts, model, groups)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compactor, "WINDOW_BYTES", window)
        patch.setattr(compactor, "PART_POSTINGS", part)
        if len(entries) > 2 and data.draw(st.booleans()):  # two steps
            first = merge(parts, entries[:2])
            assert first is not None
            entries = [first, *entries[2:]]
        assert read_whole(parts, merge(parts, entries)) == wanted


def build_large(files: int) -> Model:
    """Build many pages of terms, long lists, lists that one source alone has."""
    return {
        f"d{file % 7}/f{file:03d}": tuple(
            {(BODY, b"common"): 1 + (file + unit) % 20, (BODY, b"w%04d" % (file * 3 + unit)): 1}
            | {(PATH, b"f%03d" % file): 1, (SYMBOL, b"s%d" % (file % 11)): 2}
            for unit in range(file % 4)
        )
        for file in range(files)
    }


@pytest.mark.parametrize("window", [1, 10, 300])
def test_windows_smaller_than_lists(window: int, monkeypatch: pytest.MonkeyPatch) -> None:
    model = build_large(150)
    whole, parts = MemoryDirectory(), MemoryDirectory()
    wanted = read_whole(whole, write_model(whole, model))
    entries = write_groups(parts, model, {path: number % 3 for number, path in enumerate(model)})
    monkeypatch.setattr(compactor, "WINDOW_BYTES", window)
    assert read_whole(parts, merge(parts, entries)) == wanted


def build_forms(files: int) -> Model:
    """Build lists whose form is another in the parts than in the whole: by gap, by block, repeated."""
    return {
        f"f{file:03d}": tuple(
            {(BODY, b"common"): 1 + (file * unit) % 20, (BODY, b"w%03d" % (file % 90)): 1 + file % 3}
            | ({(SYMBOL, b"w%03d" % (file % 90)): 1} if file % 90 < 60 or file == 70 else {})
            | ({(PATH, b"w%03d" % (file % 90)): 1} if not unit else {})
            for unit in range(3)
        )
        for file in range(files)
    }


@pytest.mark.parametrize("groups", [1, 2, 5])
def test_lists_change_their_form_with_the_size_of_the_segment(groups: int) -> None:
    model = build_forms(300)
    whole, parts = MemoryDirectory(), MemoryDirectory()
    wanted = write_model(whole, model)
    entries = write_groups(parts, model, {path: number % groups for number, path in enumerate(model)})
    assert read_whole(parts, merge(parts, entries)) == read_whole(whole, wanted)
    reader = open_bytes(read_whole(whole, wanted))
    find_lists = reader.postings.find_lists
    lists = [one for term in (b"common", b"w005", b"w065", b"w070") for one in find_lists(term)]
    assert {(one.repeats, reader.postings.read_blocks(one) is None) for one in lists} == {
        (False, False),
        (False, True),
        (True, True),
    }


def test_segments_without_a_posting() -> None:
    directory = MemoryDirectory()
    entries = [write_model(directory, {path: units}) for path, units in (("a", ()), ("b", ({},)))]
    merged = merge(directory, entries)
    assert merged is not None
    assert (merged.files, merged.units) == (2, 1)
    more = write_model(directory, {"c": ({(BODY, b"x"): 1},)})
    fresh = MemoryDirectory()
    wanted = write_model(fresh, {"a": (), "b": ({},), "c": ({(BODY, b"x"): 1},)})
    assert read_whole(directory, merge(directory, [merged, more])) == read_whole(fresh, wanted)


def test_segments_of_empty_files_keep_the_terms_of_their_paths() -> None:
    """No unit, and postings all the same."""
    directory = MemoryDirectory()
    content = build_content({"a": (), "b": ()})
    content = content._replace(lengths=[content.lengths[BODY], np.array([2, 1]), content.lengths[SYMBOL]])
    run = build_run([{PATH: [(0, 2), (1, 1)]}])
    entry = write_segment(directory, "new", content, run)
    assert merge(directory, [entry]) == entry
    merged = merge(directory, [entry._replace(dead_files=(0,)), write_model(directory, {"c": ({},)})])
    assert merged is not None
    reader = open_bytes(read_whole(directory, merged))
    (found,) = reader.postings.find_lists(b"000000")
    assert pair(reader.postings.read(found)) == [(0, 1)]
    assert reader.norms.read_lengths(PATH).tolist() == [1, 0]


def mark_dead(entry: SegmentEntry, model: Model, paths: set[str]) -> SegmentEntry:
    ordered = sorted(model, key=str.encode)
    return entry._replace(dead_files=tuple(file for file, path in enumerate(ordered) if path in paths))


@settings(max_examples=examples(40))
@given(MODELS, st.data())
def test_the_dead_are_left_behind(model: Model, data: st.DataObject) -> None:
    dead = data.draw(st.sets(st.sampled_from(sorted(model))))
    directory, fresh = MemoryDirectory(), MemoryDirectory()
    merged = merge(directory, [mark_dead(write_model(directory, model), model, dead)])
    live = {path: units for path, units in model.items() if path not in dead}
    if not live:
        assert merged is None
        return
    assert read_whole(directory, merged) == read_whole(fresh, write_model(fresh, live))


@pytest.mark.parametrize("dictionary_size", ["small"], indirect=True)
def test_no_byte_of_a_dead_file_is_left() -> None:
    secret = {"secret-path.py": ({(BODY, b"onlyhere"): 3, (PATH, b"secretpath"): 1, (BODY, b"shared"): 1},)}
    rest: Model = {"a": ({(BODY, b"shared"): 2},), "z": ({(BODY, b"zebra"): 1},)}
    directory = MemoryDirectory()
    entry = write_model(directory, rest | secret)
    traces = (b"onlyhere", b"secretpath", b"secret-path")
    assert all(trace in read_whole(directory, entry) for trace in traces)
    merged = merge(directory, [mark_dead(entry, rest | secret, {"secret-path.py"})])
    data = read_whole(directory, merged)
    assert not any(trace in data for trace in traces)
    assert b"shared" in data
    assert merged is not None
    assert (merged.files, merged.units, merged.dead_files) == (2, 2, ())


def test_a_path_that_is_live_twice_is_corrupt() -> None:
    directory = MemoryDirectory()
    entries = [write_model(directory, {"a": ({(BODY, word): 1},), "b": ()}) for word in (b"old", b"new")]
    with pytest.raises(CorruptIndex, match="live in two segments"):
        merge(directory, entries)
    merged = merge(directory, [entries[0]._replace(dead_files=(0, 1)), entries[1]])
    assert merged is not None
    assert merged.name == entries[1].name


def test_a_failed_merge_leaves_no_file() -> None:
    directory = MemoryDirectory()
    entry = write_model(directory, build_large(40))
    post = bytearray(directory.files[entry.name])
    post[20] ^= 1
    directory.files[entry.name] = post
    before = directory.list_names()
    with pytest.raises(CorruptIndex, match="checksum"):
        merge(directory, [entry])
    assert directory.list_names() == before


def _repeat_term(sections: dict[bytes, bytes]) -> None:
    sections[b"TERM"] = sections[b"TERM"].replace(b"\nf007\n", b"\nf001\n")


def _leave_out_line_feed(sections: dict[bytes, bytes]) -> None:
    sections[b"TERM"] = sections[b"TERM"][:-1] + b"x"


def _cut_integer(sections: dict[bytes, bytes]) -> None:
    sections[b"POST"] = sections[b"POST"][:-1] + b"\x80"


def _exchange_tops(sections: dict[bytes, bytes]) -> None:
    sections[b"TOPS"] = sections[b"TOPS"].replace(b"common\n", b"commom\n", 1)


@pytest.mark.parametrize("dictionary_size", ["small"], indirect=True)
@pytest.mark.parametrize("change", [_repeat_term, _leave_out_line_feed, _cut_integer, _exchange_tops])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_of_several_sources_the_damaged_one_is_named(
    change: Callable[[dict[bytes, bytes]], None], place: int
) -> None:
    """All are parsed together; the checksums of this one are right."""
    directory, model = MemoryDirectory(), build_large(60)
    numbers = {path: int(path[-3:]) for path in model}
    entries = write_groups(directory, model, {path: [1, 0, 2][numbers[path] % 3] for path in model})
    damaged = next(entry for entry in entries if b"f004" in directory.files[entry.name])
    sections = take_apart(bytes(directory.files[damaged.name]))
    whole = dict(sections)
    change(sections)
    assert sections != whole
    name, data = put_together(sections)
    directory.files[name] = bytearray(data)
    others = [entry for entry in entries if entry is not damaged]
    forged = damaged._replace(name=name, file_bytes=len(data))
    with pytest.raises(CorruptIndex, match=name):
        merge(directory, [*others[:place], forged, *others[place:]])


def test_terms_that_wait_in_a_file_give_the_same_bytes_and_leave_no_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole, parts = MemoryDirectory(), MemoryDirectory()
    model = build_large(60)
    wanted = read_whole(whole, write_model(whole, model))
    groups = {path: number % 3 for number, path in enumerate(model)}
    entries = write_groups(parts, model, groups)
    names = set(parts.files)
    for spooled in (0, 100, 1_000):
        monkeypatch.setattr(segment_writer, "SPOOL_BYTES", spooled)
        monkeypatch.setattr(segment_writer, "READ_BYTES", 7)
        monkeypatch.setattr(compactor, "WINDOW_BYTES", 200)
        merged = merge(parts, entries)
        assert merged is not None
        assert read_whole(parts, merged) == wanted
        assert set(parts.files) == {*names, merged.name}


def test_a_merge_that_stops_leaves_no_file_of_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segment_writer, "SPOOL_BYTES", 0)
    monkeypatch.setattr(compactor, "WINDOW_BYTES", 2_000)
    monkeypatch.setattr(terms, "LARGE_PAGES", 1)
    monkeypatch.setattr(terms, "PAGES_AT_ONCE", 8)
    directory = MemoryDirectory()
    entries = [write_model(directory, build_large(900))]
    names = set(directory.files)

    def stop(merge: Merge) -> Iterator[EncodedRun]:
        yield from map(merge.encode_window, range(len(merge.windows)))
        assert {"merged-term.tmp", "merged-list.tmp"} <= set(directory.files)
        raise OSError("stopped")

    with pytest.raises(OSError, match="stopped"):
        merge_segments(directory, "merged", open_segments(directory, entries, FIELDS), stop)
    assert set(directory.files) == names


def test_the_tables_of_a_merge_take_few_bytes_a_unit() -> None:
    units = 20_000
    directory = MemoryDirectory()
    entries = [
        write_model(directory, {f"f{number}": ({(BODY, b"a"): 3},) * (units // 2)}) for number in range(2)
    ]
    segments = open_segments(directory, entries, FIELDS)
    tracemalloc.start()
    try:
        planned = Merge(segments)
        content = planned.read_content()
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
        for segment in segments:
            segment.reader.close()
    assert len(content.units.lines) == units
    assert held < 20 * units  # four are its new number, and each column has a few; in int64 they were 50

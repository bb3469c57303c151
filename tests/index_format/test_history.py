"""A random history of changes, commits and merges against a plain dict; equal bytes for equal content."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from index_format import DiskDirectory, IndexWriter, MemoryDirectory, Merger, Snapshot, verify_index
from tests.deep.sizes import examples
from tests.index_format.small_index import FIELDS, Model, expect_model, read_model, write_model

TERMS = st.sampled_from([b"a", b"ab", b"alpha", b"beta", b"\x00long", "é".encode(), b"zeta" * 9])
UNITS = st.dictionaries(
    st.tuples(st.integers(0, 2), TERMS), st.one_of(st.integers(1, 3), st.integers(14, 400)), max_size=5
)
FILES = st.lists(UNITS, max_size=3).map(tuple)
PATHS = st.sampled_from(["a.py", "a/b.c", "é.md", "z", "a-b", "a/b/c.py"])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("change"), st.dictionaries(PATHS, FILES, min_size=1, max_size=3)),
        st.tuples(st.just("remove"), PATHS),
        st.tuples(st.just("merge"), st.booleans()),
        st.tuples(st.just("reopen"), st.none()),
    ),
    max_size=12,
)


def find_file(writer: IndexWriter, directory: MemoryDirectory, path: str) -> tuple[str, int] | None:
    """Return the live place of a path, by reading every segment."""
    snapshot = Snapshot.open(directory)
    assert snapshot is not None
    for segment, file in snapshot.iter_live_files():
        if segment.reader.files.read_path(file) == path:
            return segment.name, file
    return None


def apply_change(writer: IndexWriter, directory: MemoryDirectory, model: Model, changed: Model) -> None:
    for path in changed:
        if position := find_file(writer, directory, path):
            writer.mark_dead(position[0], [position[1]])
    writer.add(write_model(directory, changed, writer.reserve_temporary()))
    model.update(changed)


@settings(max_examples=examples(120))
@given(STEPS)
def test_any_history_equals_a_dict_and_compacts_to_the_same_bytes(steps: list[tuple[str, object]]) -> None:
    directory = MemoryDirectory()
    model: Model = {}
    writer = IndexWriter(directory, "configuration", FIELDS)
    writer.commit()
    for kind, value in steps:
        if kind == "change":
            apply_change(writer, directory, model, value)  # type: ignore[arg-type]
        elif kind == "remove" and (position := find_file(writer, directory, str(value))):
            writer.mark_dead(position[0], [position[1]])
            del model[str(value)]
        elif kind == "merge":
            Merger(writer).merge(full=bool(value))
        elif kind == "reopen":
            writer.close()
            writer = IndexWriter(directory, "configuration", FIELDS)
        writer.commit()
        snapshot = Snapshot.open(directory)
        assert snapshot is not None
        assert read_model(snapshot) == expect_model(model)
    Merger(writer).merge(full=True)
    writer.commit()
    writer.delete_garbage()
    fresh = MemoryDirectory()
    wanted = {write_model(fresh, model).name: fresh.files} if model else {}
    found = {name: data for name, data in directory.files.items() if name.endswith(".seg")}
    assert found == {name: files[name] for name, files in wanted.items()}
    assert verify_index(directory) == []


def test_history_on_disk(tmp_path: object) -> None:
    directory = DiskDirectory(str(tmp_path))
    with IndexWriter(directory, "configuration", FIELDS) as writer:
        writer.add(write_model(directory, {"a": ({(0, b"x"): 1},), "b": ({(1, b"y"): 20},)}))
        assert writer.commit().generation == 1
    with IndexWriter(directory, "configuration", FIELDS) as writer:
        writer.mark_dead(writer.segments[0].name, [0])
        assert writer.commit().generation == 2
        assert Merger(writer).merge(full=True) == 1
        assert writer.commit().generation == 3
        assert writer.commit().generation == 3
        writer.delete_garbage()
    assert [name for name in directory.list_names() if name.endswith(".tmp")] == []
    snapshot = Snapshot.open(directory)
    assert snapshot is not None
    assert read_model(snapshot) == {"b": {(b"y", 1): {0: 20}}}
    assert verify_index(directory) == []

"""What we write, read by the library of Protocol Buffers with the schema of SCIP; and the other way round."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.unknown_fields import UnknownFieldSet

from repo_mcp.scip.export import _KINDS
from repo_mcp.scip.messages import (
    DEFINITION,
    FORWARD_DEFINITION,
    Document,
    Occurrence,
    PositionEncoding,
    decode_document,
    iter_documents,
)
from tests.repo_mcp.scip.memory_file import MemoryFile
from tests.repo_mcp.scip.test_export import FILES, export, read

SCHEMA = Path(__file__).with_name("schema") / "scip.binpb"


def load_schema() -> descriptor_pool.DescriptorPool:
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(SCHEMA.read_bytes()).file:
        pool.Add(file)
    return pool


POOL = load_schema()
Index: Any = message_factory.GetMessageClass(POOL.FindMessageTypeByName("scip.Index"))


def iter_messages(message: Any) -> list[Any]:
    """Return a message and all inside it."""
    found = [message]
    for field, value in message.ListFields():
        if field.message_type is not None:
            for one in value if field.is_repeated else [value]:
                found += iter_messages(one)
    return found


def test_what_we_write_is_what_the_schema_reads() -> None:
    data, _ = export(FILES)
    index = Index.FromString(data)
    assert index.metadata.tool_info.name == "repo-mcp"
    assert index.metadata.text_document_encoding == 1
    assert [one.relative_path for one in index.documents] == sorted(FILES)
    ours = read(data)
    for document in index.documents:
        own = ours[document.relative_path]
        assert document.position_encoding == own.encoding
        lines = FILES[document.relative_path].split("\n")
        for one, other in zip(document.occurrences, own.occurrences, strict=True):
            line, start, end = one.range
            found = Occurrence(one.symbol, line, start, end, one.symbol_roles)
            assert found == Occurrence(other.symbol, other.line, other.start, other.end, other.roles)
            if end > start:
                assert lines[line][start:end] in one.symbol
            if one.symbol_roles & DEFINITION:
                first, _, last, _ = one.enclosing_range
                assert first <= line <= last
        assert [one.display_name for one in document.symbols if one.kind == _KINDS_BY_NAME["File"]] == [
            document.relative_path.rpartition("/")[2]
        ]
    assert index.SerializeToString(deterministic=True)


def test_nothing_that_we_write_is_unknown_to_the_schema() -> None:
    for message in iter_messages(Index.FromString(export(FILES)[0])):
        assert len(UnknownFieldSet(message)) == 0


def test_bases_are_recorded_as_implementations() -> None:
    index = Index.FromString(export(FILES)[0])
    related = {
        (symbol.display_name, other.symbol.rpartition("/")[2], other.is_implementation)
        for document in index.documents
        for symbol in document.symbols
        for other in symbol.relationships
    }
    assert related == {("Été", "Base#", True)}


_KINDS_BY_NAME = dict(POOL.FindEnumTypeByName("scip.SymbolInformation.Kind").values_by_name.items())
_KINDS_BY_NAME = {name: one.number for name, one in _KINDS_BY_NAME.items()}


def test_our_numbers_are_those_of_the_schema() -> None:
    names = {kind.name: number for kind, number in _KINDS.items()}
    own = {"RECORD": "Class", "COMPONENT": "Function", "TYPE": "TypeAlias"}
    for name, number in names.items():
        wanted = own.get(name, "".join(part.capitalize() for part in name.split("_")))
        assert _KINDS_BY_NAME[wanted] == number
    roles = POOL.FindEnumTypeByName("scip.SymbolRole").values_by_name
    assert (roles["Definition"].number, roles["ForwardDefinition"].number) == (DEFINITION, FORWARD_DEFINITION)
    encodings = POOL.FindEnumTypeByName("scip.PositionEncoding").values_by_number
    assert [encodings[one].name[:5] for one in PositionEncoding] == ["Unspe", "UTF8C", "UTF16", "UTF32"]


def test_we_read_what_the_library_writes() -> None:
    index = Index()
    index.metadata.project_root = "file:///somewhere"
    document = index.documents.add(relative_path="a.py", language="python", position_encoding=2)
    document.occurrences.add(range=[3, 1, 5], symbol="local 1", symbol_roles=1, enclosing_range=[3, 0, 4, 0])
    document.occurrences.add(range=[3, 1, 3, 5], symbol="local 1").diagnostics.add(message="unused")
    document.symbols.add(symbol="local 1", documentation=["text"]).signature_documentation.text = "x"
    index.external_symbols.add(symbol="tool manager package 1 x#")
    (found,) = iter_documents(MemoryFile(index.SerializeToString()))
    assert decode_document(found) == Document(
        "a.py",
        "python",
        (Occurrence("local 1", 3, 1, 5, DEFINITION), Occurrence("local 1", 3, 1, 5)),
        encoding=PositionEncoding.UTF16,
    )

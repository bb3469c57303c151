"""`index-format`: what it prints and how it ends."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from index_format import DiskDirectory, IndexWriter
from index_format.__main__ import main
from tests.index_format.small_index import BODY, FIELDS, PATH, write_model


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    directory = DiskDirectory(str(tmp_path))
    with IndexWriter(directory, "configuration", FIELDS) as writer:
        model = {"a": ({(BODY, b"alpha"): 2, (PATH, b"a"): 1},), "é": ({(BODY, b"\xff"): 17},), "z": ()}
        writer.add(write_model(directory, model, writer.reserve_temporary()))
        writer.mark_dead(writer.segments[0].name, [1])
        writer.commit()
    return tmp_path


def find_segment(data_dir: Path) -> Path:
    (segment,) = data_dir.glob("*.seg")
    return segment


def test_dump(data_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dump", str(data_dir)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:5] == [
        "generation 1 configuration configuration",
        "field 0 body unit total 19",
        "field 1 path file total 1",
        "field 2 symbol unit total 0",
        f"segment {find_segment(data_dir).name} files 3 units 2",
    ]
    assert next(line for line in lines if line.startswith("file 1")).endswith(" dead")
    assert any(re.fullmatch("  chunk 1-7 kind 0 id [0-9a-f]{32}", line) for line in lines)
    assert lines[-6:] == [
        "lengths body 2 17",
        "lengths path 1 0 0",
        "lengths symbol 0 0",
        "term 'a' path 0:1",
        "term 'alpha' body 0:2",
        "term '\\\\xff' body 1:17",
    ]
    assert main(["dump", "--no-postings", str(data_dir)]) == 0
    assert capsys.readouterr().out.splitlines() == lines[:-3]


def test_verify(data_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(data_dir)]) == 0
    assert capsys.readouterr().out == "the index is whole\n"
    segment = find_segment(data_dir)
    data = bytearray(segment.read_bytes())
    data[20] ^= 1
    segment.write_bytes(data)
    assert main(["verify", str(data_dir)]) == 3
    out = capsys.readouterr().out.splitlines()
    assert out[-1] == "faults: 1"
    assert segment.name in out[0]


def test_stats(data_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stats", str(data_dir)]) == 0
    head, *sections = capsys.readouterr().out.splitlines()
    segment = find_segment(data_dir)
    assert head.startswith(f"segment {segment.name} bytes {segment.stat().st_size} dead 1 files 3 units 2")
    assert [line.split()[0] for line in sections][0::12] == ["POST", "META"]


@pytest.mark.parametrize("command", ["dump", "stats", "verify"])
def test_what_is_no_index(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for data_dir in (tmp_path, tmp_path / "missing"):
        assert main([command, str(data_dir)]) == 3
    (tmp_path / "manifest").write_bytes(b"no manifest")
    assert main([command, str(tmp_path)]) == 3
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err
    assert "manifest: " in captured.out + captured.err


@pytest.mark.parametrize("arguments", [[], ["dump"], ["mend", "x"], ["dump", "x", "--fast"]])
def test_a_wrong_call(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert "usage: index-format" in capsys.readouterr().err

"""The names that the bench finds in languages that Universal Ctags does not know, read line by line."""

from __future__ import annotations

from pathlib import Path

from bench.quality.other_names import iter_read


def test_lines_that_declare_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.scala").write_text("object Store {\n  def open(): Unit = {\n    val local = 1\n  }\n}\n")
    (tmp_path / "a.tf").write_text('variable "zone" {\n}\n')
    found = {(one.name, one.line, one.kind, one.language) for one in iter_read(tmp_path)}
    assert found == {
        ("Store", 1, "type", "scala"),
        ("open", 2, "method", "scala"),
        ("zone", 1, "variable", "terraform"),
    }

"""What is measured runs as our commands run it: numpy avoids what is slow on this processor."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bench.peers import __main__ as command
from repo_mcp.config import server_config
from repo_mcp.config.processor import SLOW_SORTS


def test_numpy_is_told_before_anything_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str | None] = []

    def compare(*_arguments: object) -> tuple[list[str], list[object]]:
        told.append(os.environ.get("NPY_DISABLE_CPU_FEATURES"))
        return ["a machine"], []

    for name in ("NPY_DISABLE_CPU_FEATURES", "NPY_ENABLE_CPU_FEATURES", "OPENBLAS_NUM_THREADS"):
        monkeypatch.setenv(name, "")  # so that it is as before afterwards
        monkeypatch.delenv(name)
    monkeypatch.setattr(server_config, "sorts_slowly", lambda _description: True)
    monkeypatch.setattr(command, "compare", compare)
    command.main([str(tmp_path), "--results", str(tmp_path)])
    assert told == [SLOW_SORTS]

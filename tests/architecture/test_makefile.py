"""`make help` names every target there is, and no other; everything is in `make release-check`."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "Makefile").read_text(encoding="utf-8")
INNER = {"help", "setup"}


def list_targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", TEXT, re.MULTILINE)) - INNER


def list_helped() -> set[str]:
    lines = re.findall(r"^\t@echo 'make ([a-z-]+(?: \| [a-z-]+)*)\b", TEXT, re.MULTILINE)
    return {word for line in lines for word in line.split(" | ")}


def test_help_names_every_target() -> None:
    assert list_helped() == list_targets()


def test_targets_that_are_no_files_are_said_to_be_none() -> None:
    (phony,) = re.findall(r"^\.PHONY: (.*)$", TEXT, re.MULTILINE)
    assert set(phony.split()) == list_targets() | INNER


def test_the_check_of_a_release_is_everything() -> None:
    (steps,) = re.findall(r"^release-check:\n((?:\t.*\n)+)", TEXT, re.MULTILINE)
    assert re.findall(r"\$\(MAKE\) (\S+)", steps) == ["check", "clients", "deep", "bench"]


def test_a_try_installs_what_runs_alone() -> None:
    """Linter, types and tests are three quarters of the time of an installation, and no part of a search."""
    (needed,) = re.findall(r"^try: (.*)$", TEXT, re.MULTILINE)
    assert needed == "$(RUNS)"
    (recipe,) = re.findall(r"^\$\(RUNS\): requirements.txt\n((?:\t.*\n)+)", TEXT, re.MULTILINE)
    assert ".ci/install $(PYTHON) $(VENV) run\n" in recipe

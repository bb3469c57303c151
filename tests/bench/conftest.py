from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bench import processes
from bench.corpus import write_corpus
from bench.economy import client
from tests.deep.sizes import IS_DEEP
from tests.forked import popen

FILES = 24


@pytest.fixture(scope="session", autouse=True)
def _forked() -> Iterator[None]:
    """Fork the servers and commands that are asked, but in `make deep`."""

    def run(command: list[str], **options: Any) -> None:
        del options["capture_output"], options["check"]
        with popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options) as process:
            said, complained = process.communicate()
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, command, said, complained)

    with pytest.MonkeyPatch.context() as patch:
        if not IS_DEEP:
            patch.setattr(processes, "subprocess", SimpleNamespace(**vars(subprocess) | {"Popen": popen}))
            patch.setattr(client, "subprocess", SimpleNamespace(run=run))
        yield


@pytest.fixture(scope="session")
def made_tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a small made corpus; nobody changes it."""
    root = tmp_path_factory.mktemp("bench") / "tree"
    write_corpus(root, FILES)
    return root

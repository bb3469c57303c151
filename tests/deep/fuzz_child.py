"""Run one target under atheris, which fuzzes by the branches that its inputs take.

python -m tests.deep.fuzz_child TARGET [libFuzzer options] [corpus]
"""

from __future__ import annotations

import sys

import atheris

with atheris.instrument_imports(include=["repo_mcp", "index_format"]):
    from tests.deep.fuzz_targets import run_target


def main() -> None:
    name = sys.argv.pop(1)
    atheris.Setup(sys.argv, lambda data: run_target(name, data))
    atheris.Fuzz()


if __name__ == "__main__":
    main()

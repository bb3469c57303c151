"""Measure how soon the real Codex has the list of tools after it has spawned the server.

    .venv/bin/python -m tests.clients.measure_start TREE DATA_DIR [RUNS [OPTION...]]

Each run is a conversation of one call. The recorder notes when the server's frames pass on their way to
Codex, from the start of the server; the time that Codex takes between frames is included. Prints medians, the
worst times and the load.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
from pathlib import Path

from tests.clients.drivers import DRIVERS
from tests.clients.script import Call, Script, Step
from tests.clients.stage import Stage

SCRIPT = Script(Step(Call("repo.status")))


def measure(tree: str, data_dir: str, options: list[str]) -> tuple[float, float, bool]:
    """Return the ms to the answers to initialize and tools/list; whether the first request had the tools."""
    with tempfile.TemporaryDirectory() as place:
        stage = Stage(Path(place))
        arguments = json.dumps(["--repo-root", tree, "--data-dir", data_dir, *options])
        entry = f'[mcp_servers.repo]\ncommand = "{stage.server}"\nargs = {arguments}\n'
        file = stage.home / ".codex" / "config.toml"
        file.parent.mkdir()
        file.write_text(entry, encoding="utf-8")
        played = DRIVERS["codex, every tool at once"].play(stage, SCRIPT)
        opened, listed = [frame for frame in stage.read_frames() if frame.what == "server"][:2]
        assert "tools" in listed.message["result"]
        stage.wait_until_alone()
        return 1000 * opened.at, 1000 * listed.at, played.requests[0].find("repo.status") is not None


def main() -> int:
    tree, data_dir, *rest = sys.argv[1:]
    runs = int(rest[0]) if rest else 10
    rows = [measure(tree, data_dir, rest[1:]) for _ in range(runs)]
    for name, times in zip(("initialize", "tools/list"), list(zip(*rows, strict=True)), strict=False):
        sys.stdout.write(f"{name}: median {statistics.median(times):.0f} ms, worst {max(times):.0f}\n")
    known = sum(row[2] for row in rows)
    sys.stdout.write(f"known to the first request: {known} of {runs}; load {os.getloadavg()[0]:.1f}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

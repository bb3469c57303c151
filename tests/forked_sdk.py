"""The servers of the SDK's `stdio_client`, forked as others are (`tests/forked.py`).

The SDK has a process of its own kind around a `Popen`, for systems whose event loops start none.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TextIO

import pytest

from tests.deep.sizes import IS_DEEP
from tests.forked import popen


def fork_servers(patch: pytest.MonkeyPatch) -> None:
    """Fork the servers that the SDK starts, where it is loaded, but in `make deep`."""
    if "mcp.client.stdio" in sys.modules and sys.platform == "linux" and not IS_DEEP:
        patch.setattr("mcp.client.stdio._create_platform_compatible_process", _start)


async def _start(
    command: str, args: list[str], env: dict[str, str], errlog: TextIO, cwd: Path | str | None
) -> object:
    from mcp.os.win32.utilities import FallbackProcess

    pipe = subprocess.PIPE
    return FallbackProcess(
        popen(
            [command, *args],
            env=env,
            stdin=pipe,
            stdout=pipe,
            stderr=errlog,
            cwd=cwd,
            bufsize=0,
            start_new_session=True,
        )
    )

"""Run `repo-mcp` with `python -m repo_mcp`."""

from __future__ import annotations

import sys

from repo_mcp.cli import main

if __name__ == "__main__":
    sys.exit(main())

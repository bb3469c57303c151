"""`python -m repo_mcp`: the same as `repo-mcp`."""

from __future__ import annotations

import sys

from repo_mcp.cli import main

if __name__ == "__main__":
    sys.exit(main())

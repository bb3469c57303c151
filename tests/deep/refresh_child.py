"""One refresh in a process of its own, with the N-th change of the data directory as its last.

python -m tests.deep.refresh_child ROOT DATA_DIR OPERATION      exits 137 when it was killed, 0 otherwise
"""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

from repo_mcp.repository import Repository
from tests.deep.answers import configure
from tests.deep.fault_layer import Faults, Mode


def main() -> int:
    root, data_dir, operation = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    with Faults(data_dir, Mode.KILL, operation), closing(Repository(configure(root, data_dir))) as repository:
        repository.refresh()
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""`index-format dump|verify|stats DATA_DIR`: inspect an index without the program that made it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from index_format import DiskDirectory, IndexFormatError, iter_dump, iter_stats, verify_index

EXAMPLES = """examples:
  index-format verify .repo_mcp/index-*
  index-format dump .repo_mcp/index-* --no-postings
  index-format stats .repo_mcp/index-*

Exit code: 0, 2 for a usage error, 3 for a damaged index."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Returns 0 on success, 2 for a wrong call and 3 for an index with a fault."""
    parser = argparse.ArgumentParser(
        prog="index-format",
        description="Inspect an index without the program that wrote it.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "command",
        choices=["dump", "verify", "stats"],
        help="print the index as text; check every byte and list every fault; print counts and sizes",
    )
    parser.add_argument(
        "data_dir", metavar="DATA_DIR", help="directory of the index (the one with the manifest)"
    )
    parser.add_argument("--no-postings", action="store_true", help="dump: leave out posting lists")
    options = parser.parse_args(arguments)
    try:
        directory = DiskDirectory(options.data_dir)
        if options.command == "verify":
            return _report(verify_index(directory))
        lines = iter_stats(directory) if options.command == "stats" else None
        for line in lines or iter_dump(directory, postings=not options.no_postings):
            sys.stdout.write(line + "\n")
    except (IndexFormatError, OSError) as error:
        sys.stderr.write(f"index-format: {error}\n")
        return 3
    return 0


def _report(faults: list[str]) -> int:
    for fault in faults:
        sys.stdout.write(fault + "\n")
    sys.stdout.write("the index is whole\n" if not faults else f"faults: {len(faults)}\n")
    return 3 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

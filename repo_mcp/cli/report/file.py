"""Write the report: into the data directory, or to a file that is new or an earlier report."""

from __future__ import annotations

import os

from index_format import DirectoryHolder, DiskDirectory, IndexFormatError, new_file
from repo_mcp.errors import ErrorCode, RepoError

REPORT_NAME = "report.html"
MARK = "<!doctype html><!-- repo-mcp report -->"  # the beginning of every report


def write_report(page: str, output: str | None, data_dir: DirectoryHolder) -> str:
    """Write the page whole. Return its path, relative if below the current directory.

    Raises RepoError with INVALID_ARGUMENT for a file that is not a report, for a link, or without a
    directory.
    """
    path = os.path.join(data_dir.path, REPORT_NAME) if output is None else os.path.abspath(output)
    above, name = os.path.split(path)
    try:
        directory = DiskDirectory(data_dir if output is None else above)
        _check_free(directory, name)
        with new_file(directory, name, f"{name}.tmp") as file:
            file.write(page.encode("utf-8", "backslashreplace"))
    except (IndexFormatError, NotADirectoryError, FileNotFoundError, IsADirectoryError):
        raise RepoError(
            ErrorCode.INVALID_ARGUMENT,
            "The report cannot be written to this file.",
            "Give a file in an existing directory as --output.",
        ) from None
    shown = os.path.relpath(path)
    return path if shown.startswith("..") else shown


def _check_free(directory: DiskDirectory, name: str) -> None:
    try:
        file = directory.open(name)
    except FileNotFoundError:
        return
    try:
        is_report = file.read(0, min(file.size, len(MARK))) == MARK.encode()
    finally:
        file.close()
    if not is_report:
        raise RepoError(
            ErrorCode.INVALID_ARGUMENT,
            "The file of --output is not a report, so it was not replaced.",
            "Give --output another file name.",
        )

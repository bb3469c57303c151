"""The call of `repo.list_files`: the files of the repository that a glob matches, page by page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from repo_mcp.protocol.tool_model import CallContext
from repo_mcp.text.lines import escape_text
from repo_mcp.toolsets.answers import Arguments, Draft, Part, Result, find_integer, find_text, plain_number
from repo_mcp.toolsets.pages import Page
from repo_mcp.toolsets.repo.schemas import DEFAULT_LIST_RESULTS, MOST_FOLDERS
from repo_mcp.toolsets.shown_text import warn_of_escapes

if TYPE_CHECKING:
    from repo_mcp.model import FileListing, ListedFile
    from repo_mcp.repository import Repository


def list_files(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `repo.list_files`."""
    default = min(DEFAULT_LIST_RESULTS, repository.config.limits.max_list_results)
    page = Page("repo.list_files", arguments)
    listing = repository.list_files(
        find_text(arguments, "glob"),
        page.start + (find_integer(arguments, "max_results") or default),
        arguments.get("include_hidden") is True,
        MOST_FOLDERS if "max_results" not in arguments and not page.start else 0,
    )
    keys = [file.path for file in listing.files]
    page.check(keys)
    return Draft(
        lambda rows: _list_rows(listing, page, keys, rows, has_glob=bool(arguments.get("glob"))),
        len(keys) - page.start,
        "max_results" not in arguments,
    )


def _list_rows(listing: FileListing, page: Page, keys: Sequence[str], rows: int, *, has_glob: bool) -> Part:
    files = listing.files[page.start : page.start + rows]
    is_cut = page.start + rows < listing.total
    warnings = list(listing.warnings)
    if listing.denied and (not listing.total or not has_glob):  # they may all be elsewhere
        names = "name of the repository is" if listing.denied == 1 else "names of the repository are"
        warnings.append(f"{listing.denied} denied {names} not listed.")
    if page.start + rows < len(listing.files):
        warnings.append(
            f"The answer was cut to {rows} files to keep it short; continue with cursor, or narrow glob."
        )
    warn_of_escapes(warnings, (file.path for file in files))
    result = {
        "files": [_render_row(file) for file in files],
        "total": listing.total,
        "truncated": is_cut,
        **({"folders": _render_folders(listing.folders)} if listing.folders else {}),
        **page.follow(keys, rows, is_cut),
    }
    return Part(result, warnings)


def _render_folders(folders: Mapping[str, int]) -> Result:
    return {escape_text(glob): count for glob, count in folders.items()}


def _render_row(file: ListedFile) -> Result:
    return {"path": escape_text(file.path), "size": file.size, "mtime": plain_number(round(file.mtime, 3))}

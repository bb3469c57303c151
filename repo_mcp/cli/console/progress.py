"""The progress bar of a refresh, on stderr and only on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from repo_mcp.model import IndexProgress, ProgressCallback

_NAMES = {
    "walk": "Looking at files",
    "index": "Indexing",
    "structure": "Parsing",
    "vectors": "Embedding",
    "merge": "Merging",
    "commit": "Writing",
}


@contextmanager
def show_progress(*, quiet: bool) -> Iterator[ProgressCallback | None]:
    """Yield a callback that draws the bar, or None without a terminal. The bar is removed at the end."""
    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("files"),
        TextColumn("{task.fields[megabytes]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(_NAMES["walk"], total=None, megabytes="")

        def draw(progress: IndexProgress) -> None:
            bar.update(
                task,
                description=_NAMES.get(progress.phase, progress.phase),
                completed=progress.files_done,
                total=progress.files_total or None,
                megabytes=f"{progress.bytes_done / 1e6:,.0f} MB" if progress.bytes_done else "",
            )

        yield draw

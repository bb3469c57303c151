"""The options that several commands share, under their fixed names."""

from __future__ import annotations

from typing import Annotated

import typer

Root = Annotated[
    str | None, typer.Option("--repo-root", metavar="ROOT", help="The repository (the one around you).")
]
DataDir = Annotated[
    str | None, typer.Option("--data-dir", metavar="DIR", help="Where the index is kept (ROOT/.repo_mcp).")
]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON document on standard output.")]
SemanticModel = Annotated[
    str | None,
    typer.Option("--semantic-model", metavar="DIR", help="Folder of an embedding model, for vectors."),
]
AllowPath = Annotated[
    list[str] | None,
    typer.Option("--allow-path", metavar="GLOB", help="Serve files that match, though denied; repeatable."),
]
MaxFileBytes = Annotated[
    int | None, typer.Option("--max-file-bytes", metavar="N", help="Size limit of a file (2,000,000).")
]


def chosen_limits(**given: int | None) -> dict[str, int]:
    """Return the limits that were given."""
    return {name: value for name, value in given.items() if value is not None}

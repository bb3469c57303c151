"""Mark the blocks of what a prompt surely names: they are shown before what only matches its words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from repo_mcp.blocks.block_worth import is_prototype
from repo_mcp.blocks.rated_files import RatedFile, find_declaring


def mark_named(opened: Sequence[RatedFile], names: Mapping[str, float], *, members: bool = True) -> None:
    """Mark the one declaration of each name that the prompt surely means, with its overloads.

    `members` is true if it may be inside of a small file or class.
    """
    for name in (name for name, sure in names.items() if sure >= 1.0):
        found = [
            (one, at, span.qualified_name)
            for one, declaring in find_declaring(opened, name, members=members)
            for at, span in declaring
            if not is_prototype(one.view, span)
        ]
        most = max((one.priority for one, *_ in found), default=0.0)
        found = [place for place in found if place[0].priority == most]
        if len({(one.candidate.path, qualified) for one, _, qualified in found}) == 1:
            for one, at, _ in found:
                one.named.add(at)

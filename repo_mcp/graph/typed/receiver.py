"""The type of a receiver, the expression before a member."""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.graph.program import Declaration
from repo_mcp.record_classes import dataclass, replace


@dataclass(frozen=True, slots=True)
class Receiver:
    """The type of the expression before a member, as far as it is known."""

    types: tuple[Declaration, ...] = ()
    external: str = ""  # dotted name of a type declared outside the repository
    is_items: bool = False  # the receiver is a list, and the types are those of its items
    is_certain: bool = True
    # a field of `types` whose type is an unnamed struct: only its lines count
    group: Declaration | None = None
    guarded: Receiver | None = None  # the value behind a Rust lock, which is itself `external`
    inner: int = 0  # how many more lists are nested inside the list
    # Name of a type parameter -> its type argument; in Rust only one is kept, under "".
    type_arguments: tuple[tuple[str, Receiver], ...] = ()
    # of an `Option` or `Rc` around the types, which may be meant instead
    wrapper_members: frozenset[str] = frozenset()
    is_result: bool = False  # what a function outside the repository returned: `external` leads to it


def take_item(receiver: Receiver) -> Receiver:
    """Return the type of an item of a list, which is a list itself if the list is nested."""
    return (
        replace(receiver, inner=receiver.inner - 1) if receiver.inner else replace(receiver, is_items=False)
    )


def join_types(receivers: Sequence[Receiver | None]) -> Receiver | None:
    """Return one receiver with the types of all, uncertain if they differ; None if none is known."""
    known = [one for one in receivers if one is not None]
    types = tuple(dict.fromkeys(each for one in known for each in one.types))
    first = next((one for one in known if one.types), known[0] if known else None)
    return first if first is None or types == first.types else replace(first, types=types, is_certain=False)

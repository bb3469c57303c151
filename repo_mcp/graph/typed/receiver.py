"""The receiver of a member access, as far as it is known."""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.graph.program import Declaration
from repo_mcp.record_classes import dataclass, replace


@dataclass(frozen=True, slots=True)
class Receiver:
    """The receiver of a member access."""

    types: tuple[Declaration, ...] = ()
    external: str = ""  # dotted name of a type declared outside the repository
    is_items: bool = False  # the types are those of the receiver's items
    is_certain: bool = True
    group: Declaration | None = None  # the field of an unnamed struct, inside `types`
    guarded: Receiver | None = None  # the value behind a Rust lock, which is itself `external`
    inner: int = 0  # levels of lists inside the list of items
    # By the names of their parameters; in Rust the only one, under "".
    type_arguments: tuple[tuple[str, Receiver], ...] = ()
    hiding: frozenset[str] = frozenset()  # members of an `Option` or `Rc` around the types


def take_item(receiver: Receiver) -> Receiver:
    """Return the type of an item of a list, which is a list itself if the list is nested."""
    return (
        replace(receiver, inner=receiver.inner - 1) if receiver.inner else replace(receiver, is_items=False)
    )


def join_types(receivers: Sequence[Receiver | None]) -> Receiver | None:
    """Return the first of some types with those of the others, which makes it unsure; None without any."""
    known = [one for one in receivers if one is not None]
    types = tuple(dict.fromkeys(each for one in known for each in one.types))
    first = next((one for one in known if one.types), known[0] if known else None)
    return first if first is None or types == first.types else replace(first, types=types, is_certain=False)

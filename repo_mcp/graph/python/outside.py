"""Members of external values whose type is not known.

A member is named after its receiver, `json.loads().save`. If nothing says what that receiver is, the name is
made up: the member may be one that the repository declares.
"""

from __future__ import annotations

import builtins
import re

_CALLED, _ITEM = "()", "[]"
_BUILTINS = "builtins"
# Values of them may have any type: names that annotations and bases of every program have, and unknown bases.
_ANY_TYPE = re.compile(
    r"(?:\?|abc\.ABC|(?:typing|typing_extensions)\.(?:Any|Generic|Protocol|TypeVar))(?:\(\))*"
)


def is_any_type(receiver: str) -> bool:
    """Return whether the dotted name of an external value says nothing of its type."""
    return _ANY_TYPE.fullmatch(receiver) is not None


def is_made_up(member: str) -> bool:
    """Return whether the dotted name of an external member has a receiver that need not have it.

    That is an item of something external, what a function returns, a builtin type that lacks the member, a
    type that says nothing, and a member of one of these. What is called by a name that begins with a capital
    is a class, whose objects are taken to have it.
    """
    receiver, _, name = member.rpartition(".")
    if is_any_type(receiver):
        return True
    if receiver == _BUILTINS:  # some container
        return not hasattr(builtins, name)
    if not receiver.endswith(_CALLED):
        return receiver.endswith(_ITEM) or ("." in receiver and is_made_up(receiver))
    module, _, made = receiver.removesuffix(_CALLED).rpartition(".")
    own = getattr(builtins, made, None) if module == _BUILTINS else None
    if isinstance(own, type):
        return not hasattr(own, name)
    return not made.lstrip("_")[:1].isupper()

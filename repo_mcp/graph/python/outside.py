"""Members of external values whose type is not known.

A member is named after its receiver, `json.loads().save`. If nothing says what that receiver is, the name is
made up: the member may be one that the repository declares.
"""

from __future__ import annotations

import builtins

_CALLED, _ITEM = "()", "[]"
_BUILTINS = "builtins"


def is_made_up(member: str) -> bool:
    """Return whether the dotted name of an external member has a receiver that need not have it.

    That is an item of something external, what a function returns, or a builtin type that lacks the member.
    What is called by a name that begins with a capital is a class, whose objects are taken to have it.
    """
    receiver, _, name = member.rpartition(".")
    if receiver == _BUILTINS:  # some container
        return not hasattr(builtins, name)
    if not receiver.endswith(_CALLED):
        return receiver.endswith(_ITEM)
    module, _, made = receiver.removesuffix(_CALLED).rpartition(".")
    own = getattr(builtins, made, None) if module == _BUILTINS else None
    if isinstance(own, type):
        return not hasattr(own, name)
    return not made.lstrip("_")[:1].isupper()

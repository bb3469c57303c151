"""Go types that embed an external type, which may have a nearer member than the one that was found.

Go selects the member at the least depth. An external type that is embedded at a lesser depth than the type of
the found member may have a member of that name. One at the same depth has none, or the text would not
compile. Members in lower case are visible in one package only.
"""

from __future__ import annotations

from repo_mcp.graph.go.method_sets import STANDARD
from repo_mcp.graph.program import Declaration
from repo_mcp.graph.typed.file_scope import split_name
from repo_mcp.graph.typed.lookup import NamedLookup

MAX_DEPTH = 8
# Types of the standard library that programs often embed -> their members.
_KNOWN = STANDARD | {
    "sync.Mutex": ["Lock", "TryLock", "Unlock"],
    "sync.RWMutex": ["Lock", "RLock", "RLocker", "RUnlock", "TryLock", "TryRLock", "Unlock"],
    "sync.Once": ["Do"],
    "sync.WaitGroup": ["Add", "Done", "Go", "Wait"],
}


def may_be_nearer(lookup: NamedLookup, owner: Declaration, member: Declaration) -> bool:
    """Return whether an external type that `owner` embeds may have a nearer member of that name."""
    scope = lookup.find_scope(member.path)
    if scope is None or not scope.get_name(member.ordinal)[:1].isupper():
        return False
    holder = Declaration(member.path, scope.get_parent(member.ordinal))
    holders = {holder, *lookup.find_extended(holder)}
    name = scope.get_name(member.ordinal)
    level, seen = [owner], {owner}
    was_open = is_open = False  # an external type is embedded above the previous level, or above this one
    for _ in range(MAX_DEPTH):
        if not level or holders & {*level}:
            return was_open
        was_open = is_open
        is_open = is_open or any(_embeds_external(lookup, one, name) for one in level)
        below = dict.fromkeys(base for one in level for base in lookup.list_bases(one))
        level = [one for one in below if one not in seen]
        seen.update(level)
    return False


def _embeds_external(lookup: NamedLookup, owner: Declaration, name: str) -> bool:
    """Return whether a type embeds an external one that may have a member of a name."""
    scope = lookup.find_scope(owner.path)
    for row in scope.list_bases(owner.ordinal) if scope is not None else ():
        assert scope is not None
        found = lookup.find_type(scope, scope.get_parent(owner.ordinal), split_name(row))
        known = _KNOWN.get(found.external)
        if not found.declarations and (known is None or name in known):
            return True
    return False

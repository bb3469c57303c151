"""Describes the record classes of a few rooms as JSON; with `standard`, as `dataclasses` makes them."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import json
import pkgutil
import sys
from importlib import import_module
from types import ModuleType
from typing import Any

ROOMS = ("config", "live", "ranking", "symbols", "workspace")
TOGETHER = ("repo_mcp.model", "repo_mcp.file_stat", *(f"repo_mcp.{room}" for room in ROOMS))


def take_the_standard() -> None:
    """Have every record class made by `dataclasses`."""
    module = ModuleType("repo_mcp.record_classes")
    vars(module).update(dataclass=dataclasses.dataclass, replace=dataclasses.replace)
    sys.modules[module.__name__] = module


def list_modules() -> list[str]:
    """Return the modules of the rooms, except those for other systems and those that run on import."""
    names = []
    for name in TOGETHER:
        names.append(name)
        path = getattr(import_module(name), "__path__", None)
        names += [one.name for one in pkgutil.walk_packages(path, f"{name}.")] if path is not None else []
    return [name for name in names if not name.endswith(("_windows", "__main__"))]


def describe(made: Any) -> dict[str, Any]:
    """Describe a class by what must not depend on who made it."""
    fields = dataclasses.fields(made)
    given = [f"<{one.name}>" for one in fields if one.init]
    one, other = made(*given), made(*given)
    signature = inspect.signature(made.__init__)
    described = {
        "fields": [(one.name, str(one.type), one.init, one.compare) for one in fields],
        "parameters": [(name, one.default is one.empty) for name, one in signature.parameters.items()],
        "slots": made.__slots__,
        "match": made.__match_args__,
        "repr": repr(one),
        "equal": (one == other, one == "another", one == copy.copy(one)),
        "hash": made.__hash__ is not None and hash(one) == hash(other),
        "replaced": repr(dataclasses.replace(one, **{name.strip("<>"): "new" for name in given[:1]})),
        "methods": sorted(name for name in vars(made) if name[0] != "_"),
    }
    try:
        setattr(one, fields[0].name, "")
    except dataclasses.FrozenInstanceError:
        described["frozen"] = True
    return described


def main() -> None:
    if "standard" in sys.argv:
        take_the_standard()
    found = {}
    for module in map(import_module, list_modules()):
        for name, made in vars(module).items():
            is_own = isinstance(made, type) and made.__module__ == module.__name__
            if is_own and dataclasses.is_dataclass(made) and not hasattr(made, "__post_init__"):
                found[f"{module.__name__}.{name}"] = describe(made)
    json.dump(found, sys.stdout, sort_keys=True)


if __name__ == "__main__":
    main()

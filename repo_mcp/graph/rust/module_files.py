"""The files of a module of Rust, by the names of the modules in its path.

    crate::sync::mutex  ->  src/sync/mutex.rs, src/sync/mutex/mod.rs, sync/mutex/src/lib.rs

Left out on purpose: modules inside a file, and those that `#[path]` puts elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.graph.program import Program

_ROOTS = frozenset({"src", "lib", "mod"})  # parts of a path that name no module


def list_module_files(program: Program, module: Sequence[str]) -> list[str]:
    """Return the files whose paths have the names of a module, its own name at the end."""
    last, wanted = module[-1], {*module} - {"crate"}
    found = []
    for name in (f"{last}.rs", "mod.rs", "lib.rs"):
        for path in program.list_declaring(name):
            parts = path.removesuffix(".rs").replace("-", "_").split("/")
            places = [one for one in parts if one not in _ROOTS]
            if places[-1:] == [last] and wanted <= {*places}:
                found.append(path)
    return found

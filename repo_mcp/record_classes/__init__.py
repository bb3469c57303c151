"""Record classes as `dataclasses` has them, made in a twentieth of the time.

A command makes some 130 of them before it does anything, which was a third of what its imports cost. The
names are those of the standard library, and type checkers are told that they are these; `making` says what
differs.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dataclasses import dataclass, replace
else:
    from repo_mcp.record_classes.making import dataclass, replace

__all__ = ["dataclass", "replace"]

"""The result of an investigation besides the findings that it notes."""

from __future__ import annotations

from dataclasses import field

from repo_mcp.record_classes import dataclass
from repo_mcp.research.findings.records import Chain, Group, Shape
from repo_mcp.research.structure.architecture import Architecture


@dataclass(slots=True)
class Gathered:
    """The parts of a report that an investigation gives besides its findings."""

    chains: list[Chain] = field(default_factory=list)  # of calls
    architecture: Architecture | None = None  # None: not asked for
    shapes: tuple[Shape, ...] | None = None  # None: not asked for
    claim: str = ""  # the answer in a few sentences; "" if there is none
    groups: tuple[Group, ...] = ()  # what lies around the findings

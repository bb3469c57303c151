"""Bounds of how far the edges of a symbol are read; a module that needs other ones has them itself."""

from __future__ import annotations

from repo_mcp.graph.edges import Bounds

GLANCE = Bounds(files=20, references=40)  # where a few edges say enough, or whether there are any
SHORT = Bounds(files=20, references=80)  # those of one member among others
NARROW = Bounds(files=30, references=120)  # those of one symbol, all that most have
LONG = Bounds(files=40, references=240)  # those of a long function, whose last call may be the one wanted
LOOK = Bounds(files=200, references=400)  # where a glance does not find what must be somewhere

"""Recognises processors on which numpy should not use some of their instructions.

numpy sorts with AVX-512 where available. On AMD's Zen 4 that takes four to five times as long as with AVX2:
VPCOMPRESS to memory, with which it partitions, is microcode there (AMD, "Software Optimization Guide for
the AMD Zen4 Microarchitecture", 2.11.2). Sorting was more than a quarter of the time of a build.
"""

from __future__ import annotations

import os
import re
import sys
from contextlib import suppress

SLOW_SORTS = "X86_V4"  # numpy's name for the AVX-512 features that it sorts with
_CPUINFO = "/proc/cpuinfo"
_CPUINFO_BYTES = 4096  # enough for the first processor
_FAMILY = re.compile(r"\b(?:cpu family\s*:|Family) *25\b")
_MODEL = re.compile(r"\b[mM]odel\s*+:? *+(\d+)\b")
_ZEN_4_MODELS = (range(0x10, 0x20), range(0x60, 0xB0))  # the rest of the family is Zen 3


def read_description(identifier: str) -> str:
    """Return the system's description of its first processor; on Windows, that is `identifier`."""
    if not sys.platform.startswith("linux"):
        return identifier
    with suppress(OSError), open(_CPUINFO, "rb", buffering=0) as file:
        return os.fsdecode(file.read(_CPUINFO_BYTES))
    return ""


def sorts_slowly(description: str) -> bool:
    """Return True for a Zen 4, unless Linux reports that a virtual one has no AVX-512."""
    model = _MODEL.search(description)
    is_zen_4 = (
        "AuthenticAMD" in description
        and _FAMILY.search(description) is not None
        and model is not None
        and any(int(model[1]) in models for models in _ZEN_4_MODELS)
    )
    return is_zen_4 and ("flags" not in description or " avx512dq " in description)

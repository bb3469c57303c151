"""The names, numbers and messages of bundles that tools need without importing the modules that bundle."""

from __future__ import annotations

STRATEGIES = ("hybrid",)
DEFAULT_STRATEGY = "hybrid"
MAX_BUNDLE_TOKENS = 1_000_000
NOTHING_FITS = "Nothing that matches fits into the budget; give more lines or tokens."
CHARS_PER_TOKEN = 4  # tokens are estimated from characters, not with any model's tokeniser
FEW_LINES = 100  # of a bundle, if most words of the prompt are in no file: more would be noise
FEW_SHOWN = (
    f"Most words of the prompt are in no file, so at most {FEW_LINES} lines are shown: ask in other words."
)
LINES_PER_FILE = 50  # without a limit on files, one more is allowed for each so many lines

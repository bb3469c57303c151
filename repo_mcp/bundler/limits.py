"""The numbers of bundles that the tools state before anything is bundled."""

from __future__ import annotations

STRATEGIES = ("hybrid",)
DEFAULT_STRATEGY = "hybrid"
MAX_BUNDLE_TOKENS = 1_000_000
NOTHING_FITS = "nothing that matches fits into the budget; give more lines or tokens"
CHARS_PER_TOKEN = 4  # max_tokens is estimated by characters, not by any model's tokeniser
FEW_LINES = 100  # of a bundle for a prompt most of whose words no file has: the rest would be noise
FEW_SHOWN = (
    f"most words of the prompt are in no file, so at most {FEW_LINES} lines are shown: ask in other words"
)
LINES_PER_FILE = 50  # without a limit on files, it follows from that on lines

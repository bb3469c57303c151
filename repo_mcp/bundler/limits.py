"""What the tools say of bundles before anything is bundled."""

from __future__ import annotations

STRATEGIES = ("hybrid",)
DEFAULT_STRATEGY = "hybrid"
MAX_BUNDLE_TOKENS = 1_000_000
CHARS_PER_TOKEN = 4  # the estimate behind max_tokens: a count of characters, not of any model's tokens

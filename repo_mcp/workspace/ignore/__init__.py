"""The names that Git ignores, as its rule files say."""

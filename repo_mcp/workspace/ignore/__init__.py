"""Which names Git ignores, as its rule files say."""

"""Context bundles: from a prompt to a few cited excerpts within a budget, without a model."""

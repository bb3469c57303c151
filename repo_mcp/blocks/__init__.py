"""Cut the files that a prompt leads to into blocks, and rate these: for bundles, code search and research."""

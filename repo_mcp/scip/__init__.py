"""SCIP in and out: our graph as an index for other programs, and those of precise indexers for ours."""

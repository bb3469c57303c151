"""From the tree to segments: changes are found, cut, analysed, built in shards, committed and merged."""

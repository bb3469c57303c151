"""From the tree to segments: what changed is found, cut, analysed, built in shards, committed and merged."""

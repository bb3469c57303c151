"""The way from the tree to segments: changes are found, cut, analysed, built, committed and merged."""

"""Processes: the killable ones in which hostile text is parsed, and what the system forbids all of them."""

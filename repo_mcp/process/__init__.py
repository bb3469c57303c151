"""Processes: killable ones that parse hostile text, and what the operating system forbids all of them."""

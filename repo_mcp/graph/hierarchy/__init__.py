"""Bases, implementers and overriders, and what a call may therefore lead to."""

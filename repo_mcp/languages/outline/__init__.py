"""Outlines: what an adapter is, and the adapters for formats that need no parser."""

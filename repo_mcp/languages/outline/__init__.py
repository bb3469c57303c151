"""Outlines: the interface of an adapter, and the adapters for formats that need no parser."""

"""A small module with its view and its blocks, for tests."""

from __future__ import annotations

from repo_mcp.blocks.blocks import Block, cut_blocks
from repo_mcp.blocks.file_view import FileView, PromptTermFinder
from repo_mcp.blocks.layouts import read_layout
from repo_mcp.blocks.source import LiveFile

SOURCE = '''"""Docs."""

import ledger


def first(ledger):
    """One."""
    return ledger


class Account(Base):
    """Two."""

    def post(self, amount):
        self.balance += amount
        return transfer(amount)

    def other(self):
        return 1


def last():
    transfer = 3
    return transfer
'''
FILLING = "".join(f"\n\ndef filling_{number}():\n    return {number}\n" for number in range(20))


def view(text: str = SOURCE, terms: str = "transfer ledger post", path: str = "a.py") -> FileView:
    data = text.encode()
    live = LiveFile(path, data, tuple(text.splitlines()), b"f")
    return FileView(live, read_layout(path, data), PromptTermFinder(set(terms.split())))


def cut(text: str, path: str = "a.py") -> list[Block]:
    return cut_blocks(text.splitlines(), read_layout(path, text.encode()).spans)

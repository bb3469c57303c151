"""Let one process read all modules: the tests that need their syntax trees come first."""

from __future__ import annotations

import pytest


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests that read every module before all others, each group in the order that it has.

    Reading them takes four seconds of the processor. A process gets a run of neighbouring tests, and others
    take from its end.
    """
    items.sort(key=lambda item: not hasattr(getattr(item, "module", None), "load_modules"))

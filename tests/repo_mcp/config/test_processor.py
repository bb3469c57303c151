"""A processor that sorts slowly by AVX-512 is known, and numpy is told in time."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from repo_mcp.config.environment import prepare_numpy
from repo_mcp.config.processor import SLOW_SORTS, read_description, sorts_slowly

LINUX = (
    "processor\t: 0\nvendor_id\t: {}\ncpu family\t: {}\nmodel\t\t: {}\nmodel name\t: AMD EPYC 9R14\n"
    "flags\t\t: fpu avx2 {} fsrm\nbugs\t\t: srso\n"
)
WINDOWS = "AMD64 Family {} Model {} Stepping 2, {}"
CHOICES = ("NPY_DISABLE_CPU_FEATURES", "NPY_ENABLE_CPU_FEATURES")


@pytest.mark.parametrize(
    "description",
    [
        LINUX.format("AuthenticAMD", 25, 17, "avx512f avx512dq"),  # Genoa
        LINUX.format("AuthenticAMD", 25, 160, "avx512f avx512dq"),  # Bergamo
        WINDOWS.format(25, 97, "AuthenticAMD"),  # Raphael
    ],
)
def test_zen_4_sorts_slowly(description: str) -> None:
    assert sorts_slowly(description)


@pytest.mark.parametrize(
    "description",
    [
        LINUX.format("AuthenticAMD", 25, 17, ""),  # a virtual machine that hides it
        LINUX.format("AuthenticAMD", 25, 1, ""),  # Milan, Zen 3
        LINUX.format("AuthenticAMD", 26, 17, "avx512f avx512dq"),  # Zen 5
        LINUX.format("GenuineIntel", 6, 143, "avx512f avx512dq"),
        WINDOWS.format(25, 33, "AuthenticAMD"),  # Vermeer, Zen 3
        WINDOWS.format(26, 68, "AuthenticAMD"),
        WINDOWS.format(6, 183, "GenuineIntel").replace("AMD64", "Intel64"),
        "ARMv8 (64-bit) Family 8 Model D4B Revision   0, Qualcomm",
        "",
    ],
)
def test_others_do_not(description: str) -> None:
    assert not sorts_slowly(description)


def test_the_system_describes_its_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    if sys.platform.startswith("linux") and os.path.exists("/proc/cpuinfo"):
        assert "processor" in read_description("").lower()
    monkeypatch.setattr(sys, "platform", "win32")
    assert read_description("AMD64 Family 25") == "AMD64 Family 25"
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr("repo_mcp.config.processor._CPUINFO", "/proc/no-such-file")
    assert read_description("AMD64 Family 25") == ""


def forget_choices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave no choice in the environment until the test ends."""
    for name in CHOICES:
        monkeypatch.setenv(name, "")  # else what the test sets would stay
        monkeypatch.delenv(name)


@pytest.mark.parametrize("chosen", [None, *CHOICES])
def test_what_the_user_chose_stays(chosen: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("repo_mcp.config.environment.sorts_slowly", lambda description: True)
    forget_choices(monkeypatch)
    if chosen is not None:
        monkeypatch.setenv(chosen, "AVX512_ICL")
    prepare_numpy()
    found = {name: os.environ[name] for name in CHOICES if name in os.environ}
    assert found == ({CHOICES[0]: SLOW_SORTS} if chosen is None else {chosen: "AVX512_ICL"})


def test_others_are_told_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("repo_mcp.config.environment.sorts_slowly", lambda description: False)
    forget_choices(monkeypatch)
    prepare_numpy()
    assert CHOICES[0] not in os.environ


# Says when numpy is told: with a program's arguments, ends the process there.
TELL = """
import sys
import repo_mcp.config.environment

def tell():
    print("numpy" in sys.modules, file=sys.stderr)
    sys.stderr.flush()
    raise SystemExit(7)

repo_mcp.config.environment.prepare_numpy = tell
from {module} import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("module", ["repo_mcp.cli", "repo_mcp.server"])
def test_numpy_is_told_before_it_is_imported(module: str, tmp_path: os.PathLike[str]) -> None:
    arguments = ["status", "--json"] if module == "repo_mcp.cli" else ["--repo-root", os.fspath(tmp_path)]
    done = subprocess.run(
        [sys.executable, "-c", TELL.format(module=module), *arguments],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        cwd=tmp_path,
    )
    assert (done.returncode, done.stderr) == (7, "False\n")


# numpy knows the name: else it warns, which is an error here.
SORT = """
import numpy, sys
from numpy._core._multiarray_umath import __cpu_features__
assert not __cpu_features__[sys.argv[1]], "still there"
"""


@pytest.mark.skipif(not sorts_slowly(read_description("")), reason="needs a Zen 4 on Linux")
def test_numpy_knows_the_name() -> None:
    environment = {name: value for name, value in os.environ.items() if name not in CHOICES}
    environment[CHOICES[0]] = SLOW_SORTS
    command = [sys.executable, "-W", "error", "-c", SORT, SLOW_SORTS]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")

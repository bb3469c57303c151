"""Options of a build: Kconfig declares them, and Makefiles, code and other options name them."""

from __future__ import annotations

import pytest

from repo_mcp.research.findings.records import Report
from tests.repo_mcp.research.asking import Asked

TEXTS = {
    "net/Kconfig": "config NET_FAST\n"
    '\tbool "Fast path"\n'
    "\tdepends on NET && SMP\n"
    "\thelp\n"
    "\t  Say y.\n"
    "\n"
    "config NET_FAST_DEBUG\n"
    '\tbool "Debug"\n'
    "\tdepends on NET_FAST\n"
    "\thelp\n"
    "\t  if you have NET_FAST\n"
    "\n"
    "config NET_ALL\n"
    "\tbool\n"
    "\tselect NET_FAST\n",
    "net/Makefile": "obj-$(CONFIG_NET_FAST) += fast.o\n# CONFIG_NET_FAST\n",
    "net/core.c": "/*\n * for CONFIG_NET_FAST=y)\n */\n"
    "#ifdef CONFIG_NET_FAST\nint fast(void) { return 1; }\n#endif /* CONFIG_NET_FAST */\n"
    "int is_fast(void) { return IS_ENABLED(CONFIG_NET_FAST); }\n",
    "arch/big/configs/big_defconfig": "CONFIG_NET_FAST=y\n",
}
DECLARED = "is declared at net/Kconfig:1-5. It depends on NET && SMP (net/Kconfig:3)."
DEPENDING = (
    "On NET_FAST depend: NET_FAST_DEBUG (net/Kconfig:9). NET_FAST is selected by NET_ALL (net/Kconfig:15)."
)
BUILT = "NET_FAST decides what is built at net/Makefile:1. NET_FAST is asked for by code at net/core.c:4."


@pytest.fixture(scope="module")
def asked() -> Asked:
    return Asked(TEXTS)


def list_places(report: Report) -> list[tuple[str, tuple[int, ...]]]:
    return [(one.path, one.shown) for one in report.findings]


def test_an_option_is_declared_depended_on_and_built_by(asked: Asked) -> None:
    report = asked.ask("where is CONFIG_NET_FAST configured?")
    assert report.claim == f"CONFIG_NET_FAST {DECLARED} {DEPENDING} {BUILT}"
    assert list_places(report)[1:] == [
        ("net/Kconfig", (7, 9)),
        ("net/Kconfig", (13, 15)),
        ("net/Makefile", (1,)),
        ("net/core.c", (4, 7)),
    ]


def test_what_depends_on_an_option_comes_first(asked: Asked) -> None:
    claim = asked.ask("what depends on CONFIG_NET_FAST?").claim
    assert claim == f"{DEPENDING} {BUILT} CONFIG_NET_FAST {DECLARED}"


def test_it_stands_for_the_option_in_a_second_question(asked: Asked) -> None:
    report = asked.ask("where is CONFIG_NET_FAST configured and what depends on it? config NET_FAST NET_ALL")
    assert report.claim.endswith(f"What depends on it? {DEPENDING.partition('. ')[0]}.")


@pytest.mark.parametrize(
    "query",
    [
        "which config option builds the net_fast driver and what does it depend on?",
        "what decides if the quick path is built? (Makefile, obj-$(CONFIG_NET_FAST))",
    ],
)
def test_an_option_may_be_described_or_guessed(asked: Asked, query: str) -> None:
    assert asked.ask(query).claim.startswith(("NET_FAST is declared at", "CONFIG_NET_FAST is declared at"))


def test_a_test_that_declares_an_option_as_a_variable_does_not_hide_it() -> None:
    tree = {**TEXTS, "tools/testing/busy.c": "extern _Bool CONFIG_NET_FAST;\n"}
    assert DECLARED in Asked(tree).ask("where is CONFIG_NET_FAST configured?").claim

"""Each signal by itself, against its plain definition."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.ranking.files.ranking_weights import WEIGHTS
from repo_mcp.ranking.files.signals import (
    StemMatcher,
    cut_name,
    list_role_shares,
    split_name,
    sum_text,
    weigh_rarity,
)
from repo_mcp.text.roles import FileRole, find_role, is_test_path


def test_units_of_a_file_add_up_ever_less() -> None:
    draw = random.Random(1)
    files = [draw.randrange(6) for _ in range(60)]
    scores = [draw.choice([0.5, 1.0, draw.random()]) for _ in files]
    rows, sums = sum_text(np.array(files), np.array(scores), 0.6)
    assert rows.tolist() == sorted(set(files))
    for position, file in enumerate(rows.tolist()):
        own = sorted((score for one, score in zip(files, scores, strict=True) if one == file), reverse=True)
        assert sums[position] == pytest.approx(sum(score * 0.6**at for at, score in enumerate(own)))


def test_the_order_of_units_leaves_no_trace() -> None:
    files, scores = np.array([1, 0, 1, 1, 0]), np.array([0.3, 0.1, 0.7, 0.3, 0.1])
    shuffled = np.array([4, 2, 0, 3, 1])
    again = sum_text(files[shuffled], scores[shuffled], 0.6)
    assert sum_text(files, scores, 0.6)[1].tolist() == again[1].tolist()


def test_rarity_is_a_share() -> None:
    assert [weigh_rarity(count, 1000) for count in (0, 1)] == [1.0, 1.0]
    assert weigh_rarity(1000, 1000) < 0.001 < weigh_rarity(100, 1000) < weigh_rarity(10, 1000) < 1
    assert weigh_rarity(0, 0) == 1.0


def test_a_name_is_covered_by_the_share_of_its_parts() -> None:
    matcher = StemMatcher({"ledger": 1.0, "report": 0.5}, 0.8)
    assert matcher.cover(split_name("ledger")) == 1.0
    assert matcher.cover(split_name("ledgerExtra")) == 0.5
    assert matcher.cover(split_name("Ledger-reports")) == 0.75
    assert matcher.cover(split_name("reporter")) == pytest.approx(0.5)
    assert matcher.cover(split_name("reportage")) == pytest.approx(0.4)  # begins as a stem does
    assert matcher.cover(split_name("rep")) == 0.0  # too short to tell
    assert matcher.cover(split_name("")) == 0.0


def test_directories_add_up() -> None:
    matcher = StemMatcher({"net": 0.5, "ipv": 1.0}, 0.8)
    assert matcher.cover_all("net/ipv4") == pytest.approx(1.5)
    assert matcher.cover_all("") == 0.0


def cover_clearly(name: str, stems: dict[str, float], prefix: float) -> float:
    """Return the mean over all parts, whether they may match or not."""
    parts = split_name(name)
    worth = []
    for part in parts:
        near = [
            weight
            for stem, weight in stems.items()
            if min(len(stem), len(part)) >= 4 and (stem.startswith(part) or part.startswith(stem))
        ]
        worth.append(stems.get(part, prefix * max(near, default=0.0)))
    return sum(worth) / len(parts) if parts else 0.0


NAMES = """
relational relate sensibility sensible able ability Tables tabling flies fly happy happily hopping hop
tcp_input getHTTPResponse_v2 x1 8250_core a ies äQueue queues QUEUE ΟΔΟΣ naive naïve conditional
condition
""".split()  # noqa: SIM905
NAMES.append("x" * 200)


@given(st.lists(st.sampled_from(NAMES), max_size=4), st.lists(st.sampled_from(NAMES), max_size=3))
def test_what_cannot_match_is_left_out_for_good_reasons(words: list[str], query: list[str]) -> None:
    stems = {
        stem: 1 / (at + 1) for at, stem in enumerate(stem for word in query for stem in split_name(word))
    }
    matcher = StemMatcher(stems, 0.8)
    name = "-".join(words)
    assert matcher.cover(split_name(name)) == pytest.approx(cover_clearly(name, stems, 0.8))
    assert matcher.cover_all("/".join(words)) == pytest.approx(
        sum(cover_clearly(word, stems, 0.8) for word in words)
    )


@pytest.mark.parametrize(
    ("file", "name", "stems"),
    [
        ("mergeConfig.js", "mergeConfig", ("merg", "config")),
        ("ssh-agent.plugin.bash", "ssh-agent", ("ssh", "agent")),
        (".gitignore", ".gitignore", ("gitignor",)),
        ("__init__.py", "__init__", ("init",)),
    ],
)
def test_the_name_of_a_file_ends_at_its_first_dot(file: str, name: str, stems: tuple[str, ...]) -> None:
    assert (cut_name(file), split_name(name)) == (name, stems)


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("src/a.py", FileRole.CODE),
        ("bin/run", FileRole.CODE),
        ("lib/bats-core/test_functions.bash", FileRole.CODE),
        ("tests/a.py", FileRole.TEST),
        ("pkg/a_test.go", FileRole.TEST),
        ("web/a.spec.tsx", FileRole.TEST),
        ("web/login.e2e.ts", FileRole.TEST),
        ("web/login.cy.js", FileRole.TEST),
        ("web/e2e.ts", FileRole.CODE),
        ("web/fancy.ts", FileRole.CODE),
        ("src/join/test.rs", FileRole.TEST),
        ("src/latest.rs", FileRole.CODE),
        ("Demo.Tests/Reader.cs", FileRole.TEST),
        ("src/ReaderTests.ReadInt.cs", FileRole.TEST),
        ("Tests/Support/Helper.swift", FileRole.TEST),
        ("src/Demo.UnitTests/Helper.cs", FileRole.TEST),
        ("Specs/Support/Helper.swift", FileRole.TEST),
        ("src/Demo.Tests.Unit/Helper.cs", FileRole.TEST),
        ("src/IntegrationTests.Net4/Helper.cs", FileRole.TEST),
        ("tests-integration/src/lib.rs", FileRole.TEST),
        ("core/src/testFixtures/kotlin/Ledger.kt", FileRole.TEST),
        ("plugin/TestData2/Ledger.kt", FileRole.TEST),
        ("latestData/Ledger.kt", FileRole.CODE),
        ("unittest/main.cpp", FileRole.TEST),
        ("src/ledger.test-d.ts", FileRole.TEST),
        ("docs/a.py", FileRole.DOCS),
        ("_examples/a.go", FileRole.DOCS),
        ("watchOS Example/a.swift", FileRole.DOCS),
        ("src/Demo.Examples/a.cs", FileRole.DOCS),
        ("Docs/a.cs", FileRole.DOCS),
        ("Sources/Cart/Documentation.docc/Tutorials/a.swift", FileRole.DOCS),
        ("counterexamples/a.py", FileRole.CODE),
        ("benchmarks/Demo.Performance/a.cs", FileRole.DOCS),
        ("crates/a/benches/a.rs", FileRole.DOCS),
        ("bench/a.js", FileRole.DOCS),
        ("changelog/1.2/issue-7", FileRole.DOCS),
        (".changesets/7", FileRole.DOCS),
        ("src/changelog/write.go", FileRole.CODE),
        ("src/reporters/benchmark/a.ts", FileRole.CODE),
        ("core/jvmBenchmark/kotlin/A.kt", FileRole.DOCS),
        ("core/src/jmh/java/A.java", FileRole.DOCS),
        ("src/types.bench.ts", FileRole.DOCS),
        ("src/Card.stories.tsx", FileRole.DOCS),
        ("perf/a.js", FileRole.DOCS),
        ("src/perf/a.js", FileRole.CODE),
        ("Demo/Shop-Demo/a.swift", FileRole.DOCS),
        ("sandbox/a.cs", FileRole.DOCS),
        ("website/src/a.js", FileRole.DOCS),
        ("README.md", FileRole.DOCS),
        ("LICENSE", FileRole.DOCS),
        ("pyproject.toml", FileRole.CONFIG),
        ("core/build.gradle.kts", FileRole.CONFIG),
        ("build.sbt", FileRole.CONFIG),
        ("Package.swift", FileRole.CONFIG),
        ("mix.exs", FileRole.CONFIG),
        ("setup.py", FileRole.CONFIG),
        ("src/Gemfile.rb", FileRole.CODE),
        ("web/login.scss", FileRole.STYLE),
        ("docs/login.css", FileRole.DOCS),
        ("vendor/x/a.go", FileRole.FOREIGN),
        ("extras/ledger_amalgamated.cpp", FileRole.FOREIGN),
        ("dist/axios.js", FileRole.FOREIGN),
        ("deps/lua/lapi.c", FileRole.FOREIGN),
        ("api/deps/session.py", FileRole.CODE),
        ("web/a.min.js", FileRole.FOREIGN),
        ("api/a_pb2.py", FileRole.FOREIGN),
        ("src/Strings.Designer.cs", FileRole.FOREIGN),
        ("src/routes.gen.ts", FileRole.FOREIGN),
        ("lib/mix/tasks/a.gen.ex", FileRole.CODE),
        ("api/types_generated.go", FileRole.FOREIGN),
        ("locale/de/django.po", FileRole.FOREIGN),
        ("po/ledger.pot", FileRole.FOREIGN),
        ("latest/contest.py", FileRole.CODE),
        ("src/grammar.y", FileRole.CODE),
        ("src/scanner.l", FileRole.CODE),
        ("src/grammar/Ledger.bnf", FileRole.CODE),
        ("src/grammar.lalrpop", FileRole.CODE),
        ("distance/vendors.py", FileRole.CODE),
        ("web/pages/__testdata__/answers.ts", FileRole.TEST),
    ],
)
def test_roles(path: str, role: FileRole) -> None:
    assert find_role(path) is role
    assert is_test_path(path) is (role is FileRole.TEST)


# The rules in one piece, for whole paths.
TEST_PATH = re.compile(
    r"(?:^|/)(?:tests?|specs?|__tests__|fixtures|__fixtures__|e2e|test[-_]suite|testing|__mocks__|unittests?"
    r"|[^/]*[._-]tests?|tests-[^/]*|[^/]*Tests?|[^/]*(?:\.Test|Tests)\.[^/]*|Specs"
    r"|(?:[^/]*[._-])?[Tt]est[-_]?(?:[Ff]ixtures|[Dd]ata)\d?)/"
    r"|(?:^|/)(?:test_[^/]*\.(?:py|c|cc|cpp|rb)|conftest\.py"
    r"|[^/]*(?:[_.-](?:test|spec)s?(?:-d)?|Tests?|Spec|Suite)(?:\.\w+)?\.\w+)$"
)
DOCS_PATH = re.compile(
    r"(?:^|/)(?:[Dd]ocs?(?:[-_][^/]*)?|[Dd]ocumentation|tutorials?|website"
    r"|(?:[^/]*[ ._-])?(?:[Ee]xamples?|[Ss]amples?|[Dd]emos?|[Bb]enchmarks)|[^/]+[Bb]enchmark|benches|jmh"
    r"|__bench(?:es)?__|[Ss]andbox|[Pp]laygrounds?)/|^(?:[Bb]ench(?:mark)?|perf)/"
    r"|\.(?:bench|stories)\.[cm]?[jt]sx?$"
)
BUILD_PATH = re.compile(
    r"\.(?:gradle(?:\.kts)?|sbt|gemspec)$"
    r"|(?:^|/)(?:Package(?:@[^/]*)?\.swift|mix\.exs|build\.zig|setup\.py|go\.mod|Gemfile)$"
)
FOREIGN_PATH = re.compile(
    r"(?:^|/)(?:vendor|vendored|_vendor|third[-_]?party|node_modules|dist|generated"
    r"|amalgamat(?:ion|ed)|single[-_](?:include|header|file))/|^deps/"
    r"|\.min\.(?:js|css)$|_pb2(?:_grpc)?\.pyi?$|\.(?:pb|generated|g|[Dd]esigner)\.\w+$|\.gen\.[jt]sx?$"
    r"|_generated\.\w+$|\.(?:pot?|xlf|xliff)$|(?:^|[/_.-])amalgamat(?:ion|ed)\.[ch](?:c|pp|xx)?$"
)


def find_role_clearly(path: str) -> FileRole:
    if TEST_PATH.search(path):
        return FileRole.TEST
    if FOREIGN_PATH.search(path):
        return FileRole.FOREIGN
    language = find_language(path)
    is_build = BUILD_PATH.search(path) is not None
    if (language.kind == "docs" and not is_build) or DOCS_PATH.search(path):
        return FileRole.DOCS
    if is_build:
        return FileRole.CONFIG
    if language.name == "css":
        return FileRole.STYLE
    if language.kind == "code" or (language.name == "unknown" and "." not in path[path.rfind("/") + 1 :]):
        return FileRole.CODE
    return FileRole.CONFIG


PIECES = """
a test tests Tests spec .spec. _test -tests fooTest x.Test docs docs_src docs-site doc examples sample vendor
single_include amalgamated Docs Example .Examples benchmarks bench deps .gradle .sbt setup.py Gemfile
_vendor third-party dist generated .generated. .min. js css _pb2 _grpc py pyi .pb. .g. conftest fixtures
e2e Suite Spec . _ - / / / md txt toml c README Kconfig latest contest
unittest amalgamation.c .hpp .Tests. Tests. tests- Data Fixtures -d Demo jmh website perf jvmBenchmark .bench.
ts .gen. .Designer.
""".split()  # noqa: SIM905


@given(st.lists(st.sampled_from([*PIECES, "\n"]), max_size=9).map("".join))
def test_roles_of_directories_and_names_are_those_of_paths(path: str) -> None:
    assert find_role(path) is find_role_clearly(path)
    assert is_test_path(path) is (TEST_PATH.search(path) is not None)


def test_every_role_has_its_share_and_keeps_all_where_it_is_asked_for() -> None:
    for role in FileRole:
        assert list_role_shares(frozenset([role]), WEIGHTS)[role] == 1.0
        assert 0 < list_role_shares(frozenset(), WEIGHTS)[role] <= 1.0

"""Roles of files that their paths tell."""

from __future__ import annotations

import pytest

from repo_mcp.text.roles import FileRole, find_role, is_side_file, list_older_folders


@pytest.mark.parametrize(
    ("path", "is_aside"),
    [
        ("benchmark/run.rs", True),
        ("benches/src/benchmark/run.rs", True),
        ("src/benchmarks/run.rs", True),
        ("src/main/java/org/shop/examples/Order.java", True),
        ("scripts/release.py", True),
        ("src/benchmark/run.rs", False),
        ("src/game/scripts/order.cs", False),
        ("Assets/Scripts/Order.cs", False),
        ("packages/compiler/src/script/analyse.ts", False),
        ("examples/shop/src/script/order.ts", True),
        ("src/examples/scripts/run.py", True),
        ("assets/samples/Scripts/Order.cs", True),
        ("xmltest.cpp", True),
        ("tools/regextest.c", True),
        ("src/memtest.c", False),
        ("latest.c", False),
        ("xmltest.h", False),
        ("contest.c", False),
        ("lib/greatest.c", False),
        ("shortest.cc", False),
        ("src/perftest/run.cc", True),
        ("src/fuzztest.cc", True),
        ("src/perf_test.cc", True),
        ("tests/PerfNetFramework/Run.cs", True),
        ("src/perf-testing/run.py", True),
        ("src/performance/run.py", True),
        ("src/perforce/sync.py", False),
        ("perfect.py", False),
        ("lib/bench_test/run.c", True),
        ("src/loadtest/scripts/run.py", False),
        ("proxy/addons/script.py", False),
        ("jinja/sandbox.py", False),
        ("shop/performance.py", False),
        ("shop/benchmark.py", True),
        ("sandbox.py", True),
    ],
)
def test_a_part_of_the_program_is_not_aside_though_it_is_called_benchmark(path: str, is_aside: bool) -> None:
    assert is_side_file(path) is is_aside


@pytest.mark.parametrize(
    ("path", "is_foreign"),
    [
        ("lang/de/orders.php", True),
        ("resources/lang/pt_BR/orders.php", True),
        ("web/src/locales/zh-Hans/shop.ts", True),
        ("app/conf/locale/kn/formats.py", True),
        ("app/conf/locale/cs/formats.py", True),
        ("lang/cs/orders.cs", False),  # C#
        ("lang/en/orders.php", False),  # the texts of the program itself
        ("web/src/locales/en-GB/shop.ts", False),
        ("lang/go/client.py", False),  # no human language
        ("src/lang/it/parse.py", False),
        ("src/locales/index.ts", False),
        ("mvnw", True),
        ("arch/a/configs/big_defconfig", True),
        ("configs/defconfig", True),
        ("src/defconfig.c", False),
        ("tools/gradlew.bat", True),
        ("mvnw/run.py", False),
    ],
)
def test_translations_and_wrappers_of_builds_count_as_foreign(path: str, is_foreign: bool) -> None:
    assert (find_role(path) is FileRole.FOREIGN) == is_foreign


@pytest.mark.parametrize(
    ("path", "is_test"),
    [
        ("rules/mode_specs.py", False),
        ("rules/mode_spec.rs", False),
        ("rules/mode_specs.go", False),
        ("gcc/mode_specs.c", False),
        ("gcc/mode_specs.h", False),
        ("rules/mode_spec.rb", True),
        ("rules/mode_specs.ts", True),
    ],
)
def test_specifications_are_tests_in_some_languages(path: str, is_test: bool) -> None:
    assert (find_role(path) is FileRole.TEST) is is_test


@pytest.mark.parametrize(
    ("paths", "asked", "older"),
    [
        (["shop/main.py", "shop/v1/main.py", "shop/v1/types.py"], "how is it sold", ("shop/v1/",)),
        (["shop/main.py", "shop/v1/main.py"], "how is it sold in v1", ()),
        (["api/v1/types.go", "api/v2/types.go"], "how is it sold", ()),  # both are served
        (["src/_deprecated/sell.py", "src/sell.py"], "how is it sold", ("src/_deprecated/",)),
        (["legacy_data.py", "src/deprecated.py"], "how is it sold", ()),
    ],
)
def test_a_folder_beside_its_newer_version_is_older(
    paths: list[str], asked: str, older: tuple[str, ...]
) -> None:
    assert list_older_folders(paths, asked) == older


@pytest.mark.parametrize(
    ("path", "is_test"),
    [
        ("src/Depot.Testing/Harness/Store.cs", True),
        ("src/depot-test-harness/store.ts", True),
        ("src/TestHarness/Store.cs", True),
        ("src/Depot.Testing.Platform/Runner.cs", False),
        ("src/wiring-harness/plan.ts", False),
    ],
)
def test_what_tests_are_run_with_counts_as_tests(path: str, is_test: bool) -> None:
    assert (find_role(path) is FileRole.TEST) is is_test


def test_a_script_with_a_hash_in_its_name_is_built() -> None:
    assert find_role("web/static/index-Be7e-cwP.js") is FileRole.FOREIGN
    assert find_role("web/static/vendor.DhPPoJ7G.css") is FileRole.FOREIGN
    assert find_role("web/src/parse-Http2.js") is FileRole.CODE
    assert find_role("web/src/order-settings.js") is FileRole.CODE

"""`repo.search` ranked and by symbol: what a client gets for one small repository, page by page."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.ranking.ranked_answer import count_above
from repo_mcp.repository import Repository
from repo_mcp.text.lines import MAX_NAMED_CHARS
from tests.repo_mcp.indexed_roots import open_indexed
from tests.repo_mcp.toolsets.repo.searched_roots import build, call, places, search, tell


def read_pages(repository: Repository, query: str) -> tuple[int, dict[str, Any]]:
    """Return how many hits all pages have, and the envelope of the last page."""
    found, arguments = 0, {"top_k": 25}
    while True:
        envelope = call(repository, query, **arguments)
        result = envelope["result"]
        found += sum(1 + len(hit.get("copies") or ()) for hit in result["hits"])
        if not result.get("cursor"):
            return found, envelope
        arguments["cursor"] = result["cursor"]


@pytest.mark.parametrize("mode", ["bm25", "literal", "regex", "symbol"])
def test_a_hit_has_the_fields_of_the_specification_without_being_asked(ledger: Repository, mode: str) -> None:
    """Programs read hits by these names. See docs/decisions/0199-exact-records-as-lean-as-text.md."""
    hits = [tell(hit).keys() for hit in search(ledger, "close", mode=mode)["hits"]]
    assert hits
    assert all({"path", "start_line", "end_line", "snippet"} <= hit for hit in hits)


@pytest.mark.parametrize("mode", ["bm25", "literal"])
def test_text_says_how_many_match_only_if_all_were_counted(changing: Repository, mode: str) -> None:
    for at in range(60):
        (Path(changing.config.root) / f"many{at}.py").write_text("anchor()\n", encoding="utf-8")
    changing.refresh()
    cut = call(changing, "anchor()", mode=mode, detail="text", top_k=10)["result"]
    assert cut["cursor"]
    assert not {"truncated", "total_is_lower_bound"} & {name for name, value in cut.items() if value}
    known = call(changing, "anchor()", mode=mode, detail="count")["result"]
    assert cut.get("total") == (None if mode == "literal" else known["total"])
    few = search(changing, "anchor()", mode=mode, detail="text", file_glob="many1.py")
    assert few.get("total") == (None if mode == "literal" else 1)  # the line is shown


def test_only_records_of_ranked_hits_name_the_snapshot(ledger: Repository) -> None:
    for mode in ("bm25", "symbol"):
        assert search(ledger, "post", mode=mode)["snapshot"]
        assert not search(ledger, "post", mode=mode, detail="text").get("snapshot")
    assert not search(ledger, "post", mode="literal").get("snapshot")  # the files themselves were read


def test_text_is_without_the_indentation_that_lines_of_one_declaration_share(changing: Repository) -> None:
    lines = ["def far():", "    if far:", "\tfar()", "", "        far()"]
    (Path(changing.config.root) / "far.md").write_text("\n".join(["    far", "      far", *lines]))
    (Path(changing.config.root) / "far.py").write_text(
        "class Far:\n    def far(self):\n        if far:\n            far()\n"
    )
    changing.refresh()
    (document, code) = reversed(search(changing, "far", mode="literal", detail="text")["hits"])
    assert (
        document == "far.md\n1:    far\n2:      far\n3:def far():\n4:    if far:\n5:\tfar()\n7:        far()"
    )
    assert code == "far.py\n2-4 in Far:def far(self):\n3:    if far:\n4:        far()"
    (code,) = search(changing, "far()", mode="literal", context=1, file_glob="far.py", detail="text")["hits"]
    assert code == "far.py\n2-4 Far.far\n3:if far:\n4:    far()"


def test_what_may_hide_text_is_said_of_hits_as_text(repository: Repository) -> None:
    envelope = call(repository, "reversed", mode="literal", detail="text", explain=True)
    assert "Control or bidirectional characters may hide text: hit 1." in envelope["warnings"]
    assert (
        "Detail text does not take explain." in call(repository, "a", detail="text", explain=True)["warnings"]
    )


@pytest.mark.parametrize(
    ("query", "arguments"),
    [
        ("get_user", {"mode": "literal"}),
        ("get_user", {"mode": "literal", "detail": "files"}),
        ("get_user|name", {"mode": "regex", "context": 1}),
        ("get_user", {"mode": "bm25"}),
        ("get_user", {"mode": "symbol"}),
    ],
)
def test_pages_follow_one_another(repository: Repository, query: str, arguments: dict[str, Any]) -> None:
    rows = "files" if arguments.get("detail") == "files" else "hits"
    whole = search(repository, query, **arguments, top_k=50)
    assert not whole.get("cursor")
    pages = [search(repository, query, **arguments, top_k=1)]
    while cursor := pages[-1].get("cursor"):
        pages.append(search(repository, query, **arguments, top_k=2, cursor=cursor))
    assert len(pages) > 1
    assert [hit["path"] for page in pages for hit in page[rows]] == [hit["path"] for hit in whole[rows]]
    again = search(repository, query, **arguments, top_k=1)
    assert again["cursor"] == pages[0]["cursor"]


def test_a_cursor_of_another_search_is_refused(changing: Repository) -> None:
    cursor = search(changing, "get_user", mode="literal", top_k=1)["cursor"]
    for query, mode, given in (("name", "literal", cursor), ("get_user", "bm25", cursor)):
        error = call(changing, query, mode=mode, cursor=given)["error"]
        assert (error["code"], "cursor" in error["message"]) == ("invalid_argument", True)
    (Path(changing.config.root) / "a.py").unlink()
    error = call(changing, "get_user", mode="literal", cursor=cursor)["error"]
    assert "out of date" in error["message"]


@pytest.mark.parametrize("mode", ["bm25", "symbol"])
def test_ranked_hits_span_what_they_show_and_name_the_declaration_around_it(
    ledger: Repository, mode: str
) -> None:
    hit = search(ledger, "Ledger close", mode=mode, file_glob="ledger.py", explain=True)["hits"][0]
    numbers = [int(line.partition("\t")[0]) for line in hit["snippet"].splitlines()]
    assert numbers == sorted(set(numbers))
    assert (numbers[0], numbers[-1]) == (hit["start_line"], hit["end_line"])
    assert hit["chunk_lines"] == [1, 75]
    assert (hit["symbol"], hit["symbol_lines"]) in [("Ledger", [3, 11]), ("Ledger.close", [10, 11])]


def test_a_question_shows_the_declaration_of_a_file_that_answers_it(changing: Repository) -> None:
    """It is in another unit of fifty lines than the words that the file has most of."""
    text = "# a transfer, a transfer of an account\n" * 20 + "".join(
        f"\n\ndef step_{number}(account):\n" + "    account += 1\n" * 40 for number in range(5)
    )
    text += "\n\ndef revert_booking(account):\n    return account.transfer(-1)\n"
    (Path(changing.config.root) / "booking.py").write_text(text)
    changing.refresh()
    hit = search(changing, "how can I revert the transfer of a booking")["hits"][0]
    assert (hit["path"], hit["symbol"]) == ("booking.py", "revert_booking")
    assert hit["symbol_lines"] == [hit["end_line"] - 1, hit["end_line"]]


def test_a_question_shows_the_first_lines_of_further_declarations_of_the_file(changing: Repository) -> None:
    text = "class Entry:\n" + "".join(
        f"    def {name}(self, account):\n" + "        account += 1\n" * 140 + f"        {name} = 1\n\n"
        for name in ("revert", "transfer")
    )
    text += "\ndef transfer_all(accounts):\n" + "    accounts += 1\n" * 140
    (Path(changing.config.root) / "booking.py").write_text(text)
    changing.refresh()
    question = "how can I revert the transfer of a booking"
    hit = search(changing, question)["hits"][0]
    assert hit["symbol"] == "Entry.revert"
    assert hit["snippet"].endswith(
        "\n145\t    def transfer(self, account):\n289\tdef transfer_all(accounts):\n"
    )
    assert hit["end_line"] < 145  # what they are the first lines of is not shown
    shown = search(changing, question, detail="text")["hits"][0]
    assert shown.startswith("booking.py\n2-143 in Entry:def revert(self, account):\n")
    assert shown.endswith("\nalso 145-286 .transfer, 289-429 transfer_all")


def test_a_name_that_is_used_and_declared_nowhere_shows_its_uses_alone(tmp_path: Path) -> None:
    """Settings of YAML and templates are no declarations; what shares the parts of a name is no use of it."""
    settings = {
        "defaults/main.yml": "renew_old_certificates: false\nkube_user: kube\n",
        "tasks/main.yml": "- name: Renew them\n  when: renew_old_certificates\n  owner: '{{ kube_user }}'\n",
        **{f"inventory/{number}.yml": "renew_old_certificates: true\nkube_user: me\n" for number in range(3)},
        "once.yml": "when: renew_very_old_certificates\n",
        "renew.sh.j2": "# renew old certificates\nrenew certificates old\n" * 20,
    }
    for path, text in settings.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    with open_indexed(tmp_path) as repository:
        for query in ("renew_old_certificates", "renew_old_certificates kube_user"):
            found = call(repository, query)
            uses = {(hit["path"], hit["snippet"].split("\t")[1]) for hit in found["result"]["hits"]}
            assert ("defaults/main.yml", "renew_old_certificates: false\n") in uses
            assert ("tasks/main.yml", "  when: renew_old_certificates\n") in uses
            assert not [path for path, _ in uses if path == "renew.sh.j2"]
            assert "No declaration is named `renew_old_certificates`." in found["warnings"]
        filtered = search(repository, "renew_old_certificates", file_glob="*.j2")["hits"]
        assert [hit["path"] for hit in filtered] == ["renew.sh.j2"]
        unknown = search(repository, "renew_older_certificates")["hits"]
        assert "renew.sh.j2" in {hit["path"] for hit in unknown}
        for name in ("renew_very_old_certificates", "when.renew_very_old_certificates"):
            assert search(repository, name)["hits"][0]["path"] == "once.yml"


def test_lines_that_only_import_give_way_to_uses(changing: Repository) -> None:
    imports = "from a import get_user\nfrom b import get_user as other\n"
    uses = "".join(f"\n\ndef f{number}():\n    return get_user({number})\n" for number in range(3))
    (Path(changing.config.root) / "uses.py").write_text(imports + uses)
    changing.refresh()
    request = {"mode": "literal", "file_glob": "uses.py", "detail": "text"}

    def list_numbers(most: int) -> list[int]:
        (hit,) = search(changing, "get_user", max_per_file=most, **request)["hits"]
        return [int(number) for number in re.findall(r"^(\d+):", hit, re.MULTILINE)]

    assert list_numbers(2) == [6, 10]
    assert list_numbers(4) == [1, 6, 10, 14]
    assert list_numbers(5) == [1, 2, 6, 10, 14]


@pytest.mark.parametrize("mode", ["bm25", "symbol"])
def test_files_and_counts_of_ranked_hits(repository: Repository, mode: str) -> None:
    hits = search(repository, "get_user", mode=mode, top_k=10)
    files = search(repository, "get_user", mode=mode, detail="files")
    assert files["hits"] == []
    assert [one["path"] for one in files["files"]] == list(dict.fromkeys(hit["path"] for hit in hits["hits"]))
    count = search(repository, "get_user", mode=mode, detail="count")
    assert (count["hits"], count["total"]) == ([], hits["total"])


def test_a_number_is_that_of_the_hits_on_all_pages_or_said_to_be_the_least(changing: Repository) -> None:
    root = Path(changing.config.root)
    for at in range(170):
        (root / f"u{at:03}.py").write_text(f"def use_{at}(tide):\n    sail(tide)\n    return anchor, {at}\n")
    (root / "sail.py").write_text("def sail(tide):\n    return tide\n")
    changing.refresh()
    for query in ("sail", "use_7"):
        counted = search(changing, query, detail="count")
        found, last = read_pages(changing, query)
        assert (counted["total"], counted["total_is_lower_bound"]) == (found, False)
        assert (last["result"]["total"], last["result"]["truncated"]) == (found, False)
    assert search(changing, "sail")["total_is_lower_bound"]
    counted = search(changing, "return the anchor", detail="count")
    found, last = read_pages(changing, "return the anchor")  # only the best files are ranked
    assert 0 < found < counted["total"] == last["result"]["total"]
    assert last["result"]["hits"]
    assert last["result"]["truncated"]
    assert any("not listed" in warning for warning in last["warnings"])


def test_symbols_exact_names_first(repository: Repository) -> None:
    page = search(repository, "get_user", mode="symbol")
    assert [hit["path"] for hit in page["hits"]] == ["a.py", "b/user.ts"]  # what has a part of it comes next
    page = search(repository, "get_user", mode="symbol", cursor=page["cursor"])
    assert [hit["path"] for hit in page["hits"]] == ["b/c.py"]
    assert search(repository, "get_user_name", mode="symbol")["hits"][0]["path"] == "b/c.py"
    assert places(search(repository, "name", mode="symbol")) == [("b/c.py", 4)]
    assert search(repository, "nothing_like_it", mode="symbol")["total"] == 0


def test_symbols_that_line_patterns_do_not_know_are_those_of_the_graph(tmp_path: Path) -> None:
    dish = "struct Dish {\n    init() {\n        fill()\n    }\n}\n"
    dish += "func <+> (a: Dish, b: Dish) -> Dish {\n    a\n}\n"
    files = {"Dish.swift": dish, "Tests/PotTests.swift": "struct Pot {\n    init() {}\n}\n"}
    with open_indexed(tmp_path / "r", files) as repository:
        repository.symbol_index.build()
        found = search(repository, "init", mode="symbol")
        assert places(found) == [("Dish.swift", 2), ("Tests/PotTests.swift", 2)]
        assert found["hits"][0]["symbol"] == "Dish.init"
        assert places(search(repository, "init", mode="symbol", include_tests=False)) == [("Dish.swift", 2)]
        assert places(search(repository, "init", mode="symbol", file_glob="Tests/**")) == [
            ("Tests/PotTests.swift", 2)
        ]
        assert places(search(repository, "<+>", mode="symbol")) == [("Dish.swift", 6)]
        assert search(repository, "deinit", mode="symbol")["total"] == 0


def test_points_of_a_name_are_its_score(repository: Repository) -> None:
    hits = search(repository, "get_user", mode="symbol", explain=True, top_k=10)["hits"]
    assert [hit["explanation"]["name"] for hit in hits] == [4, 2, 1]
    assert [round(sum(hit["explanation"].values()), 6) for hit in hits] == [hit["score"] for hit in hits]


def test_options_of_the_other_modes_are_named(repository: Repository) -> None:
    envelope = call(repository, "get_user", ignore_case=True, context=2)
    assert "Only the modes literal and regex take ignore_case, context." in envelope["warnings"]
    for mode in ("literal", "regex"):
        envelope = call(repository, "get_user", mode=mode, explain=True)
        assert "Only the modes bm25 and symbol take explain." in envelope["warnings"]


def test_scores_are_counted_up_to_the_first_that_is_far_below_the_best() -> None:
    assert count_above([1.0, 0.56, 0.55, 0.54, 0.6], 0.55) == 3
    assert count_above([1.0, 0.9], 0.55) == 2
    assert count_above([0.0, 0.0], 0.55) == 2
    assert count_above([-1.0, -2.0], 0.55) == 1  # the first one always counts


@pytest.mark.parametrize("query", ["{0}", "where is {0} set", "Foo.{0}", '"{0}"', "get_user\n\n{0}"])
def test_of_a_long_word_that_nothing_has_only_the_beginning_is_named(
    repository: Repository, query: str
) -> None:
    for mode in ("bm25", "symbol"):
        envelope = call(repository, query.format("x" * 70_000), mode=mode)
        assert envelope["ok"], envelope["error"]
        assert all(len(warning) < 300 for warning in envelope["warnings"])


def test_a_line_of_a_text_in_quotes_declares_nothing(tmp_path: Path) -> None:
    """Lines of a configuration in a test came before the type of the name."""
    text = 'def test_it():\n    ini = """\nset_env =\n    A=1\n"""\n    assert ini\n'
    texts = {"tests/test_ini.py": text, "src/set_env.py": "class SetEnv:\n    size = 1\n"}
    with open_indexed(tmp_path / "root", texts) as repository:
        found = search(repository, "set_env", mode="symbol")
    assert [hit["symbol"] for hit in found["hits"]] == ["SetEnv"]


def test_a_short_form_of_a_declared_name_is_answered_with_the_name(tmp_path: Path) -> None:
    files = {"a.ts": "export class ParcelHelper {\n  run() {\n    return 1;\n  }\n}\n"}
    with open_indexed(tmp_path / "r", files) as repository:
        repository.symbol_index.build()
        warnings = call(repository, "parHelp", mode="symbol")["warnings"]
        assert warnings[0] == "No declaration is named `parHelp`; similar: `ParcelHelper`."


def test_a_word_that_is_longer_than_an_answer_is_named_by_its_beginning(tmp_path: Path) -> None:
    with closing(build(tmp_path / "root", data=f"DATA = '{'b' * 400}'\n")) as repository:
        (hit,) = search(repository, "b" * 100_000)["hits"]
    assert hit["path"] == "data.py"
    assert hit["matched_terms"] == ["b" * MAX_NAMED_CHARS + "…"]

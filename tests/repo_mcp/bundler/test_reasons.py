"""The reasons for an excerpt name what is in its lines."""

from __future__ import annotations

from dataclasses import replace

from repo_mcp.blocks.blocks import Block
from repo_mcp.blocks.candidates import Candidate
from repo_mcp.blocks.evidence import Evidence
from repo_mcp.blocks.file_view import PromptTermFinder
from repo_mcp.blocks.prompt_names import list_names
from repo_mcp.blocks.rated_files import RatedFile
from repo_mcp.blocks.weights import WEIGHTS
from repo_mcp.bundler.packing import build_selection
from repo_mcp.bundler.reasons import describe, name_words
from repo_mcp.ranking.query.clues import Clue, ClueKind, parse_prompt
from repo_mcp.ranking.query.mentions import Mention
from repo_mcp.ranking.scoring.searcher import Ranking
from tests.repo_mcp.blocks.small_views import view


def test_words_are_named_as_they_stand_in_the_lines() -> None:
    words = PromptTermFinder({"transfer", "get", "http"}).find_first_words(["self.Transfers += getHTTP()"])
    assert name_words(["transfer", "http"], words) == ["Transfers", "getHTTP"]
    assert name_words(["get", "http"], words) == ["getHTTP"]  # one word is named once


def test_a_reason_names_lines_symbols_and_texts_that_are_there() -> None:
    text = 'class Account:\n    def post(self):\n        raise Error("Not enough  funds")\n\n        pass\n'
    prompt = 'a.py:3 `post` says "not enough funds"'
    clues = parse_prompt(prompt)
    names = list_names(prompt, clues, WEIGHTS)
    evidence = Evidence(prompt, clues, names, (), {"funds": 1.0}, Ranking((), 0), (), (), ())
    path = Mention("a.py", next(one for one in clues if one.kind is ClueKind.PATH), 1.0)
    frame = replace(path, clue=Clue(ClueKind.FRAME, "a.py", 5))

    def explain(start: int, end: int, mention: Mention, hit: int | None = None) -> tuple[str, ...]:
        seen = view(text, "funds")
        file = RatedFile(
            Candidate("a.py", 1.0, hit, (mention,)), seen, [Block(1, 3), Block(4, 5)], [1.0, 1.0]
        )
        file.origins[0] = "called by main"
        return describe(build_selection(seen.live, start, end, 1.0), file, evidence).evidence

    assert explain(1, 3, path, hit=1) == (
        "the prompt names line 3",
        "declares post, named in the prompt",
        'contains the text "not enough funds"',
        "matches funds",
        "called by main, which matches the prompt",
        "hit 1 of repo.search",
    )
    in_post = "is in Account.post, named in the prompt"
    assert explain(5, 5, path) == ("the prompt names this file", in_post)
    assert explain(5, 5, frame) == ("a traceback frame names line 5", in_post)


def test_a_reason_names_the_three_heaviest_words() -> None:
    words = {"pots": 1.0, "pans": 4.0, "cups": 3.0, "jugs": 2.0}
    evidence = Evidence("", (), (), (), words, Ranking((), 0), (), (), ())
    seen = view("pots = pans = cups = jugs\n", " ".join(words))
    file = RatedFile(Candidate("a.py", 1.0, None, ()), seen, [Block(1, 1)], [1.0])
    told = describe(build_selection(seen.live, 1, 1, 1.0), file, evidence)
    assert told.evidence == ("matches pans, cups, jugs",)
    assert told.matched_terms == ("pans", "cups", "jugs", "pots")

"""`repo-mcp report`: one page that needs nothing and does nothing, whatever the repository is called."""

from __future__ import annotations

import os
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from repo_mcp.audit.log import LoggedCall, open_audit_log
from repo_mcp.cli.report.facts import collect_facts
from repo_mcp.cli.report.file import MARK, write_report
from repo_mcp.cli.report.page import clean, draw_bars, draw_strip, render_report
from repo_mcp.config.server_config import load_config
from repo_mcp.errors import RepoError
from repo_mcp.repository import Repository
from tests.repo_mcp.cli.program import make_tree, run
from tests.repo_mcp.own_directories import own

# Elements and attributes that the page is made of; anything else came from a repository.
ELEMENTS = {
    *("html", "head", "meta", "title", "style", "body", "main", "header", "footer", "section", "div"),
    *("h1", "h2", "h3", "p", "b", "i", "span", "code", "ul", "li"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
ATTRIBUTES = {"lang", "charset", "http-equiv", "content", "name", "class", "style"}
HOSTILE = "<script>alert(1)<\N{DIVISION SLASH}script>"


class Page(HTMLParser):
    """The page as a browser would make it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.attributes: set[str] = set()
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.words.append(data)


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """Return a repository whose names are markup, with a log."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / HOSTILE
    folder = root / "<img src=x onerror=alert(2)>"
    folder.mkdir(parents=True)
    (folder / "'\"><svg onload=alert(3)>.py").write_text("x = 1\n" * 1_000)
    (folder / "\u202egnp.py").write_text("y = 1\n" * 900)
    (root / "]]>&lt;b&gt;.txt").write_text("z" * 2_000_001)
    repository = Repository(load_config(str(root)))
    repository.refresh()
    log = open_audit_log(repository.data_dir.path, str(root))
    value = "<script>alert(4)</script>"
    shapes = {"path": {"type": "string", "value": value}, value: {"type": "string", "chars": 3}}
    for tool, code in (("repo.open_file", "path_denied"), (value, None), ("repo.search", None)):
        blocked = code == "path_denied"
        log.write(LoggedCall("r", tool, shapes, code is None, blocked, code, {}, 7, (value, value)))  # type: ignore[arg-type]
    return repository


def test_no_name_of_a_repository_or_log_becomes_markup(hostile: Repository) -> None:
    text = render_report(collect_facts(hostile))
    page = Page(text)
    assert page.elements == ELEMENTS - {"code"} | (page.elements & {"code"})
    assert page.attributes <= ATTRIBUTES
    reported = "".join(page.words)
    for name in (HOSTILE, "<img src=x onerror=alert(2)>/'\"><svg onload=alert(3)>.py", "]]>&lt;b&gt;.txt"):
        assert name in reported, name
    assert "path: <script>alert(4)</script>, <script>alert(4)</script>: 3 characters" in reported
    assert "\u202e" not in text
    assert "\\u202egnp.py" in reported
    hostile.close()


def test_a_page_needs_nothing_from_outside_and_may_load_nothing(hostile: Repository) -> None:
    text = render_report(collect_facts(hostile))
    assert text.startswith(MARK)
    assert "default-src 'none'" in text
    assert not re.search(r"https?:|//|@import|url\(|<script|<link|<iframe|<a\b| on\w+=\"", text)
    assert str(hostile.config.root.rpartition("/")[0]) not in text
    hostile.close()


def test_a_page_is_the_same_for_the_same_facts(hostile: Repository) -> None:
    facts = collect_facts(hostile)
    assert render_report(facts) == render_report(facts)
    hostile.close()


def test_a_page_tells_what_was_left_out_and_what_was_refused(hostile: Repository) -> None:
    facts = collect_facts(hostile)
    assert [file.path for file in facts.too_large] == ["]]>&lt;b&gt;.txt"]
    assert [(call.tool, call.outcome) for call in facts.log.blocked] == [("repo.open_file", "path_denied")]
    assert facts.log.calls == 3
    assert sum(one.live_files for one in facts.segments) == 2
    assert {name.partition("-")[0] for name in facts.places} >= {"index", "audit.jsonl"}
    reported = "".join(Page(render_report(facts)).words)
    assert "above the size limit" in reported
    assert "Refused reads" in reported
    hostile.close()


def test_pictures_scale_and_escape() -> None:
    picture = draw_bars([("a<b", 1, 4, "1 of 4"), ("c", 3, 8, "3 > 2"), ("d", 0, 0, "")])
    assert re.findall(r'class="(\w+)" style="width:([\d.]+)%"', picture) == [
        *(("whole", "50.00"), ("part", "12.50")),
        *(("whole", "100.00"), ("part", "37.50")),
    ]
    assert "a&lt;b" in picture
    assert "3 &gt; 2" in picture
    assert draw_bars([]) == '<ul class="bars"></ul>'
    assert clean("\x1b\u2066'") == "\\u001b\\u2066&#x27;"


def test_a_strip_says_what_each_of_its_parts_is() -> None:
    strip = draw_strip([("indexed", 3_000), ('">', 1_000), ("none", 0)])
    widths = [("part", "75.00"), ("left-0", "25.00")]
    assert re.findall(r'class="([\w-]+)" style="width:([\d.]+)%"', strip) == widths
    reported = re.findall(r'<li><i class="([\w-]+)"></i>([^<]+)', strip)
    assert reported == [("part", "3,000 indexed"), ("left-0", "1,000 &quot;&gt;"), ("left-1", "0 none")]


def test_a_report_replaces_reports_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert write_report(MARK + "1", None, own(tmp_path)) == "report.html"
    assert write_report(MARK + "2", "report.html", own(tmp_path)) == "report.html"
    assert (tmp_path / "report.html").read_text() == MARK + "2"
    (tmp_path / "mine.html").write_text("<!doctype html>mine")
    (tmp_path / "link.html").symlink_to(tmp_path / "report.html")
    for name in ("mine.html", "link.html", "no/such/folder.html", "."):
        with pytest.raises(RepoError):
            write_report(MARK + "3", name, own(tmp_path))
    assert (tmp_path / "mine.html").read_text() == "<!doctype html>mine"
    assert (tmp_path / "report.html").read_text() == MARK + "2"


def test_the_command_writes_into_the_data_directory_or_prints(tmp_path: Path) -> None:
    tree = make_tree(tmp_path)
    run(tree, "index", "--structure")
    done = run(tree, "report")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == os.path.join(".repo_mcp", "report.html") + "\n"
    page = (tree / ".repo_mcp" / "report.html").read_text()
    assert "files with a parser are parsed.</p>" in page
    assert run(tree, "report", "--output", "-").stdout.startswith(MARK)
    assert run(tree, "report", "-o", "README.md").returncode == 2

"""What a change of a type breaks that others implement: these, and what calls its members through it."""

from __future__ import annotations

import pytest

from repo_mcp.research.claims.member_sentences import describe_open_types
from repo_mcp.research.edges.member_uses import MOST_CALLERS
from repo_mcp.research.findings.handed_on import MemberUses, OpenType
from repo_mcp.research.findings.records import Report
from tests.repo_mcp.graph.memory_index import make_graph
from tests.repo_mcp.research.asking import Asked, find_one, list_found

GO = {
    "shelf.go": """package depot

type Shelf interface {
	Fetch(key string) []byte
	Keep(key string, val []byte)
	Close()
}

type Clerk struct {
	shelf Shelf
}

func (c *Clerk) Serve(key string) []byte {
	if key == "" {
		return nil
	}
	return c.shelf.Fetch(key)
}

func (c *Clerk) Restock(key string) {
	c.shelf.Keep(key, c.shelf.Fetch("spare"))
}

func NewClerk(shelf Shelf) *Clerk {
	return &Clerk{shelf: shelf}
}

func Open() *Clerk {
	return NewClerk(nil)
}
""",
    "memory/shelf.go": """package memory

type Shelf struct {
	kept map[string][]byte
}

func (s *Shelf) Fetch(key string) []byte {
	return s.kept[key]
}

func (s *Shelf) Keep(key string, val []byte) {
	s.kept[key] = val
}

func (s *Shelf) Close() {
}
""",
    "plain/shelf.go": "package plain\n\ntype Shelf struct {\n\tdepth int\n\twidth int\n}\n",
    "fake_test.go": """package depot

type fake struct{}

func (f *fake) Fetch(key string) []byte {
	return nil
}

func (f *fake) Keep(key string, val []byte) {
}

func (f *fake) Close() {
}
""",
}
PYTHON = {
    "depot/shelf.py": """from abc import ABC, abstractmethod


class Shelf(ABC):
    @abstractmethod
    def fetch(self, key: str) -> bytes: ...

    @abstractmethod
    def close(self) -> None: ...
""",
    "depot/memory.py": """from depot.shelf import Shelf


class MemoryShelf(Shelf):
    def fetch(self, key):
        return b""

    def close(self):
        pass
""",
    "depot/clerk.py": """from depot.shelf import Shelf


def serve(shelf: Shelf, key: str) -> bytes:
    return shelf.fetch(key)
""",
}
JAVA = {
    "src/depot/Shelf.java": "package depot;\n\npublic interface Shelf {\n  byte[] fetch(String key);\n\n"
    "  void close();\n}\n",
    "src/depot/MemoryShelf.java": "package depot;\n\npublic class MemoryShelf implements Shelf {\n"
    "  public byte[] fetch(String key) {\n    return null;\n  }\n\n  public void close() {}\n}\n",
    "src/depot/Clerk.java": "package depot;\n\npublic class Clerk {\n  private Shelf shelf;\n\n"
    "  byte[] serve(String key) {\n    return shelf.fetch(key);\n  }\n}\n",
}


def ask_go() -> Report:
    return Asked(GO).ask("what breaks if I change the Shelf interface?")


def test_the_kind_that_a_question_names_tells_namesakes_apart() -> None:
    assert [one.path for one in ask_go().findings if not one.hop] == ["shelf.go"]
    struct = Asked(GO).ask("what breaks if I change the Shelf struct?")
    assert {one.path for one in struct.findings if not one.hop} == {"memory/shelf.go", "plain/shelf.go"}
    lacking = Asked(PYTHON).ask("what breaks if I change the Shelf interface?")  # Python has none
    assert list_found(lacking)[0] == "shelf.Shelf"


def test_implementers_come_first_then_callers_of_the_members() -> None:
    report = ask_go()
    found = [one.symbol for one in report.findings if one.hop]
    assert found[:3] == ["memory.Shelf", "depot.Clerk.Serve", "depot.Clerk.Restock"]
    assert find_one(report, "depot.Clerk.Restock").why == "calls Shelf.Fetch and Shelf.Keep"
    assert "return c.shelf.Fetch(key)" in find_one(report, "depot.Clerk.Serve").excerpt
    assert "depot.Open" not in found  # it calls what only takes one
    assert "depot.fake" not in found


def test_the_answer_says_which_members_are_called_where() -> None:
    claim = ask_go().claim
    assert "is implemented by memory.Shelf (memory/shelf.go:3-5), and by 1 type in tests." in claim
    assert "Fetch is called at shelf.go:17 and shelf.go:21; Keep is called at shelf.go:21" in claim
    assert "; Close by nothing in the program." in claim
    assert "It is also used by" in claim


@pytest.mark.parametrize(
    ("files", "implementer", "caller"),
    [(PYTHON, "memory.MemoryShelf", "clerk.serve"), (JAVA, "depot.MemoryShelf", "depot.Clerk.serve")],
)
def test_members_of_abstract_types_are_followed(files: dict[str, str], implementer: str, caller: str) -> None:
    report = Asked(files).ask("what breaks if I change Shelf?")
    assert list_found(report, 1)[:2] == [implementer, caller]
    assert "fetch is called at" in report.claim
    assert "close by nothing in the program" in report.claim


def test_what_was_not_read_is_not_said_to_call_nothing() -> None:
    node = make_graph(GO).choose("shelf.go:3")
    uses = (MemberUses("Fetch", (("shelf.go", 17),), True), MemberUses("Close", (), True))
    said = describe_open_types([OpenType(node, (), 0, uses)])
    assert "is implemented by nothing here." in said
    assert "Close by nothing in the uses that were read." in said


def test_a_type_that_nothing_calls_is_followed_by_its_users() -> None:
    files = {path: text for path, text in PYTHON.items() if not path.endswith("clerk.py")}
    report = Asked(files).ask("what breaks if I change Shelf?")
    assert "is used by memory.MemoryShelf" in report.claim


def test_a_member_that_few_call_is_not_crowded_out() -> None:
    users = "".join(f"def serve{at}(shelf: Shelf):\n    return shelf.fetch('a')\n\n\n" for at in range(30))
    last = "def shut(shelf: Shelf):\n    shelf.close()\n"
    files = {**PYTHON, "depot/clerk.py": f"from depot.shelf import Shelf\n\n\n{users}{last}"}
    found = list_found(Asked(files).ask("what breaks if I change Shelf?"), 1)
    assert found.index("clerk.shut") == MOST_CALLERS  # behind the implementer and the others chosen

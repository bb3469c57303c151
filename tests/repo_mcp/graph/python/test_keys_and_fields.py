"""Python: what typed keys lead to, fields that keywords set, and what belongs to which declaration."""

from __future__ import annotations

import pytest

from repo_mcp.graph.program import Confidence
from repo_mcp.graph.vocabulary import CALLS, EdgeType
from tests.repo_mcp.graph.memory_index import find_node, list_incoming, list_outgoing, make_graph
from tests.repo_mcp.graph.python.test_resolver import confidences, meaning, resolve

KEYED = {
    "keys.py": "class Key(str): ...\nclass Pair(str): ...\nBox = dict\n",
    "hub.py": "from keys import Box\nclass Hub:\n    def __init__(self):\n        self.data = Box()\n",
    "parts.py": "class Part:\n    def start_up(self): ...\nclass Other:\n    def start_up(self): ...\n",
    "const.py": "from keys import Key\nfrom parts import Part\n"
    'PART: Key[Part] = Key("part")\nPARTS: list[Part] = []\nPLAIN = "plain"\n',
}
PART = ["parts.py:Part.start_up"]
ANY = [*PART, "parts.py:Other.start_up"]

BY_KEY = {
    "an item": ("hub.data[PART].«start_up»()", PART),
    "a variable": ("part = hub.data[PART]\n    part.«start_up»()", PART),
    "what get returns": ("hub.data.get(PART, None).«start_up»()", PART),
    "by the name of a module": ("hub.data[const.PART].«start_up»()", PART),
    "a key without a type": ("hub.data[PLAIN].«start_up»()", ANY),
    "a key that is a container": ("hub.data[PARTS].«start_up»()", ANY),
    "a member that no dict has": ("hub.data.«start_up»()", ANY),
    "one that every dict has": ("hub.data.«keys»()", ["= builtins.dict.keys"]),
    "what a function of another package returns": ("yaml.load(hub).«start_up»()", []),
    "a class of another package": ("yaml.Loader(hub).«start_up»()", ["= yaml.Loader.start_up"]),
}


def use(line: str) -> dict[str, str]:
    """Return the repository in which a function uses a hub."""
    head = "import yaml\nimport const\nfrom const import PART, PARTS, PLAIN\nfrom hub import Hub\n"
    return KEYED | {"use.py": f"{head}def run(hub: Hub):\n    {line}\n"}


@pytest.mark.parametrize("case", BY_KEY)
def test_a_key_of_type_key_of_t_leads_to_t(case: str) -> None:
    line, expected = BY_KEY[case]
    assert meaning(use(line)) == expected


def test_what_a_key_leads_to_is_a_guess() -> None:
    assert confidences(use("hub.data[PART].«start_up»()")) == [Confidence.PROBABLE]


@pytest.mark.parametrize("line", ["hub.data[PLAIN][0].start_up()", "yaml.load(hub).start_up()"])
def test_a_member_of_unknown_external_values_is_no_external_name(line: str) -> None:
    more = "".join(f"class More{number}:\n    def start_up(self): ...\n" for number in range(9))
    graph = make_graph(use(line) | {"more.py": more})
    assert list_incoming(graph, "parts.Part.start_up", EdgeType.CALLS) == []
    found = graph.find_incoming(find_node(graph, "parts.Part.start_up"), CALLS)
    assert [(one.path, one.lines) for one in found.unresolved] == [("use.py", (6,))]


FIELDS = (
    "from dataclasses import dataclass\n@dataclass\nclass Base:\n    size: int = 1\n"
    "class Row(Base):\n    name: str\n    def size_of(self): ...\n"
    "class Made:\n    def __init__(self, name):\n        self.name = name\n"
)
SET = {
    "a field": ("rows.Row(«name»='a')", ["rows.py:Row.name"]),
    "an inherited one": ("rows.Row(name='a', «size»=2)", ["rows.py:Base.size"]),
    "in a chain": ("rows.Row(«size»=2).size_of()", ["rows.py:Base.size"]),
    "a parameter of a constructor": ("rows.Made(«name»='a')", []),
    "a method": ("rows.Row(«size_of»=2)", []),
    "of another package": ("yaml.Row(«size»=2)", []),
}


@pytest.mark.parametrize("case", SET)
def test_a_keyword_sets_a_field(case: str) -> None:
    line, expected = SET[case]
    texts = {"rows.py": FIELDS, "use.py": f"import rows, yaml\nROWS = [{line}]\n"}
    assert meaning(texts) == expected
    assert expected or resolve(texts)[1].source == "uncounted"


def test_what_a_module_assigns_holds_the_uses_in_its_value() -> None:
    text = "import kinds\nBAD = {kinds.Kind.LOST, *(one for one in kinds.Kind)}\nkinds.Kind.LOST.show()\n"
    graph = make_graph({"kinds.py": "class Kind(Enum):\n    LOST = 1\n", "use.py": text})
    rows = list_incoming(graph, "kinds.Kind.LOST", EdgeType.REFERENCES)
    assert [(end, lines) for _, _, end, lines in rows] == [("use.py", (3,)), ("use.BAD", (2,))]


def test_a_class_uses_its_metaclass() -> None:
    text = "class Meta(type): ...\nclass Made(metaclass=Meta):\n    Meta = 1\n"
    rows = list_incoming(make_graph({"a.py": text}), "a.Meta", EdgeType.REFERENCES)
    assert [(end, lines) for _, _, end, lines in rows] == [("a.Made", (2,))]


def test_a_function_does_not_call_its_decorators() -> None:
    text = "def plain(f): ...\ndef made(x): ...\n@plain\n@made(1)\ndef run():\n    made(2)\n"
    graph = make_graph({"a.py": text})
    assert [(end, lines) for _, _, end, lines in list_outgoing(graph, "a.run", EdgeType.CALLS)] == [
        ("a.made", (6,))
    ]
    rows = list_incoming(graph, "a.plain", EdgeType.CALLS)
    assert [(end, lines) for _, _, end, lines in rows] == [("a.run", (3,))]


def test_an_attribute_that_a_string_names_is_used() -> None:
    text = "class A:\n    limit = 1\n    other = 2\ndef f(a: A):\n    return getattr(a, 'limit', a.other)\n"
    rows = list_incoming(make_graph({"a.py": text}), "a.A.limit", EdgeType.REFERENCES)
    assert [(confidence, end, lines) for _, confidence, end, lines in rows] == [("exact", "a.f", (5,))]

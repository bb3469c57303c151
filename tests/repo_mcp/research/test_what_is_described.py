"""What questions describe without naming it: a setting, an interface, a kind, a structure."""

from __future__ import annotations

import pytest

from repo_mcp.research.findings.locating import is_aside
from repo_mcp.research.findings.records import Form
from repo_mcp.research.question.grammar import parse_question
from repo_mcp.research.structure import architecture
from repo_mcp.text.idioms import find_idioms
from repo_mcp.text.question_words import find_action
from tests.repo_mcp.research.asking import Asked

CLIENT = Asked(
    {
        "client.go": """package web

// Client sends requests.
type Client struct {
	MaxRetries int
	ResponseBodyLimit int
	transport Transport
}

// SetResponseBodyLimit sets the limit of a body.
func (c *Client) SetResponseBodyLimit(limit int) *Client {
	c.ResponseBodyLimit = limit
	return c
}

// Execute sends a request and reads the body of its response, up to the limit of its size.
func (c *Client) Execute(request Request) (Response, error) {
	body, err := readLimited(request.body, c.ResponseBodyLimit)
	if err != nil {
		return nil, err
	}
	return Response{body: body, size: len(body)}, nil
}
""",
        "help.cs": """namespace Help
{
    public class HelpText
    {
        private const int OptionToHelpTextSeparatorWidth = 4;

        public int MaximumDisplayWidth { get; set; }

        public string Render(string text)
        {
            return Wrap(text, MaximumDisplayWidth - OptionToHelpTextSeparatorWidth);
        }
    }
}
""",
    }
)
SHAPES = Asked(
    {
        "src/carriers.ts": """/** Carries parcels to a door. */
export interface IParcelCarrier {
  carry(): void;
}

/** Carries letters to a box. */
export interface ILetterCarrier {
  post(): void;
}

export class ParcelCarrierList {
  parcel: string;
  carrier(): string { return this.parcel; }
}
""",
    }
)
STORES = Asked(
    {
        "stores.py": '''class Store:
    """Keep rows."""

    def read(self, key):
        raise NotImplementedError


class BaseStore(Store):
    """Hold what stores share."""

    def __init__(self):
        self.rows = {}

    def close(self):
        self.rows.clear()


class MemoryStore(BaseStore):
    """Keep rows in memory."""

    def read(self, key):
        if key not in self.rows:
            raise KeyError(key)
        return self.rows[key]

    def write(self, key, row):
        self.rows[key] = row
''',
    }
)


@pytest.mark.parametrize("question", ["Where is the colour of the door set?", "Where is the table set?"])
def test_a_setting_whose_words_no_name_has_is_not_guessed(question: str) -> None:
    assert "By its name" not in CLIENT.ask(question).claim


def test_of_many_modules_only_the_strongest_are_described() -> None:
    """Twenty that import each other are not all of them."""
    number = architecture.MAX_MODULES
    ring = {
        f"lib/m{at:02}.py": f"from lib.m{(at + 1) % number:02} import f{(at + 1) % number}\n"
        f"def f{at}():\n    return f{(at + 1) % number}()\n"
        for at in range(number)
    }
    outer = {f"lib/x{at}.py": f"from lib.m00 import f0\ndef x{at}():\n    return f0()\n" for at in range(4)}
    claim = Asked({"lib/__init__.py": "", **ring, **outer}).ask("architecture of lib").claim
    assert claim == (
        "lib has 24 modules, of which the 20 strongest are listed. The others depend most on lib/m00.py (5 of"
        " them, as at lib/x3.py:1). All 20 depend on each other, directly or through others."
    )


@pytest.mark.parametrize(("imported", "by"), [("import a", "more than one other"), ("", "another")])
def test_of_imports_only_what_is_known_is_said(imported: str, by: str) -> None:
    """Imports by a path from above the root lead nowhere here."""
    texts = {f"{name}.py": f"from up.a import f\ndef {name}():\n    return f()\n" for name in "abc"}
    claim = Asked(texts | {"b.py": f"{imported}\ndef b():\n    return 1\n"}).ask("architecture").claim
    assert claim.startswith(f"The repository has 3 modules. None is known to be used by {by}.")


def test_joined_words_mean_the_interface_named_after_them() -> None:
    claim = SHAPES.ask("What is the difference between a parcel carrier and a letter carrier?").claim
    assert claim.startswith("IParcelCarrier (src/carriers.ts:2-4): Carries parcels to a door. ILetterCarrier")


def test_a_type_from_which_others_derive_is_no_model() -> None:
    claim = STORES.ask("Where would I add a store for another database?").claim
    assert "An example is stores.MemoryStore" in claim


def test_a_new_kind_of_something_is_something_new() -> None:
    parsed = parse_question("Where would I add a new kind of rule?")[0]
    assert (parsed.form, parsed.phrases[0].text) == (Form.EXTENSION, "rule")
    action = find_action("how do I add a new kind of rule")
    assert action is not None
    assert action.nouns == ("rule",)


def test_circles_and_repetition_are_said_in_words_of_programs() -> None:
    assert "cyclic" in find_idioms("templates include each other in a circle")["in a circle"]
    assert "repeated" in find_idioms("the option is given twice")["twice"]


def test_a_version_history_is_no_documentation() -> None:
    assert is_aside("docs/versionhistory.rst")
    assert not is_aside("docs/versions.rst")

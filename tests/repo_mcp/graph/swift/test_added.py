"""Swift: members that extensions in a repository add to types of other packages."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

MANY = 20

TEXTS = {
    "a.swift": """
        extension UIView { func pinned() {} }
        extension Collection { func chunked() {} }
        extension String { func shout() {} }
        extension StringProtocol { func wrapped() -> String { "" } }
        extension Comparable { func clamped() -> Self { self } }
        """,
    "b.swift": """
        extension UIView { func other() {} }
        extension Foundation.Data { func dig() {} }
        class Store {}
        extension Store { func own() {} }
        """,
    "many.swift": "".join(f"extension Outside{at} {{ func crowded() {{}} }}\n" for at in range(MANY)),
    "use.swift": """
        func use(button: UIButton, view: UIView, list: [String], data: Data, stores: [Store], word: String) {
            button.pinned()
            view.other()
            button.other()  // of the base
            button.own()
            button.crowded()
            list.chunked()
            list.shout()
            list[0].shout()  // of an item
            data.dig()
            stores.chunked()
            word.wrapped()
            word.chunked().first
            "two \\(word)".wrapped()
            list.wrapped()
            stores.clamped()
        }
        """,
}


@pytest.mark.parametrize(
    ("line", "name", "said"),
    [
        ("button.pinned", "pinned", ["a.swift:1 pinned probable"]),
        ("view.other", "other", ["b.swift:1 other probable"]),
        ("button.other", "other", ["b.swift:1 other probable"]),
        ("button.own", "own", ["-> UIButton.own"]),
        ("button.crowded", "crowded", ["-> UIButton.crowded"]),
        ("list.chunked", "chunked", ["a.swift:2 chunked probable"]),
        ("list.shout", "shout", ["-> [String].shout"]),
        ("list[0].shout", "shout", ["a.swift:3 shout probable"]),
        ("data.dig", "dig", ["b.swift:2 dig exact"]),
        ("stores.chunked", "chunked", ["a.swift:2 chunked probable"]),  # of a list of what is declared here
        ("word.wrapped", "wrapped", ["a.swift:4 wrapped probable"]),  # of a protocol of the library's type
        ("word.chunked", "chunked", ["a.swift:2 chunked probable"]),  # of one that this refines
        ('"two ', "wrapped", ["a.swift:4 wrapped probable"]),
        ("list.wrapped", "wrapped", ["-> [String].wrapped"]),
        ("stores.clamped", "clamped", []),
    ],
)
def test_what_an_added_member_is_of(repository: Repository, line: str, name: str, said: list[str]) -> None:
    assert repository.ask("use.swift", line, name) == said

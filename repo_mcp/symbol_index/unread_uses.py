"""Uses that the graph cannot know: in files of languages that no parser reads, and that can name its symbols.

Only the text of such a file is known. Answers say which of them have a name as a word, and nothing about its
meaning there. Left out on purpose: languages that cannot call each other, in which a name is only a namesake.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable

from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.model import ExactAnswer, ExactRequest
from repo_mcp.symbols.model import SymbolKind
from repo_mcp.workspace.reader.client_paths import shown

MOST_FILES = 20  # looked for
MOST_PATHS = 3  # named

# The languages without a parser whose files call and extend what is declared in a language.
_USED_FROM = {
    "c": ("assembly", "lex", "objective-c", "yacc", "zig"),
    "cpp": ("objective-c",),
    "csharp": ("fsharp", "visual-basic"),
    "go": ("assembly",),
    "java": ("clojure", "groovy", "kotlin", "scala"),
    "javascript": ("svelte", "vue"),
    "swift": ("objective-c",),
    "typescript": ("svelte", "vue"),
}
_AS_SYMBOLS = frozenset({"go"})  # languages whose functions assembly names as `·name(SB)`
_SYMBOL_KINDS = frozenset({SymbolKind.FUNCTION, SymbolKind.VARIABLE, SymbolKind.CONSTANT})


def list_users(language: str) -> tuple[str, ...]:
    """Return the languages without a parser whose files can name the symbols of a language."""
    return _USED_FROM.get(language, ())


def may_be_used(kind: SymbolKind, language: str) -> bool:
    """Return whether files that no parser reads can name a symbol of a kind: in Go no method and no type."""
    return language not in _AS_SYMBOLS or kind in _SYMBOL_KINDS


def describe_uses(
    name: str, language: str, present: Collection[str], search: Callable[[ExactRequest], ExactAnswer]
) -> str:
    """Return which files that no parser reads have a name of a language as a word, or in assembly as a symbol
    of Go; "" if none has.

    `present` holds the languages of all files. Raises as the search does.
    """
    languages = tuple(one for one in list_users(language) if one in present)
    if not languages:
        return ""
    is_symbol = language in _AS_SYMBOLS
    pattern = rf"·{re.escape(name)}(?:<\w*>)?\(SB\)" if is_symbol else name
    request = ExactRequest(
        pattern,
        regex=is_symbol,
        whole_word=not is_symbol,
        languages=languages,
        limit=MOST_FILES,
        detail="files",
        names_snapshot=False,
    )
    answer = search(request)
    paths = [path for path, _ in answer.files]
    if not paths:
        return ""
    more = len(paths) - MOST_PATHS
    count = "1 file" if len(paths) == 1 else f"{len(paths)}{' or more' * answer.truncated} files"
    said = (
        f"{shown(f'·{name}(SB)')} may define or use it" if is_symbol else f"the word {shown(name)} may use it"
    )
    return (
        f"No parser reads {_list_languages(paths)}: {count} with {said}, such as"
        f" {', '.join(map(shown, paths[:MOST_PATHS]))}" + (f" and {more} more." if more > 0 else ".")
    )


def _list_languages(paths: Iterable[str]) -> str:
    return " and ".join(sorted({find_language(path).name for path in paths}))

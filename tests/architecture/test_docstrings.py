"""Docstrings: that of a function begins with a verb, and none with a word that begins half a sentence.

Words are judged by lists of what a verb never is: no list of verbs would be complete.
"""

from __future__ import annotations

import ast
import re

from tests.architecture.source_tree import ROOT, expect_none, iter_definitions, load_modules

# "What the compiler says", "Those of the rows": the rest of a sentence that is not there.
HALF = re.compile(
    r"""what|whether|which|who|whom|whose|where|when|why|how|that|those|these|this|its?|they|them|there|here|of
    |as|for|from|by|with|without|within|in|into|on|at|to|until|since|between|behind|beside|before|after|under
    |over|above|below|through|than|if|unless|because|although""",
    re.VERBOSE,
)
NOMINAL = re.compile(
    r"""an?|the|one|two|three|four|five|six|seven|eight|nine|ten|first|second|third|last|all|any|both|each|every
    |n?either|no|none|nothing|some|someone|something|several|many|much|more|most|few|fewer|less|(an)?other|such
    |same|own|everything|everyone|anything|he|she|we|you|i|ours?|my|his|her|theirs?|true|false|only|not|also|and
    |or|but|so|then|ascending|asynchronous""",
    re.VERBOSE,
)
WORD = re.compile(r"[A-Z][a-z]+(?=[ ,:;])")
TESTS = re.compile(r"test_|Test")
REMEDY = (
    "Begin the docstring of a function with a verb in the imperative, such as Return, and no docstring with a"
    " word that begins half a sentence:"
)


def find_fault(docstring: str, is_function: bool) -> str | None:
    """Return the first word of a docstring if it is not one that can begin it."""
    first = docstring.split(maxsplit=1)[0]
    word = first.strip(".,:;").lower()
    if HALF.fullmatch(word):
        return first
    if not is_function:
        return None
    if not WORD.match(docstring) or NOMINAL.fullmatch(word) or docstring.split()[1:2] == ["->"]:
        return first
    return first if is_plural_or_gerund(word) else None


def is_plural_or_gerund(word: str) -> bool:
    """Return whether a word looks like "seconds" or "opening"."""
    if word.endswith("s"):
        return not word.endswith("ss")
    return word.endswith("ing") and word != "bring"


def list_faults(path: str, tree: ast.Module) -> list[str]:
    """Return where docstrings of a module begin with the wrong word, and that word."""
    module = None if path.startswith("tests/") else ast.get_docstring(tree)
    found = [(1, module, False)] if module else []
    for node in iter_definitions(tree):
        docstring = ast.get_docstring(node)
        if docstring and node.name != "__init__" and not TESTS.match(node.name):
            found.append((node.lineno, docstring, not isinstance(node, ast.ClassDef)))
    return [
        f"{path}:{line} {word}"
        for line, text, is_function in found
        if (word := find_fault(text, is_function))
    ]


def test_docstrings_of_the_packages_begin_with_the_right_word() -> None:
    expect_none(
        (fault for module in load_modules() for fault in list_faults(module.path, module.tree)), REMEDY
    )


def test_docstrings_of_benchmarks_and_of_what_tests_use_begin_with_the_right_word() -> None:
    """Docstrings of tests and their modules may say what is tested; the corpus shows code of all kinds."""
    faults = []
    for folder in ("bench", "tests"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            path = file.relative_to(ROOT).as_posix()
            if not path.startswith("tests/corpus/"):
                faults += list_faults(path, ast.parse(file.read_text(encoding="utf-8")))
    expect_none(faults, REMEDY)


def test_wrong_words_are_found() -> None:
    for riddle in ("Those of the rows.", "What the compiler says.", "Of everything.", "How fresh it is."):
        assert find_fault(riddle, is_function=False), riddle
    nouns = (
        "The rows.",
        "Seconds.",
        "True when it fits.",
        "Class -> queries.",
        "Opening an index.",
        "Markdown.",
    )
    for noun in nouns:
        assert find_fault(noun, is_function=True), noun
        assert find_fault(noun, is_function=False) is None, noun
    for sentence in ("Return the rows.", "Raise, and close.", "Pass it on.", "Bring it up to date."):
        assert find_fault(sentence, is_function=True) is None, sentence

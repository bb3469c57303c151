"""Read the form of a question from the words around a name, wherever these stand. Pure.

The forms in grammar.py are whole sentences. People type many others around a name: "every place in the app
that calls fetch()", "can `fetch` throw", "is Router.fetch safe to remove?". What is written as a name is told
from prose, and the words beside it tell what is asked. How something works, and why, is no such question.
"""

from __future__ import annotations

import re

from repo_mcp.research.findings.records import Form
from repo_mcp.research.question.phrase_names import is_abbreviation, leave_out_parts
from repo_mcp.research.question.phrases import leave_out_article

MAX_CHARS = 200  # of a question that is read so; a longer one tells a story


def _join(words: str) -> str:
    """Return the expression for any of some words. `_` is a space, and `|` parts the endings in brackets."""
    listed = [re.sub(r"\(([\w|]+)\)", r"(?:\1)?", word.replace("_", " ")) for word in words.split()]
    return rf"\b(?:{'|'.join(listed)})\b"


def _compile(*expressions: str) -> re.Pattern[str]:
    return re.compile("|".join(expressions), re.IGNORECASE)


_KINDS = ("class", "interface", "protocol", "struct", "trait", "type")
_NAME = re.compile(
    r"`([^`]{1,80})`"
    r"|(?<![\w$./<-])("
    r"[A-Za-z_$][\w$]*(?:(?:\.|::|#)[A-Za-z_$][\w$]*)+"  # Router.fetch
    r"|\w*[a-z0-9][A-Z]\w*|\w*[^\W_]_\w+|_+[A-Za-z]\w*"  # fetchAll, fetch_all, _fetch
    r"|[A-Za-z_$][\w$]*(?=\(\))"
    rf"|[A-Z]\w+(?= (?:{'|'.join(_KINDS)})\b)"
    rf"|(?:{'|'.join(f'(?<={before} )' for before in (*_KINDS, 'implements', 'extends'))})[A-Z]\w+"
    r")(?:\(\))?(?![\w/>-])"
)
_FILE = re.compile(
    r"\.(?:[ch]|cc|cpp|cs|dart|exs?|go|hpp|hs|java|json|jsx?|kts?|lua|md|mjs|php|pyi?|rb|rs|scala|sh|svelte|swift|toml|tsx?"
    r"|vue|ya?ml|zig)$"
)
# "who throws X in `read`": X is not its member.
_RAISED_IN = _compile(
    r"\b(?:throw|rais)(?:s|es?|ing)? (?:an? |the |new )?X (?:by|from|in|inside|of|within) (?:the )?X\b",
    r"\bX (?:\w+ ){0,3}(?:thrown|raised) (?:\w+ )?(?:by|from|in|inside|of|within) (?:the )?X\b",
)
# "`add` of Store", "the `add` method of `Store`", "`add` in class Store": a member of a type.
_MEMBER = re.compile(
    r"\bX (?:(?:method|function|member) )?(?:of|on|in|from) (?:the )?(?:class |type |interface )?X\b"
)
_OWNED = re.compile(r"\bX(?:'s| class's) X\b")
_IS_OPEN = _compile(
    r"how (?!(?:do|can|would|should) (?:i|we|you) (?:find|see|list)\b)",
    r"(?:why|under (?:what|which)|what (?:happens|goes on|is going on))\b",
    r"what does\b(?!.*\b(?:raise|throw)\b)",
    # Of "which options does X read", X is the reader, not an option.
    r"(?:what|which)(?: [\w-]+){0,3} (?:options?|settings?|flags?|variables?) (?:does|do|can|did) ",
)
# "if it stopped removing them": what it does is changed, which no name tells.
_IS_SUPPOSED = _compile(r"\bif (?:it|they) (?!(?:is|are|was|were|gets?|got) (?:remov|renam|delet|chang))")
_COMPARES = _compile(
    _join("""differ(s|ed|ent|ence|ences|ently) distinction(s) distinguish(es) vs versus compare(s|d)
        comparison contrast(s|ed) apart rather_than instead_of unlike as_opposed_to the_same same_as
        equivalent interchangeable swap(s|ped) prefer(s|red) preferable relative_to which_one"""),
    r"\bX (?:over|or) X\b",
    r"\bbetween X and X\b",
    r"\bwhen\b.*\bX\b.*\bwhen\b.*\bX\b",
)
# "when is X thrown for guests", "all that throws X"; of "which errors of X are raised", X is the function.
_RAISED = _compile(
    r"\bX (?:\w+ ){0,3}(?:re)?(?:thrown|raised)\b",
    r"\b(?:re)?(?:throw(?:s|ing)?|rais(?:es?|ing)) (?:an? |the |new )?X\b",
)
_ASKS_ERRORS = _compile(r"\b(?:errors|exceptions|failures|(?:what|which|any) (?:error|exception|failure))\b")
_TYPE = re.compile(r"(?:.*[.:#])?[A-Z]\w*$")
_CHANGE = """renam(e|es|ing) remov(e|es|ing) delet(e|es|ing) chang(e|es|ing) alter(s|ing) modify(ing)
    drop(s|ping) tweak(ing) refactor(ing) replac(e|es|ing) deprecat(e|ing) mov(e|ing) break(ing)"""
_CALLS = """call(s|ing) invoke(s) invoking instantiate(s) trigger(s|ing) reach(es|ing) construct(s|ing) run(s)
    hit(s)"""
_CALLED = "called invoked instantiated triggered executed hit run reached"
_CHANGED = "renamed removed deleted changed altered modified dropped replaced deprecated moved gone"
# The words of each form around a name, X, the surest first.
_FORMS = (
    (
        Form.IMPLEMENTATIONS,
        _compile(
            _join("""implement(s|ed|er|ers|or|ors|ing|ation|ations) subclass(es|ed|ing) sub-class(es|ed|ing)
                subtype(s) hierarchy override(s) overridden overriding extend(s|ed|ing) inherit(s|ed|ing)
                derive(s|d) deriving conform(s|ing) satisfy satisfies descendant(s)"""),
            rf"{_join('concrete kinds flavor(s) flavour(s) variants versions children')} (?:of |\w+ )?X\b",
            r"\bX variants\b",
        ),
    ),
    (
        Form.DEPENDENTS,
        _compile(
            _join("""break(s|ing|age) affect(s|ed) impact(s|ed) blast_radius consequence(s) fallout
                stop(s)_working stop(s)_compiling suffer(s) downstream ripple(s) side_effect(s) side-effect(s)
                at_risk implication(s) repercussion(s) regression(s) safe safely depend(s|ent|ents|ing)
                rely_on relies_on relying_on get_rid_of"""),
            r"\b(?:needs?|have|has) (?:to (?:be )?)?(?:updat|adapt|fix|chang|rewrit|touch|adjust)\w*",
            rf"{_join(_CHANGE)} (?!how |what |when )(?:[\w']+ ){{0,4}}?X\b",
            rf"\bX\b.* (?:is|are|was|were|gets?|got|be|being) (?:\w+ )?{_join(_CHANGED)}",
        ),
    ),
    (
        Form.ERRORS,
        _compile(
            _join("""error(s) exception(s) raise(s|d) raising throw(s|n|ing) fail(s|ed|ure|ures) panic(s)
                propagate(s) guard_against blow(s)_up go(es)_wrong bubble(s)_up reject(s) crash(es)""")
        ),
    ),
    (
        Form.CALLERS,
        _compile(
            rf"{_join(_CALLS)} (?:to |of |the |an? |\w+ )?X\b",
            _join("caller(s) call_site(s) call-site(s) callsite(s) invocation(s) calls calling invokes"),
            rf"\bX\b (?:[\w-]+ ){{0,3}}?{_join(_CALLED)}",
        ),
    ),
    (
        Form.DEPENDENTS,
        _compile(
            _join("""usage(s) use(s|d) using reference(s|d) referencing consume(s|d|r|rs) import(s|ed)
                mention(s|ed) need(s) touch(es)""")
        ),
    ),
    (
        Form.CONFIGURED,
        _compile(
            _join("""configure(s|d) configuration configurable set(s) setting(s) option(s) default(s) env
                environment flag value control(s|led) read(s) toggle(s|d) enable(s|d) disable(s|d) overridden
                assigned populated initialised initialized consult(s|ed) honour(s|ed) honor(s|ed)
                turned_on turned_off look(s)_at look(s)_up looked_up come(s)_from picked_up""")
        ),
    ),
)


def read_named_form(text: str) -> tuple[Form, tuple[str, ...]] | None:
    """Return the form of a question around one or two names, and these; None if it has no such form."""
    if len(text) > MAX_CHARS:
        return None
    names: list[str] = []

    def blank(found: re.Match[str]) -> str:
        name = found[1] or found[2]
        if _is_file(found) or " " in name or is_abbreviation(name):
            return found[0]
        names.append(name.removesuffix("()"))
        return "X"

    plain = leave_out_article(" ".join(_NAME.sub(blank, text).replace("`", " ").split()))
    if len(names) == 2 and _COMPARES.search(plain):
        return Form.DIFFERENCE, tuple(names)
    names = leave_out_parts(names)
    if len(names) == 1 and _TYPE.match(names[0]) and _RAISED.search(plain) and not _ASKS_ERRORS.search(plain):
        return Form.RAISED, (names[0],)
    if len(names) == 2 and _TYPE.match(names[0]) and _RAISED_IN.search(plain):
        return Form.ERRORS, (names[1],)
    if _IS_OPEN.match(text) or _IS_SUPPOSED.search(text):
        return None
    if len(names) == 2 and _MEMBER.search(plain):
        names = [f"{names[1]}.{names[0]}"]
    elif len(names) == 2 and _OWNED.search(plain):
        names = [".".join(names)]
    form = next((form for form, words in _FORMS if words.search(plain)), None) if names else None
    return None if form is None else (form, (names[0],))


def find_only_name(text: str) -> str:
    """Return the only word of a text that is written as a name: `fetch` of "fetch() for a body"; or ""."""
    names = [*_NAME.finditer(text)]
    return "" if len(names) != 1 or _is_file(names[0]) else names[0][1] or names[0][2]


def _is_file(name: re.Match[str]) -> bool:
    """Return True for the name of a file, `page.json`; with brackets behind it, it is that of a function."""
    return _FILE.search(name[1] or name[2]) is not None and not name[0].endswith("()")

"""The forms of questions: text in, what is asked and of what. Pure; knows nothing of the repository.

A question may fit several forms ("how does X get to Y" has the look of an open one): all that fit are given,
the narrowest first, and whoever knows the repository takes the first whose subjects it has. What fits no
form is an open question.

Expressions are matched against at most MAX_CHARS characters; each has at most two parts of any length, so
that none takes more than quadratic time on that.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from repo_mcp.research.records import Form
from repo_mcp.structure_model import CALLABLE_KINDS, TYPE_KINDS, SymbolKind

MAX_CHARS = 400  # of a question that may have a form; longer ones are open


@dataclass(frozen=True, slots=True)
class Phrase:
    """The part of a question that names something."""

    text: str
    kinds: frozenset[SymbolKind] = frozenset()  # that the words around it ask for; none: any


@dataclass(frozen=True, slots=True)
class Parsed:
    """One way to understand a question."""

    form: Form
    phrases: tuple[Phrase, ...] = ()


_LEAD = re.compile(
    r"(?:(?:please|can you|could you|i want to|i need to|help me|let me|tell me|show me|show|give me|explain"
    r"|describe|list|find|get|identify|know|understand|see|me|to|about|out|all|every|each|exactly|the)\s+)+",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"\s+(?:in|of|within|across|inside|throughout)\s+(?:this|the|our|my)\s+(?:whole\s+|entire\s+)?"
    r"(?:code\s*base|code|repo|repository|project|program|package|library|application|app|system)$"
    r"|\s+(?:please|exactly|here|defined here)$",
    re.IGNORECASE,
)
_WHO = r"(?:what|who|which|all|any)(?:\s+(?:other\s+)?(?:code|functions?|methods?|classes|types|modules?|files?|places|parts|components?|structs?|things|else|symbols?|callers?|protocols?))?"
_TYPES = r"(?:types?|class(?:es)?|structs?|enums?|things|symbols?|modules?|protocols?|interfaces?)"
_IS = r"(?:is|are|was|were|gets?|being)"
_X, _Y = r"(?P<x>.+)", r"(?P<y>.+)"
_LAZY = r"(?P<x>.+?)"

# form, expression of the whole question; a form with two subjects names them x, from, and y, to.
_FORMS: tuple[tuple[Form, str], ...] = (
    (Form.FLOW, rf"how (?:does|do|can|is|are|did|will) {_LAZY} (?:(?:ever )?(?:flows?|gets?|got|travels?|propagated?s?|passed|makes? (?:its|their) way|leads?|goes|go|end up|ends up|arrives?|sent|delivered|routed|dispatched|handed(?: over)?|turned|converted|transformed|connected|related)(?: down| up| through| over)? (?:to|into|in|at)|reach(?:es)?|ends? in|calls?|triggers?) {_Y}"),
    (Form.FLOW, rf"how (?:is|are) (?P<y>.+?) (?:reached|called|invoked|triggered|fed|made|filled) (?:from|by|out of) {_X}"),
    (Form.FLOW, rf"how (?:does|do) (?P<y>.+?) (?:gets?|receives?|obtains?) (?:its \w+ |called )?from {_X}"),
    (Form.FLOW, rf"(?:the )?(?:(?:call|data|control|execution) )?(?:paths?|routes?|chains?|flows?|way) (?:of calls )?(?:from|between) {_LAZY} (?:to|and|into) {_Y}"),
    (Form.FLOW, rf"(?:trace|follow)(?: the)?(?: (?:call|data|control|execution|path|flow|calls))* (?:from |of )?{_LAZY} (?:down to|up to|to|into) {_Y}"),
    (Form.FLOW, rf"(?:(?:does|do|can|will) {_LAZY} (?:ever )?(?:reach|call|use|invoke|lead to|depend on|end up in) {_Y})"),
    (Form.FLOW, r"(?P<x>.+?) (?:flows? (?:in)?to|reaches|leads to|ends up in) (?P<y>.+)"),
    (Form.FLOW, r"(?:what connects|relation(?:ship)? between|connection between|how (?:are|is)) (?P<x>.+?) (?:and|with|to) (?P<y>.+?)(?: (?:related|connected|linked|work together|interact))?"),
    (Form.FLOW, r"(?:from )?(?P<x>[^\s]+) ?(?:->|=>|→|-->|to) ?(?P<y>[^\s]+)"),
    (Form.IMPLEMENTATIONS, rf"(?:(?:known|concrete|possible|direct|different) )?(?:implementations?|implementors?|implementers?|implementing {_TYPES}|sub ?-?class(?:es)?|sub ?-?types?|conformances?|conformers|conforming {_TYPES}|derived {_TYPES}|child(?:ren)? ?(?:classes)?|descendants|overrides?|heirs|extensions) (?:of|for|to|from) {_X}"),
    (Form.IMPLEMENTATIONS, rf"(?:{_WHO}|{_TYPES})(?: (?:that|which|{_IS}))* (?:implement(?:s|ing)?|extend(?:s|ing)?|inherit(?:s|ing)?(?: from)?|derives?(?: from)?|derived from|subclass(?:es|ing)?|sub-?class of|conform(?:s|ing)?(?: to)?|overrid(?:es?|ing)|overridden by|adopts?) {_X}"),
    (Form.IMPLEMENTATIONS, rf"(?:how|where|who) (?:many )?(?:{_IS} )?{_LAZY} (?:{_IS} )?(?:subclassed|extended|overridden|inherited)"),
    (Form.IMPLEMENTATIONS, rf"{_LAZY} (?:implementations|implementors|implementers|subclasses|conformances|subtypes)"),
    (Form.CALLERS, rf"{_WHO}(?: (?:that|which|{_IS}|directly|indirectly|ever|eventually))* (?:calls?|calling|invokes?|invoking|triggers?|triggering|executes?|instantiates?|constructs?|creates?(?: an?)?(?: instances? of)?|raises?|throws?) {_X}"),
    (Form.CALLERS, rf"(?:(?:direct|indirect|transitive) )?(?:callers?|call sites?|calls|invocations?|call(?:er)? (?:chains?|graph|hierarchy|tree)|instantiations?|call stack) (?:of|to|for|leading to|into) {_X}"),
    (Form.CALLERS, rf"(?:where|when|by whom|by what|how often|from where|who) (?:{_IS} |does |do )?{_LAZY} (?:{_IS} )?(?:ever )?(?:called|invoked|triggered|instantiated|constructed|created|executed|raised|thrown|run|get called|made)(?: from| by)?"),
    (Form.CALLERS, rf"where (?:do|does) (?:we|it|they|one|the code|you) (?:call|invoke|create|instantiate|raise|run) {_X}"),
    (Form.CALLERS, rf"how (?:does|do|is|are|did) (?:the code |execution |control |we )?(?:reach|get to|called) {_X}"),
    (Form.CALLEES, rf"(?:what|which(?: functions| methods)?)(?: (?:other )?(?:functions?|methods?|code|things|else))? (?:does|do|will|are called by|is called by|is invoked by) {_LAZY}(?: (?:call|invoke|run|execute|do|trigger|calls|invokes)(?: internally| directly)?)?"),
    (Form.CALLEES, rf"(?:callees|(?:functions|methods|code) (?:called|invoked|used|run) by|calls (?:made )?(?:by|from|in|inside|within)) {_X}"),
    (Form.CALLEES, r"what (?P<x>\S+) (?:calls|invokes|runs|executes|does)"),
    (Form.CALLEES, rf"what happens (?:when|if|in|inside|after|during)(?: (?:i|we|you|someone|one|a user|it))? (?:calls?|invokes?|runs?|uses?)? ?{_LAZY}(?: (?:is|gets|are) (?:called|invoked|run|executed|used))?"),
    (Form.CALLEES, rf"how (?:does|do) {_LAZY} (?:work|function|operate|do (?:its|that|this))(?: internally)?"),
    (Form.DEPENDENCIES, rf"what (?:does|do|are the things|things) {_LAZY} (?:depends? (?:up)?on|uses?|imports?|needs?|requires?|rely on|relies on|reference|consist of|contain|inherit(?: from)?|extend|implement)"),
    (Form.DEPENDENCIES, r"what (?P<x>\S+) (?:depends (?:up)?on|uses|imports|needs|requires|relies on)"),
    (Form.DEPENDENCIES, rf"(?:(?:direct|transitive|internal|external|outgoing|third.party|module|package) )*(?:dependenc(?:y|ies)|imports|requirements|base(?: class)?(?:es)?|super ?(?:class(?:es)?|types?)|parents?|ancestors)(?: (?:graph|tree|map))? (?:of|for|in) {_X}"),
    (Form.DEPENDENCIES, rf"{_LAZY}(?:'s)? (?:dependencies|imports|dependency (?:graph|map|tree))"),
    (Form.DEPENDENTS, rf"{_WHO}(?: (?:that|which|{_IS}|directly|indirectly|would|will|could))* (?:depends? (?:up)?on|depending (?:up)?on|dependent on|uses?|using|imports?|importing|needs?|references?|referencing|relies on|rely on|consumes?|consuming|reads?|accepts?|takes?|returns?|affected by|break(?:s)? (?:if|when)|be affected by) {_X}"),
    (Form.DEPENDENTS, rf"(?:(?:all|direct|transitive) )*(?:usages?|uses?|references?|users?|consumers?|dependents?|dependants?|clients|importers?|reverse dependencies|readers|mentions) (?:of|to|on|for) {_X}"),
    (Form.DEPENDENTS, rf"(?:where|how|by whom|by what|who) (?:{_IS} |does |do )?{_LAZY} (?:{_IS} )?(?:used|imported|referenced|consumed|needed|mentioned|read|relied (?:up)?on)(?: by| from| in)?"),
    (Form.DEPENDENTS, rf"(?:the )?(?:impact|effects?|consequences|blast radius) of (?:changing |removing |renaming |deleting |a change (?:in|to|of) )?{_X}"),
    (Form.DEPENDENTS, rf"what (?:would |will |could |might )?(?:breaks?|happens?|changes?) (?:if|when) (?:i |we |you )?(?:changed?|removed?|renamed?|deleted?)? ?{_LAZY}(?: (?:is|gets|were|was) (?:changed|removed|renamed|deleted|gone))?"),
    (Form.CONFIGURED, rf"(?:where|how|when) (?:{_IS} |can i |do i |do you |do we |does one |to |can one |should i )?{_LAZY} (?:{_IS} )?(?:be )?(?:configured|set(?: up)?|initiali[sz]ed|customi[sz]ed|enabled|disabled|controlled|overridden in (?:the )?config\w*|defaulted|registered|assigned|wired(?: up)?)"),
    (Form.CONFIGURED, rf"(?:where|how) (?:do|can|does|should|to)(?: (?:i|we|you|one))? (?:configure|set(?: up)?|customi[sz]e|enable|disable|control|initiali[sz]e|register|assign) {_X}"),
    (Form.CONFIGURED, rf"(?:(?:default|possible) )?(?:config(?:uration)?s?|settings?|options?|defaults?|set-?up|default values?|registrations?|environment variables?) (?:of|for|that controls?|behind) {_X}"),
    (Form.CONFIGURED, rf"{_WHO} (?:configures?|sets?(?: up)?|controls?|enables?|disables?|registers?|assigns?|initiali[sz]es?|customi[sz]es?) {_X}"),
    (Form.CONFIGURED, rf"{_LAZY} (?:config|configuration|settings?)(?: (?:file|location|options?))?"),
    (Form.DEFINED, rf"where (?:{_IS} |do we |can i find |does |do |can one find )?{_LAZY}(?: {_IS})? (?:defined|declared|implemented|located|live|lives|found|coded|written|come from|comes from|live in|stored)"),
    (Form.DEFINED, rf"(?:definitions?|declarations?|location|source(?: code)?|signature) (?:of|for) {_X}"),
    (Form.DEFINED, rf"where(?: is|'s| are) {_X}"),
    (Form.DEFINED, rf"(?:what|who)(?: is|'s| are) {_X}"),
    (Form.OVERVIEW, r"(?:(?:what is |what's |how is )?(?:the )?(?:overall |general |high.level |system |software |main |big )*(?:architecture|structure|design|organi[sz]ation|organi[sz]ed|structured|layout|layers?|layering|modules?|components?|building blocks|overview|map|big picture)(?: (?:and|or|of) (?:the )?(?:main |core )?(?:modules?|layers?|components?|structure|architecture|design))*)(?: (?:of|in|for|look like) (?P<x>.+))?"),
    (Form.OVERVIEW, r"how (?:is|are) (?P<x>.+?) (?:organi[sz]ed|structured|layered|laid out|built|architected|designed|put together)"),
    (Form.OVERVIEW, r"(?:the )?(?:architecture|structure|layers|modules|design) (?:of|in) (?P<x>.+)"),
)  # fmt: skip
_COMPILED = tuple((form, re.compile(text, re.IGNORECASE)) for form, text in _FORMS)

_ARTICLE = re.compile(
    r"^(?:(?:the|a|an|this|that|our|my|its|their|any|all|some|every|given|whole|entire|calls? to|instances? of|use of)"
    r"\s+)+",
    re.IGNORECASE,
)
_CALLED = re.compile(r"\(\s*[^()]{0,80}\)$")
_QUOTES = "`'\"“”‘’ \t"
_KIND_WORDS: dict[str, frozenset[SymbolKind]] = {
    "function": CALLABLE_KINDS,
    "functions": CALLABLE_KINDS,
    "method": CALLABLE_KINDS,
    "macro": frozenset({SymbolKind.MACRO}),
    "constructor": frozenset({SymbolKind.CONSTRUCTOR}),
    "component": CALLABLE_KINDS | TYPE_KINDS,
    "decorator": CALLABLE_KINDS | TYPE_KINDS,
    "class": TYPE_KINDS,
    "type": TYPE_KINDS,
    "struct": TYPE_KINDS,
    "interface": TYPE_KINDS,
    "protocol": TYPE_KINDS,
    "trait": TYPE_KINDS,
    "enum": TYPE_KINDS,
    "model": TYPE_KINDS,
    "exception": TYPE_KINDS,
    "module": frozenset({SymbolKind.FILE, SymbolKind.MODULE}),
    "file": frozenset({SymbolKind.FILE}),
    "package": frozenset({SymbolKind.FILE, SymbolKind.MODULE}),
    "folder": frozenset({SymbolKind.FILE}),
    "directory": frozenset({SymbolKind.FILE}),
    "variable": frozenset({SymbolKind.VARIABLE, SymbolKind.CONSTANT, SymbolKind.PROPERTY}),
    "constant": frozenset({SymbolKind.VARIABLE, SymbolKind.CONSTANT, SymbolKind.PROPERTY}),
    "field": frozenset({SymbolKind.PROPERTY}),
    "attribute": frozenset({SymbolKind.PROPERTY}),
    "property": frozenset({SymbolKind.PROPERTY, SymbolKind.METHOD}),
    "setting": frozenset(),
    "option": frozenset(),
}  # fmt: skip


def parse_question(query: str) -> tuple[Parsed, ...]:
    """The ways to understand a question, the narrowest first; the last is always the open one."""
    text = " ".join(query.split())
    found: dict[Parsed, None] = {}
    if len(text) <= MAX_CHARS:
        plain = _strip(text)
        for form, pattern in _COMPILED:
            match = pattern.fullmatch(plain)
            if match is not None:
                found.setdefault(_build(form, match))
    return (*found, Parsed(Form.OPEN, (Phrase(text),)))


def _strip(text: str) -> str:
    """Without what is said around a question."""
    text = text.strip().rstrip("?!. ").strip()
    lead = _LEAD.match(text)
    if lead is not None and lead.end() < len(text):
        text = text[lead.end() :]
    for _ in range(2):
        text = _TAIL.sub("", text)
    return text


def _build(form: Form, match: re.Match[str]) -> Parsed:
    groups = match.groupdict()
    named = [groups[name] for name in ("x", "y") if groups.get(name)]
    return Parsed(form, tuple(map(read_phrase, named)))


def read_phrase(text: str) -> Phrase:
    """What a part of a question names: without articles, quotes and brackets, and of which kind."""
    text = _TAIL.sub("", text.strip().rstrip("?!.,; ").strip())
    text = _ARTICLE.sub("", text).strip(_QUOTES)
    kinds: frozenset[SymbolKind] = frozenset()
    words = text.split(" ")
    if len(words) > 1 and words[0].lower() in _KIND_WORDS:
        kinds = _KIND_WORDS[words[0].lower()]
        words = words[1:]
    elif len(words) > 1 and words[-1].lower() in _KIND_WORDS:
        kinds = _KIND_WORDS[words[-1].lower()]
        words = words[:-1]
    text = " ".join(words).strip(_QUOTES)
    called = _CALLED.search(text)
    if called is not None:
        text = text[: called.start()].strip(_QUOTES)
        kinds = kinds or CALLABLE_KINDS | TYPE_KINDS
    return Phrase(text, kinds)

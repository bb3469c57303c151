"""Idioms of English, such as "takes too long", and the words that programs have for them: `timeout`. Pure."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain

from repo_mcp.late_patterns import compile_late
from repo_mcp.text.analysis import get_word_terms
from repo_mcp.text.everyday_phrases import find_phrases

# What people say, and the words that programs use for it. If what is said is an idiom only behind some words,
# it is the group `said`.
_IDIOMS = tuple(
    (compile_late(rf"\b(?:{said})\b", re.IGNORECASE), tuple(plain.split()))
    for said, plain in (
        (r"too (?:slow|slowly|late)|takes? too long|taking too long", "timeout"),
        (r"tim(?:es?|ed|ing) out", "timeout"),
        (r"(?:memory|cache|storage) (?:is|gets|runs|becomes) (?:full|out|exhausted)", "evict alloc"),
        (r"too (?:many|often|much)", "limit"),
        (r"too (?:deep|deeply)", "depth level"),
        (r"slow(?:s|ed|ing)? (?:\w+ ){0,3}?down", "throttle delay"),
        (r"turn(?:s|ed|ing)? (?:an? |the |its? )?(?:texts?|strings?|values?|arguments?) (?:\w+ ){0,3}?into",
         "convert parse"),
        (r"too (?:big|large|long)", "max limit"),
        (r"(?:bigger|larger|longer|more) than (?:the |is |are |it is )?(?:allowed|permitted|maximum|limit)",
         "max limit exceed"),
        (r"(?:runs?|running|ran) out of", "exhausted"),
        (r"(?:kicked|thrown) off|hangs? up|goes away", "disconnect close"),
        (r"cut off", "truncate disconnect close"),
        (r"(?:gives?|gave|giving) up", "abort"),
        (r"(?:brings?|brought) (?:\w+ ){0,3}?back(?: up)?", "restart"),
        (r"(?:acks?|answers?|pongs?|repl(?:y|ies)|responses?|results?|values?) (?:that |which )?"
         r"(?:comes?|came) back", "receive"),
        (r"(?:comes?|came) (?:\w+ ){0,3}?back(?: up)?", "restart reconnect"),
        (r"(?:does|do|did)(?: not|n't) exist|no longer exists?", "notfound"),
        (r"never (?:calls?|returns?|finish(?:es)?|ends?|completes?|answers?|responds?|resolves?)", "timeout"),
        (r"(?:\w+ed|runs?|done|sent|reads?) again|once more", "next retry"),
        (r"(?:gets?|getting|got) rid of|thrown? away|clean(?:s|ed|ing)? (?:up|out)|tidied up",
         "remove delete purge"),
        (r"at the same (?:time|moment)|(?<!all )at once|simultaneous(?:ly)?", "concurrent lock"),
        (r"one after (?:the other|another)|one by one", "sequential queue"),
        (r"(?:tried|attempted) again|(?<!a )(?<!the )repeated"
         r"(?! (?:argument|element|field|group|key|line|option|value|word)s?\b)"
         r"|another (?:try|attempt)", "retry"),
        (r"(?:goes|go|went|gone) wrong", "error fail"),
        (r"(?:turned|switched) off", "disable deactivate"),
        (r"(?:turned|switched) on", "enable activate"),
        (r"(?:shuts?|shutting) down", "shutdown stop"),
        (r"(?:starts?|started|starting) up", "init start"),
        (r"(?:is|are|gets?) stuck", "timeout deadlock"),
        (r"(?:includes?|contains?|calls?|imports?|extends?|refers? to|points? to) (?:itself|themselves)",
         "recursion recursive circular cycle"),
        (r"(?:takes?|taking|has|have) precedence", "priority override"),
        (r"malformed|garbled|not valid", "invalid"),
        (r"remember(?:s|ed)?", "cache store"),
        (r"forget(?:s|ting)?|forgotten", "clear remove"),
        (r"twice|more than once", "duplicate repeated"),
        (r"(?:go(?:es|ing)?|went|runs?|leads?|waits?|calls?|needs?|depends?|dependenc(?:y|ies)|imports?|includes?"
         r"|inherit(?:s|ance)?|extends?|links?|points? to|refer(?:s|ences?)?)(?: \w+){0,3}?"
         r" (?P<said>(?:in|into) (?:an? )?(?:\w+ )?circles?)|a?round in circles",
         "cycle cyclic circular recursive loop"),
        (r"(?:includes?|imports?|extends?|calls?|refers? to|depends? on) (?:each other|one another)",
         "cycle circular"),
        (r"(?:left|leave|leaves|leaving) out", "skip exclude"),
        (r"(?:not|nobody is|no one is) (?:allowed|permitted)", "forbidden"),
        (r"(?:ha(?:s|ve)|with) (?:no|insufficient) rights|(?:lacks?|without)(?: the)? rights",
         "permission forbidden denied unauthorized inaccessible"),
        (r"only (?:one|the first) of (?:them|these|those)", "lock mutex single"),
        (r"meanwhile|in the meantime", "wait pending"),
        (r"(?:growing|ever longer) (?:while|time|delay|pause|wait|interval)s?"
         r"|longer each time", "backoff exponential"),
        (r"forged (?:\w+ )?(?:form|request|post)s?", "csrf xsrf token"),
        (r"(?:more |less )?(?:chatty|talkative)", "logger level"),
        (r"look(?:s|ed|ing)? (?:for|up)", "find resolve lookup"),
        (r"(?:after|as soon as|if|notices?|once|that|when(?:ever)?|whether) (?:\w+ ){0,3}?"
         r"(?P<said>(?:files?|config(?:uration)?s?|settings|sources?|templates?|certificates?) "
         r"(?:(?:is|are|gets?|was|were|has|have) )?(?:changes?|changed|edited|modified))",
         "watch monitor reload"),
        (r"no (\w+) (?:match(?:es)?|fits|exists|(?:is|was) (?:found|registered))", "no{0} notfound"),
        (r"put back|puts back", "restore"),
        (r"send(?:s|ing)? (?:\w+ ){1,3}?(?:on )?to (?:another|a different|a foreign) (?:address|site|page)",
         "redirect location"),
        (r"(?:goes|went|gone|moves|moved) to (?:another|a different) (?:node|server|host|machine)",
         "moved redirect"),
        (r"connection (?:is|was|goes|went) (?:down|lost|gone)|(?<!code )(?:is|are) (?:offline|unreachable)"
         r"|(?:cannot|could not) be (?:reached|established)", "disconnected unavailable"),
        (r"work(?:s|ed|ing)? out (?:how|if|what|when|whether|which)|worked out", "compute calculate"),
        (r"(?:kept|stays?|staying|is|are|still) alive|(?<=\w )alive(?=\W*$)",
         "renew extend heartbeat keepalive"),
        (r"(?:the|is|are) (?:newer|newest|most recent)", "timestamp latest"),
        (r"written down", "log"),
        (r"turn(?:s|ed|ing)? (?:\w+ ){0,3}?away", "reject refuse shed"),
        (r"login secrets?", "password credential"),
        (r"(?:goes|went|gone|falls?) silent|stop(?:s|ped) (?:answer|respond|reply)ing", "timeout heartbeat"),
        (r"bursts? of|in (?:quick|rapid) succession", "debounce throttle batch"),
        (r"mis-?spell?ed|mis-?spelt|mistyped|typos?", "suggest"),
        (r"(?:does|do|did|has|have)(?: not|n't) (?:ever )?(?:answer|respond|reply)", "timeout"),
        (r"halfway|midway|part ?way through", "rollback partial"),
        (r"(?:bad|non-?zero|failing) (?:exit )?(?:status|code)", "exit fail"),
        (r"still (?:current|fresh)", "modified expire"),
        (r"character (?:encoding|set)", "charset"),
        (r"(?:does|do|did)(?: not|n't) fit", "max overflow exceed"),
        (r"times?[ -]to[ -]live", "ttl"),
        (r"least[ -]recently[ -]used", "lru"),
        (r"end[ -]of[ -](?:the |a |its )?(?:file|input|stream)", "eof"),
        (r"byte[ -]order[ -]marks?", "bom"),
        (r"regular expressions?", "regex regexp"),
        (r"environment variables?", "env getenv"),
        (r"first in,? first out", "fifo"),
        (r"round[ -]trip time", "rtt"),
        (r"access control lists?", "acl"),
        (r"put(?:s|ting)? (?:\w+ ){0,4}?together|made up of", "build format"),
        (r"web (?:address(?:es)?|links?)", "url uri link hyperlink"),
        (r"pictures?|photos?", "image"),
        (r"by (?:itself|themselves)|of (?:its|their) own accord", "auto automatic timeout expire"),
        (r"(?:nobody|no ?one|not|never|nothing) (?:\w+ ){0,3}?used for (?:a )?(?:long|while|some time)"
         r"|not (?:\w+ )?used (?:lately|recently|any ?more)|no longer used",
         "unused idle old stale expire evict"),
        (r"(?:of|with|by|has|have) (?:the|a) same (?:name|key|id)s?", "duplicate exists conflict"),
        (r"sign(?:s|ed|ing)?-in"
         r"|(?:sign(?:s|ed|ing)?|log(?:s|ging)?)[ -]in"
         r"(?=\W*$| (?:with|as|to|by|using|when|if|and|again|answers?|pages?|forms?|fails?|works?|flows?)\b)",
         "login signin authenticate"),
        (r"(?:sign|log)(?:s|ned|ged|ing|ging)?[ -]out"
         r"(?! of (?:memory|(?:the|an?|its) (?:loop|list|block|order))\b)",
         "logout signout"),
        (r"sign(?:s|ed|ing)?[ -]up", "signup register"),
        (r"(?:stop|keep|prevent)(?:s|ped|ed)? (?:[\w-]+ ){1,5}?from(?= \w+ing\b)",
         "prevent forbid"),
        (r"may not"  # as a permission, and not as a possibility
         r"(?! (?:always|be (?:an?|available|found|in|installed|known|loaded|null|possible|present|ready|safe"
         r"|set|supported|the|there|valid)|contain|equal|exist|fit|happen|have|know|match|need|null|work|yet)\b)",
         "forbid deny access permission"),
        (r"ask(?:s|ed)? (?:\w+ ){0,3}?(?:before|first)", "confirm prompt"),
        (r"(?:up|out)[ -]to[ -]date|out[ -]of[ -]date", "outdated stale fresh"),
        (r"(?:go|goes|going|went|fall|falls|falling|fell) back (?:to|on)"
         r"(?! (?:the |its )?(?:beginning|caller|client|list|page|pool|queue|sender|start|top|user)\b)",
         "fallback default"),
        (r"left (?:over|behind)", "orphan stale remaining"),
        (r"bit by bit|piece by piece|in (?:small )?pieces", "chunk incremental stream"),
        (r"ahead of time|in advance|beforehand", "prefetch preload precompute"),
        (r"only when (?:it is |they are )?needed|on demand", "lazy deferred"),
        (r"every so often|from time to time|every (?:few )?(?:second|minute|hour|day)s?",
         "interval schedule tick timer periodic"),
        (r"spread (?:out )?(?:over|across|among|between)|shared? out", "balance distribute"),
        (r"(?:made|makes?|cuts?) (?:\w+ ){0,2}?(?:shorter|smaller|short)|shortened", "truncate trim shrink"),
        (r"(?:ctrl|control)[ +-]?c", "sigint interrupt signal"),
        (r"made up(?! of)", "generate create"),
        (r"writ(?:es|ing|ten) out|wrote out", "flush persist"),
        (r"cut (?:in|into) (?:two|halves|parts|pieces|several|smaller)", "split"),
        (r"write[ -]ahead[ -]logs?", "wal"),
        (r"(?:cannot|can't|does not|doesn't|fails? to) keep up|falls? behind", "slow lag drop"),
        (r"out of (?:range|bounds)", "invalid bounds overflow"),
        (r"(?:never|not|nobody) (?:\w+ )?g(?:ave|iven?|ives) (?:\w+ )?back|never (?:returned|released)",
         "leak"),
        (r"still (?:up|there|usable)", "alive ping valid"),
        (r"first (?:to finish|one) wins|whichever (?:\w+ ){1,3}?(?:first|sooner)", "race hedge"),
        (r"(?:pick(?:s|ed)? up|carr(?:y|ies|ied) on|go(?:es)? on|continues?) (?:from )?where"
         r"|(?:left|broke) off", "resume"),
        (r"died|dies|(?:is|are|was|were) dead", "dead crash"),
        (r"inside (?:of )?(?:itself|themselves|another one)", "nested recursive"),
        (r"stand-?off|waits? for (?:each other|one another)", "deadlock"),
        (r"(?:made|makes?) harmless", "escape sanitize"),
        (r"(?:(?:break|climb|go|lead|point|reach|walk)(?:s|es|ing)?|escap(?:es?|ing)|gets?|getting|step(?:s|ping)?)"
         r" (?:\w+ )?(?P<said>out(?:side)? of (?:the |a |its )?(?:\w+ ){0,2}?(?:folder|directory|root))",
         "traversal absolute"),
        (r"let(?:s|ting)? (?:\w+ )?(?-i:go)|set free", "release free"),  # not the language
        (r"stand-ins?", "proxy stub placeholder"),
        (r"(?:passed|handed) on(?= (?:to|by|from)\b|\W*$)|(?<=\ba )(?:passed|handed) on",  # no "on the stack"
         "forward relay delegate propagate"),
        (r"only once", "once dedupe"),
        (r"half[ -](?:baked|written|finished|done)", "atomic temporary partial"),
        (r"(?:did you|probably) (?:mean|meant|wanted)", "suggest similar distance"),
        (r"(?:nobody|no ?one|nothing) (?:\w+ ){1,4}?for (?:some|a few|several|many|\d+)"
         r" (?:second|minute|hour|day)s",
         "idle inactive timeout"),
        (r"for ages|forever|endless(?:ly)?", "timeout infinite"),
        (r"hold(?:s|ing)? off", "wait lock defer"),
        (r"hammer(?:s|ed|ing)?|flood(?:s|ed|ing)?(?![ -]?fill)", "throttle limit backoff"),
        (r"(?:dial|connect)(?:s|ed|led|ing)? again", "reconnect"),
        (r"slims? down", "shrink resize"),
        (r"(?:nobody|no ?one|nothing) (?:is |else )?(?:still )?"
         r"(?:us(?:es|ing)|need(?:s|ing)|look(?:s|ing) at)",
         "unused orphan refcount"),
        (r"lets? (?:somebody|someone|others|another \w+) (?:else )?(?:run|work)", "yield"),
        (r"wraps? up|politely|finish what", "graceful drain"),
        (r"(?:bad|wrong)"
         r"(?= (?:password|credential|input|value|argument|key|token|signature|type|format)s?\b)",
         "invalid mismatch"),
    )
)  # fmt: skip
# Verbs and particles that mean something only together, as in "thrown away".
_LIGHT_WORDS = frozenset(
    """
    accord ages ask asked asking asks away back bring brings brought came carried carries circle circles
    come comes cut cuts fall falling falls fell free gave give gives giving go goes going gone hang hangs
    harmless kicked leave leaves leaving left look looked looking looks made make makes politely prevent
    prevented prevents put puts putting ran rid shut shuts shutting sign signed signing signs stop stopped
    stops succession switched take taken takes taking throw thrown throws took turn turned turning turns
    went work worked working works
    """.split()  # noqa: SIM905
)
_WORD = re.compile(r"[^\W_]\w*|_\w+")
_CACHED_TEXTS = 64


def find_idioms(text: str) -> dict[str, tuple[str, ...]]:
    """Return the idioms of a text, which no program has, each with the words that programs use for it.

    So "too slow" gives `timeout`. Words that the text has itself are left out, and so are idioms inside of
    others: what takes too long is not too long.
    """
    return dict(_find_said(text))


@lru_cache(maxsize=_CACHED_TEXTS)
def _find_said(text: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the idioms of a text with the words of programs."""
    has = _list_words(text)
    found: dict[str, tuple[str, ...]] = {}
    for said, plain in _IDIOMS:
        match = said.search(text)
        if match is not None:
            words = (word.format(*match.groups()).lower() for word in plain)
            found[match.groupdict().get("said") or match[0]] = tuple(
                word for word in words if word not in has
            )
    for phrase, known in find_phrases(text):
        found.setdefault(phrase, tuple(word for word in known if word not in has))
    whole = [said for said in found if not any(said != other and said in other for other in found)]
    return tuple((said, found[said]) for said in whole)


def _list_words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)}


def leave_out_light_words(text: str) -> str:
    """Return a text without those words of its idioms that mean nothing by themselves.

    Something that is thrown away raises no error, though errors are thrown.
    """
    for said, _ in _find_said(text):
        kept = (word for word in said.split() if word.lower() not in _LIGHT_WORDS)
        text = text.replace(said, " ".join(kept))
    return text


def list_plain_terms(text: str) -> list[str]:
    """Return the terms, each once, of the words that programs use for the idioms of a text, no acronyms."""
    plain = chain.from_iterable(words for _, words in _find_said(text))
    return [*dict.fromkeys(get_word_terms(word)[-1] for word in plain)]

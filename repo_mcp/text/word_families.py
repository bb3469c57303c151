"""Words that the code may have where a question has another: families of synonyms, and everyday words.

    family           abort cancel halt stop terminate     each for any other
    everyday word    twin: duplicate clone mirror replica   those of programs for the first, never the reverse

Families are separated by commas; a word may be in several. Left out are words of one domain, names of
products, and words that occur everywhere (`get`, `data`): their synonyms would match everywhere too.

An everyday word stands for others only where no file has it. A word that the code has itself means what the
code means by it, and its everyday sense would only bring noise. `everyday_words.txt` has such a word and the
words of programs in each line, the likeliest first. It was written from general knowledge, without looking at
any question that measures a search (docs/decisions/0156).
"""

from __future__ import annotations

import os
from functools import cache, lru_cache

from repo_mcp.text.stemming import stem_word

_EVERYDAY_WORDS = os.path.join(os.path.dirname(__file__), "everyday_words.txt")
_CACHED_WORDS = 1_000

_FAMILIES = """
abandon abort cancel, abort cancel halt stop terminate, absent missing null undefined,
accept allow permit, accept receive, access authorize permission, access mode permission,
account client user, ack acknowledge confirm, activate enable, actual real, add append insert push,
add register, addon extension plugin, addr address, adjacent neighbour sibling, agent browser,
alias shortcut symlink, alive heartbeat keepalive ping, allocate reserve, ancestor parent,
answer reply response, approximate estimate, arg argument param parameter, arrange layout order sort,
array list sequence, array list slice vector, ascii raw simple, ask query request, assemble build compose,
assert ensure, assign set, async background daemon worker, attach bind connect mount, attempt retry try,
attribute field member property, auth authenticate login signin, backlog pending queue, backup snapshot,
balance distribute spread, base derive extend inherit, base original raw, batch bulk group,
begin init start, begin launch start, benchmark perf, binary bytes, bind listen, blank empty whitespace,
blank space whitespace, block hang, block wait, body payload, bold strong, border boundary edge limit,
bound limit, box container, branch fork, broken corrupt invalid malformed, buffer queue, bug error,
build construct create, byte octet, cache memo remember store, call invoke,
callback handler hook listener, cancel interrupt signal, cap limit max maximum, capacity size,
cast coerce convert transform, catch recover rescue, cause reason, change edit modify mutate update,
char character letter rune, charset codec encoding, check validate verify, checksum crc digest hash,
child descendant sub, choose decide determine, choose pick select, chunk fragment part piece,
chunk part segment, cipher encrypt, circular cycle loop, clash collision conflict,
clean purge sanitize strip, cleanup prune tidy, cleanup teardown, clear delete erase, clear reset,
client peer remote, client peer user, client user visitor, clock time, clone copy duplicate,
close disconnect, close dispose shutdown, close shut, cmd command, cmd shell, collapse fold,
collect gather, color colour, column field, combine concat join merge, compare diff equal,
compare order sort, complete finish, component widget, compress deflate gzip zip,
compute determine figure, concat glue join, concurrent parallel simultaneous, condition predicate,
config configuration option settings, conn connection socket, console terminal tty,
construct create new spawn, consume read, contain hold, continue resume wake, convert locale translate,
convert map transform, cookie session, copy mirror replica, corrupt damaged, count counter, cpu processor,
crash fatal panic, credential password secret token, css style, current fresh latest, customer user,
cut partition split, cut split trim truncate, cycle endless forever infinite loop, date time,
deadline expire timeout, deallocate free release, debug verbose, decline refuse reject,
decode deserialize parse unmarshal unpack, decompress gunzip inflate, decorate enclose proxy wrap,
decorator proxy wrapper, dedupe distinct duplicate unique, default fallback, defer delay lazy postpone,
deferred lazy, delete erase remove unlink, delta diff difference patch, deny forbid refuse reject,
deprecated obsolete, depth level nesting, describe explain, descriptor fd handle,
destroy dispose finalize teardown, detect guess infer sniff, determine resolve, dict dictionary map,
dir directory folder, discard drop ignore, disk storage, dispatch emit publish send, dispatch path route,
display render show, display screen, document file, document page, domain host server, download fetch,
drain flush, drain graceful, draw paint render, dropped lost missing, dump encode marshal serialize,
duplicate repeated twice unique, duration elapsed, element entry item node, emit fire trigger,
emit notify signal wake, empty none nothing null, end finish, entry item record, env environment,
eol linebreak newline, equal identical, equal match, error exception failure fault,
error exception raise throw, error fail, error failure fault panic, error mistake, escape quote sanitize,
event signal, evict expel expire, evict purge, examine inspect, exceed limit overflow,
exceeded exhausted full, excess overflow, exchange swap, exclude filter, exclude ignore omit skip,
exclusive lock mutex, exec execute run, exit leave, exit quit, expand extend grow, expand grow resize,
expire outdated stale, expire stale timeout ttl, extension suffix, extract unpack, fake mock stub,
fast quick, fast speed, fetch load, fill populate, filter narrow, final last tail,
find locate lookup search, find look, first front head, fix recover repair, flag mark, flag option switch,
following next, forbid guard prevent, fork spawn subprocess, format layout pretty, forward proxy relay,
freeze frozen immutable readonly, frequency rate throttle, fresh modified stale, full overflow,
func function method, function procedure, garbage gc, generate produce, grid table, grow increase,
guard lock, guard protect, handler listener observer subscriber, heading title, heap memory,
hidden private, hide mask, hint suggest, hold keep, href link url, id identifier, identifier name,
idle inactive wait, ignore suppress swallow, illegal invalid malformed, image picture, import require,
indent indentation, index offset position, info information, init initialise setup, inject insert,
inner nested recursive, input stdin, int num number, international locale unicode, interval period tick,
interval range, invalid unexpected, inverse reverse, inverse revert rollback undo,
iterate loop traverse walk, job task, journal log, jump seek skip, keep preserve retain,
kill signal terminate, kill stop terminate, kind type, label name tag, lang language locale,
latest recent, launch spawn start, layer level, len length size, library module package,
limit max quota threshold, limit throttle, line record row, link symlink, link uri url, listen subscribe,
load read, location redirect, log record, log report, log trace, log warn, lookup resolve,
loop repeat retry, measure metric, mem memory ram, merge union, message msg, metrics statistics stats,
migrate upgrade, min minimum, minus subtract, modify refresh update, monitor observe watch, move rename,
move shift, nested recursion recursive, net network socket, node tree, notify resume wake, nul null zero,
nullable optional, observe subscribe watch, offset seek, old previous stale, option preference,
order priority sort, output print write, output stdout, override replace, overwrite replace, owner parent,
passwd password, pause sleep suspend, perf performance, persist save store write, pipe stream,
placeholder template, pointer ref, pool recycle reuse, prepare setup, prev previous, proc process,
provide supply, quiet silent, rand random shuffle, read receive recv, rearrange reorder sort,
recover rescue restore, recover restore rollback, redo replay, reduce shrink truncate, ref reference,
refresh reload update, release unlock, reload restart, remainder rest, remove uninstall, remove vanish,
replace substitute, req request, resend retry, respawn restart, revision version, rewind seek,
safe secure, schedule timer, send transmit write, separate split, short truncate, shorten trim truncate,
sign signature, signal trap, size width, sleep wait, slow throttle, spoof untrusted, state status,
str string text, strip trim, struct structure, surround wrap, switch toggle, sync synchronize,
temp temporary tmp, thread worker, tick timer, traverse visit walk, trust verify, unchanged unmodified,
undefined unknown, unknown unrecognised unrecognized, val value, var variable
"""


def list_synonyms(stem: str) -> tuple[str, ...]:
    """Return the stems of the other words in the families of a stem, one family after the other."""
    return _read_families()[0].get(stem, ())


def spell_stem(stem: str) -> str:
    """Return the first word in the families with a stem. Raises KeyError if there is none."""
    return _read_families()[1][stem]


@cache
def _read_families() -> tuple[dict[str, tuple[str, ...]], dict[str, str]]:
    """Return two mappings: stem -> the other stems of its families, and stem -> word."""
    synonyms: dict[str, dict[str, None]] = {}
    words: dict[str, str] = {}
    for family in _FAMILIES.split(","):
        stems = {stem_word(word.encode()).decode(): word for word in family.split()}
        for stem, word in stems.items():
            words.setdefault(stem, word)
        for stem in stems:
            synonyms.setdefault(stem, {}).update(dict.fromkeys(other for other in stems if other != stem))
    return {stem: tuple(others) for stem, others in synonyms.items()}, words


def list_stand_ins(stem: str) -> tuple[str, ...]:
    """Return the stems of the words to look for in place of one that no file has, synonyms first."""
    return tuple(dict.fromkeys((*list_synonyms(stem), *_list_code_words(stem))))


def spell_stand_in(stem: str) -> str:
    """Return a word with a stem that `list_synonyms` or `list_stand_ins` returned.

    Raises KeyError for any other.
    """
    spelled = _read_spellings().get(stem)
    return spelled if spelled is not None else spell_stem(stem)


@lru_cache(maxsize=_CACHED_WORDS)
def _list_code_words(stem: str) -> tuple[str, ...]:
    return tuple(stem_word(word.encode()).decode() for word in _read_everyday_words().get(stem, "").split())


@cache
def _read_spellings() -> dict[str, str]:
    """Return stem -> word, of all words of programs for everyday words."""
    words = dict.fromkeys(word for row in _read_everyday_words().values() for word in row.split())
    return {stem_word(word.encode()).decode(): word for word in reversed(words)}


@cache
def _read_everyday_words() -> dict[str, str]:
    """Return stem of an everyday word -> the words of programs for it, with spaces between."""
    with open(_EVERYDAY_WORDS, encoding="utf-8") as file:
        rows = (line.partition(": ") for line in file.read().splitlines())
        return {stem_word(said.encode()).decode(): words for said, _, words in rows}


def abbreviates(short: str, whole: str) -> bool:
    """Return True for some letters of a word in their order, the first one among them, or the word itself."""
    rest = iter(whole)
    return short[:1] == whole[:1] and all(letter in rest for letter in short)

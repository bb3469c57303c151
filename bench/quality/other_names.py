"""List the names that a tree declares in languages without a symbol parser, independently of our rules.

Universal Ctags lists most. Languages that it does not know are read line by line, with expressions that the
program does not use. Left out are local names, and kinds that Ctags confuses.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple

# Ctags' language -> ours, and the kinds that are asked for.
_LISTED = {
    "Clojure": ("clojure", "namespace"),
    "Elixir": ("elixir", "callback delegate exception function guard macro module protocol type"),
    "Haskell": ("haskell", "constructor type"),
    "Julia": ("julia", "constant field function macro module struct type"),
    "Kotlin": ("kotlin", "class constant interface method object typealias variable"),
    "Lua": ("lua", "function"),
    "Make": ("make", "macro target"),
    "OCaml": ("ocaml", "Constructor Exception RecordField class function method module type val"),
    "ObjectiveC": ("objective-c", "interface method property protocol"),
    "PHP": ("php", "class define function interface trait variable"),
    "Perl": ("perl", "constant package subroutine"),
    "Protobuf": ("protobuf", "enum enumerator field message oneof rpc service"),
    "R": ("r", "function"),
    "R6Class": ("r", "class method"),
    "Ruby": ("ruby", "accessor alias class constant method module singletonMethod"),
    "SCSS": ("css", "function mixin placeholder variable"),
    "SQL": ("sql", "domain function index procedure table trigger view"),
    "Sh": ("shell", "alias function"),
}
_FUNCTIONS = frozenset("function method singletonMethod subroutine val macro var".split())  # noqa: SIM905
# Language -> its extension, and the expressions of its kinds. Haskell's functions and much of Clojure are
# here because Ctags finds only part of them.
_READ = {
    "scala": (
        ".scala",
        {
            "type": r"\s*(?:\w+(?:\[\w+\])? )*?(?:class|trait|object) (\w+)",
            "method": r"(?:  )?(?:\w+(?:\[\w+\])? )*?def (\w+)",
            "value": r"(?:  )?(?:\w+(?:\[\w+\])? )*?(?:val|var|given) (\w+)\s*[:=]",
            "alias": r"\s*(?:\w+ )*?type (\w+)",
            "case": r"\s+case (\w+)\s*(?:\([^)]*\))?\s*(?:extends.*)?$",
        },
    ),
    "zig": (
        ".zig",
        {
            "function": r"\s*(?:pub |export |inline |extern )*fn (\w+)",
            "constant": r"(?:    )?pub const (\w+)",
            "field": r"    (\w+): [^=]+(?:=.*)?,$",
        },
    ),
    "dart": (
        ".dart",
        {
            "type": r"(?:\w+ )*?(?:class|mixin|enum|extension|typedef) (\w+)",
            "method": r"  (?!return|await|if|for|while|switch|else|throw|super)[\w<>?, ]+ (\w+)\([^;]*\{$",
            "getter": r"  [\w<>?]+ get (\w+)",
            "field": r"  (?:static |final |const |late )*[A-Z][\w<>?, ]* (\w+)(?: =.*)?;",
            "constant": r"const \w*\s?(\w+) =",
        },
    ),
    "terraform": (
        ".tf",
        {
            "resource": r'resource "\w+" "(\w+)"',
            "data": r'data "\w+" "(\w+)"',
            "variable": r'variable "(\w+)"',
            "output": r'output "(\w+)"',
            "module": r'module "(\w+)"',
        },
    ),
    "graphql": (
        ".graphql",
        {
            "type": r"(?:type|interface|union|input|enum|scalar) (\w+)",
            "field": r"  (\w+)(?:\(|: )",
            "value": r"  ([A-Z_]+)$",
        },
    ),
    "clojure": (
        r".clj .cljs .cljc",
        {
            "function": r"\(defn-? (?:\^\S+ )?([^\s()\[\]{}^]+)",
            "macro": r"\(defmacro ([^\s()\[\]{}^]+)",
            "value": r"\(def (?:\^\S+ )*([^\s()\[\]{}^]+)",
            "multimethod": r"\(defmulti ([^\s()\[\]{}^]+)",
            "type": r"\((?:defprotocol|defrecord|deftype|definterface) ([^\s()\[\]{}^]+)",
            "protocol method": r"  \(([^\s()\[\]{}^]+) \[(?:this|_)[^\]]*\]\s*(?:\"|\))",
        },
    ),
    "haskell": (
        ".hs",
        {
            "function": r"([a-z]\w*'?) ::",
            "operator": r"\(([^\w\s()\",]+)\) ::",
            "class": r"class (?:.*=> )?([A-Z]\w*)",
            "field": r"\s+[{,] ?([a-z]\w*'?)\s* ::",
        },
    ),
    "dockerfile": ("Dockerfile", {"stage": r"(?i)from \S+ as (\S+)", "argument": r"(?:ARG|ENV) (\w+)"}),
    "css": (".css .scss", {"property": r"\s+(--[\w-]+):", "class": r"\.([a-z][\w-]+)(?:,| \{)$"}),
    "perl": (".pm .pl", {"attribute": r"has '?(\w+)'?\s*=>", "variable": r"our [$@%](\w+)"}),
    "lua": (
        ".lua",
        {"field": r"(?:M|_M)\.(\w+) = (?!function)", "local": r"local (\w+) = (?!function|require)"},
    ),
    "r": (".R", {"class": r"(?:setClass|R6Class)\(\"(\w+)\"", "generic": r"setGeneric\(\"(\w+)\""}),
    "vue": (
        ".vue .svelte",
        {
            "function": r"\s*(?:export )?(?:async )?function (\w+)",
            "constant": r"(?:\t|  )?(?:export )?(?:const|let) (\w+)",
            "destructured": r"(?:\t|  )?(?:const|let) \{.*\b(\w+)[ ,}]",
        },
    ),
}  # fmt: skip


class Declared(NamedTuple):
    """A name that a line declares."""

    name: str
    path: str
    line: int
    kind: str
    language: str


def iter_other_names(root: Path) -> Iterator[Declared]:
    """Yield the declared names of a tree. FileNotFoundError without Universal Ctags."""
    for one in chain(_iter_listed(root), iter_read(root)):
        is_name = not set(one.name) & set("$%{}")
        if is_name and not any(part.startswith(".") for part in one.path.split("/")):
            yield one


def iter_read(root: Path) -> Iterator[Declared]:
    """Yield the names in the languages of which lines are read."""
    for language, (suffixes, kinds) in _READ.items():
        ends = tuple(suffixes.split())
        for file in sorted(path for path in root.rglob("*") if path.name.endswith(ends) and path.is_file()):
            path = file.relative_to(root).as_posix()
            for number, line in enumerate(file.read_text("utf-8", "replace").split("\n"), 1):
                for kind, expression in kinds.items():
                    if found := re.match(expression, line):
                        yield Declared(found[1], path, number, kind, language)


def _iter_listed(root: Path) -> Iterator[Declared]:
    command = ["ctags", "-R", "--output-format=json", "--fields=+nKlsZ", "--languages=" + ",".join(_LISTED)]
    command += ["--languages=+Sh,SQL", "--map-Perl=+.t", "--extras=-{anonymous}", "-f", "-", "."]
    run = subprocess.run(command, cwd=root, capture_output=True, check=True)
    for row in run.stdout.decode("utf-8", "replace").splitlines():
        tag = json.loads(row)
        if tag.get("_type") != "tag" or tag.get("scopeKind") in _FUNCTIONS:
            continue
        language, kinds = _LISTED.get(tag["language"], ("", ""))
        name = re.split(r"[.:](?=\w+$)", tag["name"])[-1] if language == "lua" else tag["name"]
        is_file = language == "ocaml" and tag["line"] == 1  # its module
        if tag["kind"] in kinds.split() and not is_file and not name.endswith("="):
            yield Declared(
                name.removesuffix(":"), tag["path"].removeprefix("./"), tag["line"], tag["kind"], language
            )

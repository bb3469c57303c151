"""Kinds of declarations, judged by the words around the declared name, for languages without a parser here.

A keyword right before the name decides first, then a parenthesis after the name, then any keyword
before it: `struct item *find(int key)` is a function although the line says struct.
"""

from __future__ import annotations

import re

_WORDS = {
    "function": "def defp defn defun fn func function fun sub proc procedure subroutine rpc defdelegate"
    " operator",
    "class": "class defrecord",
    "struct": "struct union defstruct",
    "enum": "enum",
    "interface": "interface",
    "trait": "trait typeclass",
    "protocol": "protocol defprotocol",
    "record": "record",
    "object": "object",
    "extension": "extension defimpl",
    "actor": "actor",
    "mixin": "mixin",
    "module": "module mod namespace package defmodule ns library",
    "type_alias": "type typedef typealias using newtype data family associatedtype deftype concept",
    "macro": "macro define macro_rules defmacro defmacrop defguard defguardp",
    "constant": "const static final",
    "variable": "let var val my our local variable output",
    "message": "message oneof",
    "service": "service",
    "resource": "resource provider",
    "table": "table",
    "view": "view",
    "trigger": "trigger",
    "index": "index",
    "schema": "schema",
    "option": "config menuconfig option",
}
KINDS = {word: kind for kind, words in _WORDS.items() for word in words.split()}
# Kinds that may hold methods and fields.
CLASS_KINDS = frozenset(
    "class struct enum interface trait protocol record object extension actor mixin message service".split()  # noqa: SIM905
)
FUNCTION_KINDS = frozenset({"function", "method", "async_function", "async_method"})
# Language -> the kind of a name with no keyword, parenthesis or assignment beside it.
_ALONE = {
    "assembly": "label",
    "csharp": "property",
    "devicetree": "node",
    "haskell": "function",
    "kconfig": "option",
    "make": "target",
    "c": "type_alias",
    "cpp": "type_alias",
    "objective-c": "type_alias",
    "swift": "function",  # `deinit`
    "javascript": "function",
    "typescript": "function",
}
IMPL = "impl"  # kind of a block of Rust that holds members of a type
# Language -> what its own words right before a name declare, where they mean something else above or nothing.
_OWN = {
    "clojure": {"def": "variable", "defonce": "variable", "defmulti": "function", "defmethod": "function"}
    | {"deftest": "function", "definterface": "interface", "deftype": "class"},
    "common-lisp": {"defvar": "variable", "defparameter": "variable", "define": "function"}
    | {"defmethod": "function", "defgeneric": "function", "defclass": "class"},
    "css": {"keyframes": "keyframes"},
    "dockerfile": {"as": "stage"},
    "erlang": {"opaque": "type_alias"},
    "fsharp": {"member": "method", "type": "type", "exception": "exception"},
    "graphql": {"type": "type", "input": "type", "scalar": "type", "union": "type", "directive": "directive"}
    | dict.fromkeys(("query", "mutation", "subscription", "fragment"), "operation"),
    "haskell": {"data": "type", "newtype": "type", "class": "class", "pattern": "pattern"},
    "objective-c": {"implementation": "class"},
    "ocaml": {"type": "type", "method": "method", "external": "function", "exception": "exception"},
    "ruby": dict.fromkeys(("test", "it", "fit", "xit", "specify", "example", "scenario", "should"), "test")
    | dict.fromkeys(
        ("describe", "fdescribe", "xdescribe", "context", "fcontext", "xcontext", "feature"), "suite"
    )
    | {"task": "task", "multitask": "task", "namespace": "namespace", "initializer": "initializer"},
    "solidity": {"contract": "class", "event": "event", "error": "error", "modifier": "function"},
    "sql": {"domain": "type_alias", "sequence": "sequence", "aggregate": "function", "policy": "policy"},
}
_ML = frozenset({"ocaml", "fsharp"})
# Where words in capitals are no keywords: class OPTION Shape {
_WITH_MACROS = frozenset({"c", "cpp", "objective-c"})
_CASED = _WITH_MACROS | {"csharp", "java"}  # public Type Of(Message it)
_ML_FUNCTION = re.compile(  # let f x = ..., let f = fun ..., val f : a -> b
    rb"\s{1,8}[a-z_~?(\[{][^\n=]{0,200}=|\s{0,8}=\s{0,8}(?:fun|function)\b|\s{0,8}:[^\n]{0,200}->"
)
_OBJECTIVE_METHOD = re.compile(rb"[-+]\s{0,8}\(")
_WORD = re.compile(rb"[A-Za-z_]\w*")
_CALLED = re.compile(rb"\s{0,8}(?:<[^<>\n]{0,80}>)?\(")
_ASSIGNED = re.compile(rb"[^=\n]{0,120}=(?![=>])")
_FUNCTION_VALUE = re.compile(
    rb"[^=\n]{0,120}=\s{0,8}(?:async\b\s{0,8})?(?:function\b|\([^()\n]{0,200}\)[^=\n]{0,80}=>|\w{1,80}\s{0,8}=>)"
)
_GO_TYPE = re.compile(rb"(?:\[[^\]\n]{0,200}\])?[ \t]{1,80}(struct|interface)\b")
_RUBY_TYPE = re.compile(rb"\s{0,80}=\s{0,8}(?:::)?(Struct|Class|Data|Module)\.(?:new|define)\b")
_SHOWN_BYTES = 400  # looked at on either side of the name


def find_kind(language: str, before: bytes, name: bytes, after: bytes) -> str:
    """Return the kind of a declaration from the text of its line before and after the declared name."""
    words = [word.decode("ascii", "replace") for word in _WORD.findall(before[-_SHOWN_BYTES:])]
    if language not in _CASED:
        words = [word.lower() for word in words]
    after = after[:_SHOWN_BYTES].removeprefix(b"`")  # which may stand around a name
    own = _OWN.get(language, {}).get(words[-1]) if words else None
    if own is not None:
        return own
    if language in _ML and words and words[-1] in ("let", "and", "rec", "val", "inline"):
        return "function" if _ML_FUNCTION.match(after) else "variable"
    if language == "objective-c" and _OBJECTIVE_METHOD.match(before):
        return "method"
    kind = KINDS.get(words[-1]) if words else None
    if kind == "constant" and words[-1] == "static" and _CALLED.match(after):
        kind = "function"
    if language == "go" and kind == "type_alias":
        declared = _GO_TYPE.match(after)
        kind = KINDS[declared[1].decode()] if declared else kind
    if language == "ruby" and kind is None and (made := _RUBY_TYPE.match(after)):
        return "module" if made[1] == b"Module" else "class"
    if kind is None and _CALLED.match(after):
        kind = "macro" if language in _WITH_MACROS and before.lstrip().startswith(b"#") else "function"
    if kind is None and _ASSIGNED.match(after):
        kind = "constant" if {"const", "final"} & set(words) else "variable"
    if kind is None:
        kind = next((KINDS[word] for word in reversed(words) if word in KINDS), None)
    if kind is None:
        kind = _ALONE.get(language, "variable")
    if kind in ("variable", "constant"):
        kind = _judge_value(kind, name, after)
    if kind == "function" and language == "python" and "async" in words:
        return "async_function"
    return kind


def _judge_value(kind: str, name: bytes, after: bytes) -> str:
    if _FUNCTION_VALUE.match(after):
        return "function"
    if name.isupper() and len(name) > 1:
        return "constant"
    return kind

"""The language of a path, by the file's name, else by its extension. Contents are never looked at.

One extension, one language: `.h` is C, whatever includes it. A name without a rule is `text`
when it is that of a document (README, COPYING) and `unknown` otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from repo_mcp.languages.patterns import brace_languages as brace
from repo_mcp.languages.patterns import c_languages as c
from repo_mcp.languages.patterns import functional_languages as functional
from repo_mcp.languages.patterns import markup_languages as markup
from repo_mcp.languages.patterns import script_languages as script
from repo_mcp.languages.patterns.landmarks import Language
from repo_mcp.late_patterns import compile_late

# Languages that are searched as code but have no landmarks -> their extensions.
_PLAIN_CODE = {
    "antlr": "g4",
    "bnf": "bnf",
    "coffeescript": "coffee",
    "fortran": "f f90 f95 f03 for",
    "javacc": "jj jjt",
    "lalrpop": "lalrpop",
    "lex": "l ll",
    "nim": "nim",
    "nix": "nix",
    "pascal": "pas pp dpr",
    "peg": "peg pegjs pest",
    "tcl": "tcl",
    "verilog": "v sv svh vhd vhdl",
    "vim-script": "vim",
    "visual-basic": "vb bas",
    "yacc": "y yy",
}

# language -> its extensions, without the dot
_EXTENSIONS: tuple[tuple[Language, str], ...] = (
    (script.PYTHON, "py pyi pyw pyx pxd"),
    (c.C, "c h"),
    (c.CPP, "cc cpp cxx c++ hh hpp hxx h++ ipp inl tcc cu cuh ino"),
    (c.OBJECTIVE_C, "m mm"),
    (c.ASSEMBLY, "s asm"),
    (brace.CSHARP, "cs csx"),
    (brace.JAVA, "java"),
    (brace.GROOVY, "groovy gradle"),
    (brace.JAVASCRIPT, "js mjs cjs jsx"),
    (brace.TYPESCRIPT, "ts mts cts tsx"),
    (brace.VUE, "vue"),
    (brace.SVELTE, "svelte astro"),
    (brace.GO, "go"),
    (brace.RUST, "rs"),
    (brace.SWIFT, "swift"),
    (brace.KOTLIN, "kt kts"),
    (brace.SCALA, "scala sc sbt"),
    (brace.PHP, "php phtml inc"),
    (brace.ZIG, "zig zon"),
    (brace.DART, "dart"),
    (brace.PROTOBUF, "proto"),
    (brace.GRAPHQL, "graphql gql graphqls"),
    (brace.SOLIDITY, "sol"),
    (functional.CLOJURE, "clj cljs cljc cljd bb edn"),
    (functional.COMMON_LISP, "lisp lsp cl el scm ss rkt"),
    (functional.OCAML, "ml mli mll mly"),
    (functional.FSHARP, "fs fsi fsx"),
    (functional.ERLANG, "erl hrl"),
    (script.RUBY, "rb rake gemspec rbi ru"),
    (script.LUA, "lua luau"),
    (script.SHELL, "sh bash zsh ksh fish bats"),
    (script.PERL, "pl pm t pod"),
    (script.HASKELL, "hs lhs hsc"),
    (script.ELIXIR, "ex exs"),
    (script.JULIA, "jl"),
    (script.R, "r"),
    (script.SQL, "sql"),
    (script.POWERSHELL, "ps1 psm1"),
    (markup.MARKDOWN, "md markdown mdx mkd"),
    (markup.RST, "rst rest"),
    (markup.TEXT, "txt adoc asciidoc org tex texi log"),
    (markup.HTML, "html htm xhtml"),
    (markup.XML, "xml xsd xsl xslt svg plist csproj vcxproj props targets resx"),
    (markup.CSS, "css scss sass less"),
    (markup.YAML, "yaml yml"),
    (markup.TOML, "toml"),
    (markup.INI, "ini cfg conf properties editorconfig desktop service"),
    (markup.MAKE, "mk mak make"),
    (markup.CMAKE, "cmake"),
    (markup.DEVICE_TREE, "dts dtsi dtso"),
    (markup.TERRAFORM, "tf tfvars hcl"),
    (markup.JSON, "json jsonc json5 jsonl ndjson ipynb geojson webmanifest map"),
    (markup.CSV, "csv tsv"),
)

# whole file names, lower case
_NAMES: tuple[tuple[Language, str], ...] = (
    (markup.MAKE, "makefile gnumakefile kbuild"),
    (markup.CMAKE, "cmakelists.txt"),
    (markup.DOCKERFILE, "dockerfile containerfile"),
    (
        markup.TEXT,
        "readme copying license licence notice authors contributors changelog changes news install credits",
    ),
    (markup.TEXT, "requirements.txt maintainers"),
    (script.RUBY, "gemfile rakefile podfile vagrantfile brewfile"),
    (script.SHELL, ".bashrc .zshrc .profile .bash_profile pkgbuild configure"),
    (markup.TOML, "cargo.lock poetry.lock uv.lock pdm.lock pipfile"),
    (markup.JSON, "pipfile.lock composer.lock .babelrc .eslintrc .prettierrc"),
    (markup.YAML, ".clang-format .clang-tidy"),
    (markup.INI, ".gitignore .gitattributes .gitmodules .dockerignore .npmignore .editorconfig .gitconfig"),
    (script.PYTHON, "sconstruct sconscript snakefile"),
    (brace.GROOVY, "jenkinsfile"),
    (brace.GO, "go.mod go.work"),
)


# Extensions of templates: the language is that of what they make, as in `config.h.in`.
_TEMPLATES = frozenset("in erb j2 jinja jinja2 tmpl tpl template mustache dist example sample".split())  # noqa: SIM905
HEADER = ".h"  # of C and C++


def _split(table: tuple[tuple[Language, str], ...]) -> dict[str, Language]:
    """Return a mapping from word to language. A word in two rows is a mistake in our tables."""
    entries = [(word, language) for language, words in table for word in words.split()]
    found = dict(entries)
    assert len(found) == len(entries)
    return found


# Of a script without an extension: the name of its interpreter, and the language of that.
_INTERPRETER = compile_late(rb"#![^\n]{0,100}?([A-Za-z][A-Za-z0-9.]*)(?:[ \t]+-[^\n]*+)?[ \t]*\n")
_INTERPRETERS = {
    **dict.fromkeys(("sh", "bash", "dash", "ksh", "zsh", "ash", "bats"), script.SHELL),
    **dict.fromkeys(("python", "pypy"), script.PYTHON),
    **dict.fromkeys(("node", "nodejs", "deno", "bun"), brace.JAVASCRIPT),
    "ruby": script.RUBY,
    "perl": script.PERL,
    "php": brace.PHP,
    "lua": script.LUA,
    "luajit": script.LUA,
    "make": markup.MAKE,
    "elixir": script.ELIXIR,
    "escript": functional.ERLANG,
    "julia": script.JULIA,
    "rscript": script.R,
    "runhaskell": script.HASKELL,
    "bb": functional.CLOJURE,
}
MARK_BYTES = 65_536  # of a header, in which it shows that it is C++
_OTHER_NAMES = {"c#": "csharp", "f#": "fsharp", "golang": "go", "objc": "objective-c", "asm": "assembly"}
_PLAIN = tuple((Language(name, "code"), extensions) for name, extensions in _PLAIN_CODE.items())
_BY_EXTENSION = _split(_EXTENSIONS + _PLAIN)
_BY_NAME = _split(_NAMES)

LANGUAGES: dict[str, Language] = {
    language.name: language
    for language in [*_BY_EXTENSION.values(), *_BY_NAME.values(), markup.KCONFIG, markup.UNKNOWN]
}


def find_language(path: str, overrides: Mapping[str, str] | None = None) -> Language:
    """Return the language of a path, ignoring case; `unknown` when no rule matches.

    `overrides` maps extensions to other languages than the built-in ones; whole file names that have a rule
    keep it. A key that begins with a slash is a whole name. A language that is not in LANGUAGES, but in those
    that an installed adapter brings, is code without landmarks.
    """
    name = path[path.rfind("/") + 1 :].lower()
    language = _BY_NAME.get(name)
    if language is not None:
        return language
    if overrides and f"/{name}" in overrides:
        return get_language(overrides[f"/{name}"])
    stem, dot, extension = name.rpartition(".")
    if dot and stem:
        if overrides and extension in overrides:
            return get_language(overrides[extension])
        language = _BY_EXTENSION.get(extension)
        if language is not None:
            return language
        if extension in _TEMPLATES:
            return find_language(stem, overrides)
    return _find_by_stem(name)


def is_template(path: str) -> bool:
    """Return True for a file that makes another one, as `config.h.in` does, by its last extension."""
    return path.rpartition(".")[2].lower() in _TEMPLATES


def name_language(given: str, others: Iterable[str] = ()) -> str | None:
    """Return the language for a name in any case, or an extension; None if it is neither.

    `others` are languages beside the built-in ones.
    """
    folded = given.strip().casefold()
    if folded in LANGUAGES or folded in others:
        return folded
    folded = _OTHER_NAMES.get(folded, folded.removeprefix("."))
    return folded if folded in LANGUAGES else _BY_EXTENSION[folded].name if folded in _BY_EXTENSION else None


def passes_language(path: str, found: str, wanted: str | None) -> bool:
    """Return whether a file in the language `found` passes a filter; headers of C++ are C by their names."""
    return wanted in (None, found) or (wanted == "cpp" and found == "c" and path.endswith(HEADER))


def find_near_languages(given: str, others: Iterable[str]) -> list[str]:
    """Return at most three names of languages most like an unknown one, the most similar first."""
    from difflib import get_close_matches  # for the rare mistake

    return get_close_matches(given.strip().casefold(), sorted({*LANGUAGES, *others}), n=3, cutoff=0.6)


def has_rule(extension: str) -> bool:
    """Return True for an extension, without its dot, whose language is built in."""
    return extension in _BY_EXTENSION


@cache
def get_language(name: str) -> Language:
    """Return the language of a name; code without landmarks for one that an adapter brings."""
    return LANGUAGES.get(name) or Language(name, "code")


def find_dialect(language: Language, text: bytes) -> Language:
    """Return the language whose line patterns fit a text, which its name alone does not show.

    A header of C may be C++ or Objective-C; what has no language by its name may name its interpreter.
    """
    if language is c.C:
        found = c.DIALECT_LINE.search(text, 0, MARK_BYTES)
        if found is None:
            return language
        is_objective = found[1] or c.OBJECTIVE_C_LINE.search(text, found.start(), MARK_BYTES)
        return c.OBJECTIVE_C if is_objective else c.CPP
    if language is markup.UNKNOWN and (interpreter := _INTERPRETER.match(text)):
        return _INTERPRETERS.get(interpreter[1].decode().lower().rstrip("0123456789."), language)
    return language


def _find_by_stem(name: str) -> Language:
    """Return the language of a family of names, such as Kconfig.debug, Dockerfile.dev, README.first."""
    stem = name.partition(".")[0]
    if stem == "kconfig":
        return markup.KCONFIG
    return _BY_NAME.get(stem, markup.UNKNOWN)

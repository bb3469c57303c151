"""The deny policy: refuses by name alone, and nothing in a repository can weaken it.

The policy receives a relative POSIX path and checks every component. It never looks at the file
system, so its answer does not reveal whether anything exists. A path that ends in a slash is a directory.

The operator may allow some of what is denied by default, by globs that are compared with the path of whatever
is denied: of a file, or of a directory on the way to it. Version control and our own data directory stay
denied whatever is allowed.

Names that are denied by default are so in every spelling.

A name is judged by what it says about the file: a private key, a file of credentials, settings with passwords
in them, or a copy of one of these made by an editor or a person (`server.pem.bak`, `#id_rsa#`, `.env~`).
Names that say the opposite are served: templates (`.env.local.example`), type declarations (`.env.d.ts`) and
source code about keys (`id_rsa_test.go`). `secrets.*` stays denied even where it is source code, but says so.

Names are compared in folded form on every platform, because a repository met on Linux may be on a file
system that folds names: NFKC, casefold, invisible characters dropped, everything from a `:` on cut off
(an NTFS stream), dots and spaces at the end dropped. Look-alikes from other scripts are different
names and stay allowed.

Left out on purpose: guesses by content; armoured keys called merely `*.asc`, an extension that documents use
too; certificates; and formats that are binary anyway (`*.sqlite`, `*.gpg`), whose text is never served.
`docs/safety.md` lists the names, and those that other tools deny and we do not.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence

from repo_mcp.record_classes import dataclass, replace
from repo_mcp.workspace import globs

_MAX_REMEMBERED = 50_000  # directories, about 5 MB; Linux has 5,096
OWN_DIRECTORY_RULE = "own data directory"
OWN_DIRECTORY_NAME = ".repo_mcp"

_HINT = "The file may hold secrets and is not served. Ask the user for what you need from it."
_HINT_CONTROL = "Files of version control are never served. Ask for files of the work tree."
HINT_OWN = "This is the index, not the repository. Ask for other files."
_HINT_SOURCE = (
    "It looks like source code, but a file of this name may hold secrets. Ask the user for what you "
    "need from it; the operator can serve it with --allow-path."
)


@dataclass(frozen=True, slots=True)
class Denial:
    """The rule that denies a path, and advice for the client."""

    rule: str  # the rule's name, such as `*.pem`
    hint: str  # what a client may do instead
    is_final: bool = False  # not even the operator may allow it


_CONTROL_NAMES = frozenset({".git", ".hg", ".svn", ".bzr", ".jj", ".sl"})
_SECRET_NAMES = frozenset(
    {
        *(".env", ".envrc", ".ssh", ".gnupg", ".password-store", ".vault-token", ".htpasswd", ".dev.vars"),
        *(".netrc", "_netrc", ".npmrc", ".pypirc", ".git-credentials", ".terraformrc", "terraform.rc"),
        *(".pgpass", "pgpass.conf", ".my.cnf", ".mylogin.cnf", ".s3cfg", ".boto", ".dockercfg"),
        *(".dockerconfigjson", ".htdigest", ".authinfo", "_authinfo", ".msmtprc", ".fetchmailrc"),
        *(
            ".smbcredentials",
            ".passwd-s3fs",
            "passwd-s3fs",
            ".databrickscfg",
            ".renviron",
            ".secret",
            ".secrets",
        ),
        *(
            ".sentryclirc",
            ".wakatime.cfg",
            "kaggle.json",
            "ngrok.yml",
            "rclone.conf",
            "k3s.yaml",
            "token.json",
        ),
        *(
            ".ftpconfig",
            ".ftppass",
            "sftp-config.json",
            ".remote-sync.json",
            "sitemanager.xml",
            "cookies.txt",
        ),
        *(".mcp.json", ".claude.json", ".credentials.json", "claude_desktop_config.json", "mcp_config.json"),
        *("oauth_creds.json", "application_default_credentials.json", "credentials.tfrc.json"),
        *("local.settings.json", "keystore.properties", "key.properties", "signing.properties"),
        *(f"wg{number}.conf" for number in range(10)),
        # What somebody typed or looked at; names of shells and consoles that end otherwise than `_HISTORY`.
        *(".histfile", ".lesshst", ".viminfo", ".dbshell", ".octave_hist", ".bash_sessions", ".zsh_sessions"),
        *("bash_history", "zsh_history", "fish_history", "psql_history", "mysql_history"),
        "consolehost_history.txt",
    }
)
_HISTORY = "history"  # ends the names of `.bash_history`, `.zhistory`, `.node_repl_history`, `.rhistory`
# `credentials.json`, `secret.yaml`: only as data, since code calls its modules so too.
_SECRET_STEMS = ("credentials", "secret")
_DATA_EXTENSIONS = frozenset({"json", "yaml", "yml", "toml", "ini", "properties", "xml", "csv"})
# Files with ordinary names in the directories of programs that keep credentials there.
_SECRET_PLACES = frozenset(
    {
        *(".aws/credentials", ".gem/credentials", ".cargo/credentials", ".azure/accesstokens.json"),
        *(".azure/msal_token_cache.json", ".azure/service_principal_entries.json", ".config/gcloud"),
        *(".docker/config.json", "containers/auth.json", ".kube/config", ".rancher/cli2.json"),
        *(".cursor/mcp.json", ".vscode/mcp.json", ".vscode/sftp.json", ".codex/auth.json"),
        *(".config/gh/hosts.yml", ".config/hub", ".config/glab-cli/config.yml", ".config/git/credentials"),
        *(".config/github-copilot/hosts.json", ".config/github-copilot/apps.json", ".travis/config.yml"),
        *(".config/doctl/config.yaml", ".fly/config.yml", ".circleci/cli.yml", "sops/age/keys.txt"),
        *(".m2/settings.xml", ".m2/settings-security.xml", ".gradle/gradle.properties", ".sbt/.credentials"),
        *(".ivy2/.credentials", ".bundle/config", ".pip/pip.conf", ".config/pip/pip.conf", ".snowsql/config"),
        *("huggingface/token", ".huggingface/token", ".dbt/profiles.yml", "etc/shadow", "etc/gshadow"),
        # Of Composer: in the root, where it is not a file of translations.
        *("/auth.json", ".composer/auth.json", ".config/composer/auth.json"),
    }
)
_PLACE_NAMES = frozenset(place.rpartition("/")[2] for place in _SECRET_PLACES)
_ENV_PREFIXES = (".env.", ".env-", ".env_", ".dev.vars.")
_KEY_PREFIXES = ("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519")
_SECRETS_PREFIX = "secrets."
_JSON_PREFIXES = ("service-account", "service_account", "serviceaccount", "client_secret")
_SECRET_SUFFIXES = (
    *(".pem", ".key", ".p8", ".pfx", ".p12", ".pkcs12", ".ppk", ".jks", ".keystore", ".kdbx"),
    *(".pk8", ".pkcs8", ".jceks", ".bks", ".kdb", ".1pif", ".psafe3", ".kubeconfig"),
    *(".env", ".tfvars", ".tfvars.json", ".tfstate", ".ovpn"),
)
# Keys of service accounts, under the names that the consoles of Google and Amazon give them.
_JSON_PARTS = ("firebase-adminsdk", "credentials.json")
# Only files: directories of source code are called so too.
_FILE_NAME = re.compile(
    r"(?s)(?P<key>.*_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?)|ssh_host_(?:.*_)?key"
    r"|kubeconfig|kube_?config[\w.-]*\.ya?ml|htpasswd"
    r"|\.?(?:ansible[_-]?)?vault[_-]?pass(?:word|wd|phrase)?(?:[_-]file)?(?:\.txt)?"
)
_TEMPLATE = re.compile(
    r"(?s)\.env[._-].*(?<=[._-])(?:example|sample|template|tmpl|dist)$"
    r"|(?:.*[._-])?(?:example|sample|template|dist)\.env$|\.env\.(?:.*\.)?d\.ts$"
)
_SOURCE_EXTENSIONS = frozenset(
    {
        *("py", "pyi", "go", "rs", "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte"),
        *("java", "kt", "kts", "scala", "groovy", "clj", "cs", "fs", "vb", "swift", "m", "mm", "dart", "zig"),
        *("c", "h", "cc", "cpp", "cxx", "hh", "hpp", "rb", "php", "pl", "pm", "lua", "ex", "exs", "erl"),
        *("hs", "ml", "mli", "jl", "r", "nim", "d"),
    }
)
_PRIVATE_ASC = re.compile(r"(?s).*(?:priv|secret).*\.asc$")
# Last words of copies made by Vim, Kate, JetBrains, package managers, desktops and people.
_COPY_WORDS = frozenset(
    {
        *("bak", "bk", "bkp", "back", "backup", "old", "orig", "original", "sav", "save", "saved", "prev"),
        *("tmp", "temp", "copy", "rej", "new", "rpmsave", "rpmnew", "rpmorig", "dpkg", "ucf", "kate", "jb"),
        *("swp", "swo", "swn", "swm", "swl", "swk", "swj", "swi", "swpx"),
    }
)
_SEPARATORS = " ._-"
_COPIES_OF_COPIES = 4  # `server.key.dpkg-old~`
# 8.3 aliases of denied names, including the hashed form that NTFS falls back to for `.git`.
_SHORT_CONTROL = re.compile(r"(?:git|gi7eba|hg|svn)~\d+$")
_SHORT_SECRET = re.compile(
    r"(?:env\w*|_?netrc|npmrc|pypirc|pgpass|gitcre|htpass|ssh|gnupg|secret\w*|id_(?:rsa|dsa|ecd|ed2)\w*"
    r"|ssh_ho|terraf|bash_h|zsh_hi|psql_h|mysql_|lesshs|vimin\w*)~\d+(?:\.|$)|(?:creden|servic|client|mcp)~\d+\.(?:jso|yam|tom)$"
    r"|.*~\d+\.(?:kdb|pkc|tfs|tfv|ovp)$"
)
# Not of category Cf, but just as invisible: NFKC_Casefold drops these too.
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)

# For the quick check of `is_plain`: how denied names begin, apart from `.` and `#`, and how they do not end.
_SUSPECT_STARTS = (
    *("_netrc", *_KEY_PREFIXES, _SECRETS_PREFIX, "secret.", "credentials", "ssh_host_", *_JSON_PREFIXES),
    *("kube", "htpasswd", "vault", "ansible", "config ", "config_", "config-", "copy of "),
    *(name for name in _SECRET_NAMES if not name.startswith(".")),
)
_SUSPECT_FOUR = frozenset(start[:4] for start in (*_SUSPECT_STARTS, *_PLACE_NAMES))
_SUSPECT_EXTENSIONS = frozenset(
    {"asc", *_COPY_WORDS, *(suffix.rpartition(".")[2] for suffix in _SECRET_SUFFIXES)} - {"json"}
)


def fold_name(name: str) -> str:
    """Return the form in which one component is compared."""
    folded = name.lower() if name.isascii() else _fold_unicode(name)
    return folded.partition(":")[0].rstrip(". ")


def fold_path(path: str) -> str:
    """Return the form in which a whole path is compared."""
    return "/".join(map(fold_name, path.split("/")))


def _fold_unicode(name: str) -> str:
    """Apply NFKC and casefold and drop invisible characters, repeated up to 4 times until stable."""
    for _ in range(4):
        shown = _INVISIBLE.sub("", unicodedata.normalize("NFKC", name).casefold())
        folded = "".join(char for char in shown if unicodedata.category(char) != "Cf")
        if folded == name:
            break
        name = folded
    return name


def is_plain(name: str) -> bool:
    """Return True when no rule can match a name. Saves judging nearly every name; a test checks it."""
    stem, dot, extension = name.rpartition(".")
    if extension in _SOURCE_EXTENSIONS and stem.isidentifier():
        return stem.isascii() and stem.lower() != "secrets"
    if not name.isascii() or "~" in name or ":" in name:
        return False
    lowered = name.lower()
    if lowered < "0":  # the name begins with a dot or another sign
        return False
    if lowered[:4] in _SUSPECT_FOUR and (lowered in _PLACE_NAMES or lowered.startswith(_SUSPECT_STARTS)):
        return False
    if not dot:
        return "rsa" not in lowered and "dsa" not in lowered and "25519" not in lowered
    extension = extension.lower()
    if extension in _DATA_EXTENSIONS:
        return not (lowered.endswith(".tfvars.json") or any(part in lowered for part in _JSON_PARTS))
    return extension.isalpha() and extension not in _SUSPECT_EXTENSIONS


def find_denial_of(above: str, name: str, *, is_directory: bool) -> Denial | None:
    """Return the denial of one folded component below the directory `above`, "" for the root."""
    denial = _judge(above, name, is_directory)
    for _ in range(_COPIES_OF_COPIES):
        if denial is not None:
            return denial
        original = _strip_copy(name)
        if original is None:
            return None
        name = original
        # Vim and Kate put a dot before the names of their files.
        denial = _judge(above, name, is_directory) or _judge(above, name.removeprefix("."), is_directory)
        if denial is not None and denial.rule != OWN_DIRECTORY_RULE:
            denial = replace(denial, rule=f"copy of {denial.rule}")
    return denial


def _strip_copy(name: str) -> str | None:
    """Return the name of the file of which this is a copy, going by its name; None if it is none."""
    if name.startswith("#") and name.endswith("#"):  # Emacs
        return name[1:-1]
    for start in ("copy of ", ".#"):
        if name.startswith(start):
            return name[len(start) :]
    marked = name.rstrip("~")
    unnumbered = marked.rstrip("0123456789()~")
    bare = unnumbered.rstrip(_SEPARATORS)
    end = max(map(bare.rfind, _SEPARATORS))
    if end > 0 and bare[end + 1 :] in _COPY_WORDS:
        return bare[:end].rstrip(_SEPARATORS)
    if bare and (bare != unnumbered or marked != name):
        return bare if bare != unnumbered else marked
    return None


def list_rules() -> tuple[object, ...]:
    """Return all rules as values whose `repr` is the same in every process."""
    patterns = (_FILE_NAME, _TEMPLATE, _PRIVATE_ASC, _SHORT_CONTROL, _SHORT_SECRET, _INVISIBLE)
    names = (_CONTROL_NAMES | _SECRET_NAMES, _COPY_WORDS, _SECRET_PLACES)
    extensions = (_DATA_EXTENSIONS, _SOURCE_EXTENSIONS)
    affixes = (_SECRET_STEMS, _ENV_PREFIXES, _KEY_PREFIXES, _SECRETS_PREFIX, _JSON_PREFIXES, _SECRET_SUFFIXES)
    parts = (*_JSON_PARTS, _HISTORY)
    return (
        *map(sorted, names + extensions),
        *affixes,
        *parts,
        *(one.pattern for one in patterns),
        _COPIES_OF_COPIES,
    )


def _judge(above: str, name: str, is_directory: bool) -> Denial | None:
    """Return the denial of a name as it is spelled, without looking for copies."""
    if name in _CONTROL_NAMES:
        return Denial(name, _HINT_CONTROL, is_final=True)
    if name == OWN_DIRECTORY_NAME:
        return Denial(OWN_DIRECTORY_RULE, HINT_OWN, is_final=True)
    if "~" in name and _SHORT_CONTROL.match(name):
        return Denial("git~1", _HINT_CONTROL, is_final=True)
    rule = _find_rule(name) or _find_place(above, name) or (None if is_directory else _find_file_rule(name))
    if rule is None:
        return None
    is_source = rule == "secrets.*" and name.rpartition(".")[2] in _SOURCE_EXTENSIONS
    return Denial(rule, _HINT_SOURCE if is_source else _HINT)


def _find_rule(name: str) -> str | None:
    """Return the rule that a name falls under wherever it is, whether a file's or a directory's."""
    if name in _SECRET_NAMES:
        return name
    if name.startswith(_SECRETS_PREFIX):
        return "secrets.*"
    if name.startswith(_ENV_PREFIXES):
        return None if _TEMPLATE.match(name) else f"{name[:5]}*"
    if name.endswith(_SECRET_SUFFIXES):
        suffix = next(suffix for suffix in _SECRET_SUFFIXES if name.endswith(suffix))
        return None if suffix == ".env" and _TEMPLATE.match(name) else f"*{suffix}"
    stem, _, extension = name.rpartition(".")
    if name.startswith(_KEY_PREFIXES) and not (stem and extension in _SOURCE_EXTENSIONS):
        return f"{next(prefix for prefix in _KEY_PREFIXES if name.startswith(prefix))}*"
    if stem.removeprefix(".") in (*_SECRET_STEMS, "secrets") and extension in _DATA_EXTENSIONS:
        return name
    if name.startswith(".") and name.endswith(_HISTORY):
        return f".*{_HISTORY}"
    if extension == "json" and any(part in name for part in _JSON_PARTS):
        return f"*{next(part for part in _JSON_PARTS if part in name).removesuffix('.json')}*.json"
    if extension == "json" and name.startswith(_JSON_PREFIXES):
        return f"{next(prefix for prefix in _JSON_PREFIXES if name.startswith(prefix))}*.json"
    if extension == "asc" and _PRIVATE_ASC.match(name):
        return "*priv*.asc"
    return "short name of a denied file" if "~" in name and _SHORT_SECRET.match(name) else None


def _find_place(above: str, name: str) -> str | None:
    """Return the place that is denied, such as `.kube/config`; None for any other."""
    if name not in _PLACE_NAMES:
        return None
    path = f"/{fold_path(above)}/{name}"
    return next((place for place in sorted(_SECRET_PLACES) if path.endswith(f"/{place}")), None)


def _find_file_rule(name: str) -> str | None:
    found = _FILE_NAME.fullmatch(name)
    if found is None:
        return None
    return f"*_{name.removesuffix('_sk').rpartition('_')[2]}" if found["key"] else name


class DenyPolicy:
    """The default rules, what the operator allows of them, and the data directory. Safe for threads."""

    def __init__(
        self, allow_paths: Sequence[str] = (), data_dir_parts: tuple[str, ...] | None = None
    ) -> None:
        """`data_dir_parts` is the data directory's path inside the root, None when it is outside.

        Raises `ValueError` for a glob that `check_allowed` refuses.
        """
        self._allow_paths = tuple(allow_paths)
        self._allowed = tuple(glob for text in allow_paths for glob in check_allowed(text))
        self._data_dir = "/".join(map(fold_name, data_dir_parts)) if data_dir_parts else None
        self._only_names = self._data_dir in (None, OWN_DIRECTORY_NAME)
        self._clean: set[str] = set()  # directories found free of denials

    def find_denial(self, path: str) -> Denial | None:
        """Return the first denial of the path or of a directory above it; None when it may be served."""
        directory, _, name = path.rpartition("/")
        if directory and directory not in self._clean:
            denial = self._find_in_directory(directory)
            if denial is not None:
                return denial
        if not name or (self._only_names and is_plain(name)):
            return None
        return self._find_at(directory, name, is_directory=False)

    def fingerprint(self) -> str:
        """Return a digest of the rules, so that an index built under other rules is not reused."""
        rules = (*list_rules(), self._allow_paths, self._data_dir)
        return hashlib.blake2b(repr(rules).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()

    def _find_in_directory(self, directory: str) -> Denial | None:
        """Return the denial of a directory or of one above it; directories without one are cached."""
        unknown = []
        while directory and directory not in self._clean:
            unknown.append(directory)
            directory = directory.rpartition("/")[0]
        for path in reversed(unknown):
            above, _, name = path.rpartition("/")
            if not (self._only_names and is_plain(name)):
                denial = self._find_at(above, name, is_directory=True)
                if denial is not None:
                    return denial
            if len(self._clean) >= _MAX_REMEMBERED:
                self._clean.clear()
            self._clean.add(path)
        return None

    def _find_at(self, directory: str, name: str, *, is_directory: bool) -> Denial | None:
        """Return the denial of one entry whose directory is not denied."""
        denial = find_denial_of(directory, fold_name(name), is_directory=is_directory)
        if self._only_names and (denial is None or not self._allowed):
            return denial
        path = fold_path(f"{directory}/{name}" if directory else name)
        if path == self._data_dir:
            return Denial(OWN_DIRECTORY_RULE, HINT_OWN, is_final=True)
        if denial is None or denial.is_final or not any(glob.matches(path) for glob in self._allowed):
            return denial
        return None


def check_allowed(text: str) -> tuple[globs.PathGlob, ...]:
    """Return the globs for one of the operator's: `dir/**` and `dir/` allow the directory `dir`, too.

    Raises `ValueError` with the reason for a pattern that no path matches or `globs.PathGlob` refuses.
    """
    folded = fold_path(text)
    for name in folded.split("/"):
        denial = find_denial_of("", name, is_directory=True)
        if denial is not None and denial.is_final:
            raise ValueError("version control and the data directory cannot be allowed")
    # With a slash in front, as the glob itself is compared with the whole path.
    directory = "/" + folded.removesuffix("**").rstrip("/") if folded.endswith(("/", "/**")) else folded
    return globs.PathGlob(folded), globs.PathGlob(directory)

"""Understand a question as the narrowest of its forms whose subjects exist in this repository.

"what calls authenticate()"      callers of AuthService.authenticate and Session.authenticate
"how does login reach the db"    a path from login to what the words "the db" find, as `db` is not declared
"Router"                         a declared name alone: what it is, who uses it, what it uses
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from repo_mcp.graph.typed.path_lookup import VALUE_KINDS
from repo_mcp.record_classes import replace
from repo_mcp.research.findings.citing import join_names
from repo_mcp.research.findings.records import Focus, Form, Reading, ResearchRequest, Subject, TakenAs
from repo_mcp.research.findings.source import Source
from repo_mcp.research.question.compared_readings import (
    read_described_side,
    read_guessed_sides,
    read_unparsed_sides,
)
from repo_mcp.research.question.error_types import is_error_name
from repo_mcp.research.question.grammar import DESCRIBED_FORMS, Parsed, asks_for_structure, parse_question
from repo_mcp.research.question.guessed_readings import GuessedReadings, is_long, only_describes
from repo_mcp.research.question.guessed_subjects import choose_same_last, read_own_name
from repo_mcp.research.question.open_readings import read_open
from repo_mcp.research.question.phrase_names import is_one_name, is_path, is_whole_name, looks_like_code
from repo_mcp.research.question.phrases import Phrase, read_phrase
from repo_mcp.research.question.readings import OF_SYMBOLS, build_reading
from repo_mcp.research.question.subjects import Subjects
from repo_mcp.symbols.symbol_record import SymbolKind

# Forms for which the hits of a word search may stand for a subject that is not declared.
_MAY_BE_WORDS = frozenset(
    {Form.CALLERS, Form.DEPENDENTS, Form.IMPLEMENTATIONS, Form.FLOW, Form.CONFIGURED, Form.DIFFERENCE}
)
# Alone, they name no symbol, though one may be called so.
_PROSE = frozenset(
    ("default", "defaults", "default value", "it", "name", "that", "them", "they", "this", "value")
)
_FOLDER = re.compile(r"(?<![\w./@-])[\w.@-]{1,100}(?:/[\w.@-]{1,100}){1,30}")
_CAPITAL = re.compile(r"[A-Z]\w*[a-z]\w*")

# Returns an undeclared subject as one that a language without a parser declares, if it is.
FindUnparsed = Callable[[Subject], Subject]

_WHOLE = frozenset(
    {"", "it", "this", "codebase", "code base", "code", "repo", "repository", "project", "system", "program",
     "application", "app", "library", "package", "everything", "whole", "framework", "software"}
)  # fmt: skip


def understand(source: Source, request: ResearchRequest, find_unparsed: FindUnparsed) -> Reading:
    """Return the way a question is understood. There must be a graph."""
    return _QuestionReader(source, request, find_unparsed).read()


class _QuestionReader:
    """Tries the forms of one question, the narrowest first, until the repository has the subjects of one.

    If the graph is partial, it may lack a name that a text declares: then its words are searched for instead.
    """

    def __init__(self, source: Source, request: ResearchRequest, find_unparsed: FindUnparsed) -> None:
        self._source, self._graph = source, source.get_graph()
        self._request = request
        self._find_unparsed = find_unparsed
        self._subjects = Subjects(self._graph, request.folder, source.read_lines)
        self._parsed = tuple(map(self._qualify, parse_question(request.query)))
        self._guessed = GuessedReadings(source, request, self._subjects, self._parsed)

    def read(self) -> Reading:
        """Return the way the question is understood."""
        naming = [one for one in self._parsed if not _names_anything(one, self._request.query)]
        # A guess is a better name than a word of a clause.
        subjects = naming[0].phrases if naming else ()
        is_described = bool(subjects) and all(map(only_describes, subjects))
        return (
            (self._guessed.read() if is_described else None)
            or next(filter(None, map(self._try_form, naming)), None)
            or self._guessed.read()
            or self._try_folder()
            or next(filter(None, map(self._try_missing, naming)), None)
            or next(filter(None, map(self._try_words, naming)), None)
            or read_open(self._request, self._parsed)
        )

    def _qualify(self, parsed: Parsed) -> Parsed:
        """Return a way to understand a question with declared guesses in place of names that end them.

        "Which errors does Checkpoint return? (wlog.Checkpoint)": the guess says which one is meant, and so it
        does of what a variable holds, "log.checkpoint()", unless that is declared itself.
        """

        def qualify(phrase: Phrase) -> Phrase:
            name = read_phrase(phrase.text).text
            guess = choose_same_last(name, self._request.guesses) if is_one_name(name) else ""
            is_own = name == read_own_name(name) or not self._is_found(name, parsed.form)
            is_meant = guess and is_own and self._is_found(guess, parsed.form)
            return replace(phrase, text=phrase.text.replace(name, guess)) if is_meant else phrase

        return replace(parsed, phrases=tuple(map(qualify, parsed.phrases)))

    def _is_found(self, name: str, form: Form) -> bool:
        return self._subjects.find(read_phrase(name), form).taken_as is TakenAs.DECLARED

    def _try_folder(self) -> Reading | None:
        """Return the reading that asks for the structure of a folder, if that is the focus; or None.

        The question names the folder, or is asked of it and has a word such as layers.
        """
        if self._request.focus is not Focus.ARCHITECTURE:
            return None
        for path in _FOLDER.findall(self._request.query):
            found = self._subjects.find(Phrase(path), Form.OVERVIEW)
            if found.taken_as is TakenAs.FOLDER:
                return build_reading(Form.OVERVIEW, (found,))
        if not self._request.folder or not asks_for_structure(self._request.query):
            return None
        return build_reading(Form.OVERVIEW, (Subject("", TakenAs.FOLDER, name=self._request.folder),))

    def _try_form(self, parsed: Parsed) -> Reading | None:
        """Return the reading of one form, or None when one of its subjects does not exist."""
        is_whole = not self._source.is_partial
        reading = self._try_unknown_function(parsed) if parsed.form is Form.ERRORS and is_whole else None
        reading = reading or self._try_subjects(parsed)
        if reading is not None or parsed.form is not Form.DIFFERENCE:
            return reading
        # Undeclared, it would be taken for a question about the one subject that is declared.
        return self._read_compared(parsed.phrases) or (self._try_undeclared(parsed) if is_whole else None)

    def _try_missing(self, parsed: Parsed) -> Reading | None:
        """Return the reading of a question about undeclared names, if it is known that they are."""
        reading = self._try_undeclared(parsed)
        if reading is None:
            return None
        if not self._source.is_partial or any(one.is_unparsed for one in reading.subjects):
            return reading
        is_undeclared = all(one.taken_as is TakenAs.UNDECLARED for one in reading.subjects)
        return self._say_so_far(reading) if is_undeclared else None

    def _say_so_far(self, reading: Reading) -> Reading:
        """Return the reading of a question about names that files may declare which are not parsed yet."""
        names = [one.asked for one in reading.subjects]
        if all(map(self._source.is_absent, names)):
            return reading
        return replace(
            reading, text=f"a question about {join_names(names)}, which no file parsed so far declares"
        )

    def _try_subjects(self, parsed: Parsed) -> Reading | None:
        """Return the reading of one form, or None when one of its subjects does not exist."""
        if parsed.form is Form.OPEN:
            return self._try_name()
        if parsed.form is Form.OVERVIEW:
            return self._try_overview(parsed)
        if parsed.form in DESCRIBED_FORMS:
            text = " ".join(one.text for one in parsed.phrases)
            return build_reading(parsed.form, (Subject(text, TakenAs.WORDS),))
        found = tuple(self._subjects.find(phrase, parsed.form) for phrase in parsed.phrases)
        if parsed.form is Form.CONFIGURED and found[0].taken_as in (
            TakenAs.OUTSIDE,
            TakenAs.DECLARED_OTHERWISE,
        ):
            values = [node for node in found[0].nodes if node.symbol.kind in VALUE_KINDS]
            if " " in found[0].asked and values and is_whole_name(values[0].symbol.name, found[0].asked):
                values.sort(key=lambda node: node.symbol.name.startswith("_"))  # stable
                named = replace(found[0], taken_as=TakenAs.DECLARED, nodes=tuple(values))
                return build_reading(parsed.form, (named,))  # `ArrayPool` for "array pool"
            if " " in found[0].asked and self._guessed.has_declared():
                return None  # a guess is a better name than one that the description happens to have
            # Settings are often attributes of objects made elsewhere.
            return build_reading(parsed.form, (Subject(found[0].asked, TakenAs.WORDS),))
        if parsed.form is Form.RAISED:
            return self._try_raised(parsed.phrases[0].text, found[0])
        if not all(one.is_found for one in found):
            return None
        if parsed.form is Form.TESTS and _does_nothing(found[0], parsed.phrases[0]):
            found = (self._subjects.find_headed(parsed.phrases[0]) or found[0],)
        return build_reading(_fit_form(parsed.form, found), found)

    def _try_raised(self, text: str, found: Subject) -> Reading | None:
        """Return the reading of a question for what raises errors of a type; None if it is not such a type.

        One that no parser knows is told by its name, if a file has it.
        """
        if self._subjects.is_error(found):
            return build_reading(Form.RAISED, (found,))
        if found.is_found or not (is_one_name(text) and is_error_name(text)) or self._source.is_absent(text):
            return None
        written = self._find_unparsed(Subject(text, TakenAs.UNDECLARED))
        subject = written if written.is_unparsed else Subject(text, TakenAs.OUTSIDE, name=text)
        return build_reading(Form.RAISED, (subject,))

    def _read_compared(self, phrases: Sequence[Phrase]) -> Reading | None:
        """Return the reading of a comparison that its phrases do not name as they stand, or None."""
        return (
            read_guessed_sides(self._subjects, phrases, self._request.guesses)
            or read_unparsed_sides(phrases, self._find_unparsed)
            or read_described_side(self._subjects, phrases)
        )

    def _try_name(self) -> Reading | None:
        """Return the reading of a question that is a single name, or None."""
        phrase = read_phrase(self._request.query)
        if len(phrase.text.split()) != 1:
            return None
        form = Form.DEPENDENCIES if self._request.focus is Focus.DEPENDENCIES else Form.DEFINED
        found = self._subjects.find(phrase, form)
        return build_reading(_fit_form(form, (found,)), (found,)) if found.is_found else None

    def _try_overview(self, parsed: Parsed) -> Reading | None:
        """Return the reading that asks for the structure of the whole, of a folder, or of a file's folder."""
        phrase = parsed.phrases[0] if parsed.phrases else Phrase("")
        if phrase.text.lower() in _WHOLE:
            whole = Subject(phrase.text, TakenAs.FOLDER, name=self._request.folder or ".")
            return build_reading(Form.OVERVIEW, (whole,))
        found = self._subjects.find(phrase, Form.OVERVIEW)
        if found.taken_as is TakenAs.FOLDER:
            return build_reading(Form.OVERVIEW, (found,))
        folder = self._subjects.find_folder(phrase.text)
        return None if folder is None else build_reading(Form.OVERVIEW, (folder,))

    def _try_undeclared(self, parsed: Parsed) -> Reading | None:
        """Return the reading of a question about a symbol whose name is not declared; None for any other."""
        if parsed.form not in OF_SYMBOLS:
            return None
        is_absent = self._source.is_absent
        # one of several phrases may be a word of prose
        check = is_absent if len(parsed.phrases) == 1 else lambda _word: False
        found = []
        for phrase in parsed.phrases:
            declared = self._subjects.find(phrase, parsed.form)
            found.append(declared if declared.is_found else self._subjects.find_undeclared(phrase, check))
        undeclared = (one for one in found if one is not None and one.taken_as is TakenAs.UNDECLARED)
        missing = tuple(map(self._find_unparsed, undeclared))
        if found == [None]:
            missing = self._find_plain(parsed.phrases[0].text)
        is_written = [one.taken_as is TakenAs.UNDECLARED and not is_absent(one.asked) for one in missing]
        if parsed.form is Form.DIFFERENCE and len(missing) > 1 and all(is_written):
            return None  # parameters or options: what has their names tells the difference
        if parsed.form is Form.DIFFERENCE and None in found:
            return None  # the name alone tells nothing of what it is compared with
        known = [one for one in found if one is not None and one.nodes]
        is_compared = missing and parsed.form is Form.DIFFERENCE
        return build_reading(parsed.form, (*missing, *(known if is_compared else ()))) if missing else None

    def _find_plain(self, text: str) -> tuple[Subject, ...]:
        """Return the unparsed subject that a capitalised word or a path names; or nothing."""
        if not (_CAPITAL.fullmatch(text) or is_path(text)):
            return ()
        found = self._find_unparsed(Subject(text, TakenAs.UNDECLARED))
        return (found,) if found.is_unparsed else ()

    def _try_unknown_function(self, parsed: Parsed) -> Reading | None:
        """Return the reading of a question about the errors of an undeclared name; None for any other."""
        phrase = read_phrase(parsed.phrases[0].text)
        if self._subjects.find(phrase, Form.CALLEES).is_found:
            return None
        missing = self._subjects.find_undeclared(phrase)
        if missing is None or self._find_unparsed(missing).taken_as is not TakenAs.UNDECLARED:
            return None
        return build_reading(Form.ERRORS, (missing,))

    def _try_words(self, parsed: Parsed) -> Reading | None:
        """Return the reading with subjects found by their words; None if they are long or find nothing."""
        if parsed.form not in _MAY_BE_WORDS or not parsed.phrases:
            return None
        if any(is_long(phrase.text) for phrase in parsed.phrases):
            return None
        found = []
        for phrase in parsed.phrases:
            if parsed.form is Form.CONFIGURED and len(phrase.text.split()) == 1:
                found.append(Subject(phrase.text, TakenAs.WORDS))  # only named, without a symbol
                continue
            declared = self._subjects.find(phrase, parsed.form)
            found.append(declared if declared.nodes else self._subjects.find_by_words(phrase, parsed.form))
        if parsed.form is Form.CONFIGURED or all(one.nodes for one in found):
            return build_reading(parsed.form, tuple(found))
        return None


def _does_nothing(subject: Subject, phrase: Phrase) -> bool:
    """Return True for values or modules that plain words happen to name: `log` for "the log check"."""
    is_plain = " " in phrase.text and not any(map(looks_like_code, phrase.text.split()))
    return is_plain and all(node.symbol.kind in VALUE_KINDS | {SymbolKind.MODULE} for node in subject.nodes)


def _names_anything(parsed: Parsed, query: str) -> bool:
    """Return True for a phrase that is a word of prose, such as "the default", and not written as a name."""
    if parsed.form is Form.OPEN or not parsed.phrases or len(query.split()) < 2:
        return False
    texts = [one.text.lower() for one in parsed.phrases if not one.kinds]
    return any(text in _PROSE and f"`{text}`" not in query.lower() for text in texts)


def _fit_form(form: Form, found: tuple[Subject, ...]) -> Form:
    """Return the form that fits the subject: nothing calls a folder, and nothing configures a file."""
    if found and found[0].taken_as is TakenAs.FOLDER:
        return form if form in (Form.DEPENDENCIES, Form.DEPENDENTS) else Form.OVERVIEW
    if (
        found
        and found[0].taken_as is TakenAs.OUTSIDE
        and form not in (Form.IMPLEMENTATIONS, Form.CALLERS, Form.CONFIGURED, Form.RAISED)
    ):
        return Form.DEPENDENTS
    return form

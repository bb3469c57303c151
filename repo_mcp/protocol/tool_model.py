"""The model of a tool: its record, what a call of it is given, and the answer it gives.

Left out on purpose: how arguments are checked (`repo_mcp.protocol.tool_arguments`), and how an error or a
result is rendered, which is each toolset's own specification.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field

from repo_mcp.record_classes import dataclass
from repo_mcp.text.lines import escape_text

JsonSchema = Mapping[str, object]

SHOWN_CHARS = 64  # most characters of a client's name for something when a message repeats it


@dataclass(frozen=True, slots=True)
class Annotations:
    """The properties of a tool that a client may rely on before it calls it."""

    read_only: bool
    destructive: bool = False
    idempotent: bool = True
    open_world: bool = False


@dataclass(frozen=True, slots=True)
class Progress:
    """A report of how far a call is, for the client to show."""

    done: float  # never falls during one call
    total: float
    message: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question of a tool to the client's own model."""

    key: str  # what is asked for, unique in one call: "expansion", "summary"
    system: str  # how to answer
    text: str
    max_tokens: int


class AnswerNeeded(BaseException):
    """The end of a call until the client brings the answer to a question; then the whole call is made again.

    It is no Exception, so that nothing between a tool and its caller takes it for a failure.
    """

    def __init__(self, question: Question) -> None:
        super().__init__(question.key)
        self.question = question


@dataclass(frozen=True, slots=True)
class CallContext:
    """The context that a running call is given besides its arguments.

    Its functions are safe in any thread.
    """

    cancelled: Callable[[], bool]
    report: Callable[[Progress], None] | None = None  # None when the client did not ask for progress
    client: tuple[str, str] = ("", "")  # name and version as the client gives them: not to be believed
    # Asks the client's model; None when it does not answer in time, or refuses. May raise AnswerNeeded.
    # None itself where the client has not said that it can be asked.
    ask: Callable[[Question], str | None] | None = None
    notes: tuple[str, ...] = ()  # notes that are put among the warnings of the answer
    root: str = ""  # the name of the root that is asked, where URIs must name it


@dataclass(frozen=True, slots=True)
class Notes:
    """The audience of a block of content, and how much it matters."""

    audience: tuple[str, ...] = ()  # "user", "assistant"
    priority: float | None = None  # from 0 (optional) to 1 (required)


@dataclass(frozen=True, slots=True)
class ResourceLink:
    """A block of content that names a file without its text."""

    uri: str  # "repo:///docs/logo.png": never an absolute path of this machine
    name: str
    mime_type: str
    description: str = ""
    size: int | None = None  # bytes
    notes: Notes = Notes()


@dataclass(frozen=True, slots=True)
class Audio:
    """A block of content that is a sound."""

    data: str  # base64
    mime_type: str
    notes: Notes = Notes()


Block = ResourceLink | Audio


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """The answer of a tool, in the two forms of the protocol.

    `text` is the compact JSON of `structured`, unless the client has asked for another form. `json` is that
    JSON where the tool has made it already, else "": what is sent is then not encoded again.
    """

    structured: Mapping[str, object]
    text: str
    is_error: bool
    blocks: tuple[Block, ...] = ()  # blocks after the text
    json: str = ""  # the JSON of `structured`, if it exists already


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as `tools/list` shows it, and the function behind it.

    `call` blocks, runs in a worker thread beside others and never raises: every failure is an answer.
    """

    name: str
    title: str
    description: str
    input_schema: JsonSchema
    output_schema: JsonSchema
    annotations: Annotations
    call: Callable[[Mapping[str, object], CallContext], ToolAnswer]
    drop: Callable[[Mapping[str, object], CallContext], None] | None = None  # told of a call that never began
    icon: str = ""  # a small image as a data: URI
    may_be_task: bool = False  # takes long enough that a client may want to ask for the result later
    is_beginning: bool = False  # work begins with it: no model should have to look for it


@dataclass(frozen=True, slots=True)
class Toolset:
    """A set of tools in the order in which clients see them, and a few words on their use."""

    name: str
    tools: tuple[Tool, ...]
    instructions: str = field(default="")  # static: never holds a word of the repository
    # Gives what answers `resources/list` and `resources/read`, under these names; made when first asked.
    find_resources: Callable[[], tuple[Tool, ...]] | None = None


def name_tools(toolsets: Iterable[Toolset]) -> dict[str, Tool]:
    """Return the tools by name, in their order.

    A later tool of the same name replaces the earlier, in its position.
    """
    return {tool.name: tool for toolset in toolsets for tool in toolset.tools}


def explain_unknown_tool(name: str) -> str:
    """Return the message for a call of a tool that does not exist."""
    return f"Unknown tool: {escape_text(name[:SHOWN_CHARS])}. See tools/list"

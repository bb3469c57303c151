"""The roots of a server with `--repo-root auto`: found, opened, and closed as the client changes them.

The roots that the client names are served or, if it names none, the repository around the directory in which
the server was started. Each has its own index, log and data directory. A root is opened when it is named, and
calls wait for that. When the client names others, calls go to those from then on, and a root that is no
longer named is closed as soon as no call uses it.

Only with several roots do tools have the argument `root`; without it, the first root answers. The client
always knows which root an answer comes from: if the server's instructions do not name it, the first answer
does, and with several roots every answer to a call that names none.

Left out on purpose: how a client is asked (`repo_mcp.protocol.client_roots`), which directories may be served
(`repo_mcp.config.client_directories`), and what a toolset over one root is (`toolset_loader`).
"""

from __future__ import annotations

import hashlib
import math
import os
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, NoReturn

from repo_mcp.config.client_directories import ClientDirectories, name_directories, open_directories
from repo_mcp.config.server_config import LEAST_MEMORY_MB, NAMED_ROOT_TOOLSETS, Config
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.protocol.frames import encode_json
from repo_mcp.protocol.tool_model import CallContext, Tool, ToolAnswer, Toolset, name_tools
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.serving.toolset_loader import (
    OneRoot,
    Warn,
    bind_root_resources,
    build_guard,
    find_binder,
    load_toolsets,
)
from repo_mcp.storage.held_directory import HeldDirectory
from repo_mcp.threads import run_beside, start_daemon
from repo_mcp.toolsets.answers import log_defect

if TYPE_CHECKING:
    from repo_mcp.repository import Repository

Arguments = Mapping[str, object]
Begin = Callable[[Sequence["Repository"]], object]  # given what was opened, to have it refreshed
ChangeSchemas = Callable[[Sequence[Tool]], object]

POLL_SECONDS = 0.05  # how often a call that waits for its root looks whether it was cancelled
HINT = (
    "Tell the user to open a repository in the client, or to set this server up with one:"
    " repo-mcp init CLIENT --root DIR."
)


class _OpenRoot:
    """One root in service, and the calls that are using it."""

    def __init__(self, config: Config, warn: Warn) -> None:
        """Open the root. Raises RepoError and OSError."""
        self.config = config
        self.identity = (config.root, config.hold_root().identity)
        self.shared = OneRoot(config, warn)
        self.shared.prepare()
        self.repositories = tuple(self.shared.open()[0])
        self._lock = threading.Lock()
        self._calls = 0
        self._is_left = False

    def enter(self) -> None:
        """Note that a call begins."""
        with self._lock:
            self._calls += 1

    def leave(self) -> None:
        """Note that a call has ended. Closes the root after the last one, if it is not served any more."""
        with self._lock:
            self._calls -= 1
            is_last = self._is_left and not self._calls
        # In a thread, so that the answer need not wait for it.
        if is_last and not start_daemon(threading.Thread(target=self.close, name="root-close")):
            self.close()

    def give_up(self) -> None:
        """Close the root as soon as no call is in it."""
        with self._lock:
            self._is_left = True
            is_idle = not self._calls
        if is_idle:
            self.close()

    def close(self) -> None:
        """Close what was opened. May wait for a refresh to stop."""
        for repository in self.repositories:
            repository.close()


@dataclass(frozen=True, slots=True)
class _Served:
    """A root under its name, with the tools that query it."""

    root: _OpenRoot
    names: tuple[str, ...]  # of all roots
    tools: Mapping[str, Tool]
    find_resources: Callable[[], Mapping[str, Tool]]  # the tools that answer requests about files, by method


@dataclass(frozen=True, slots=True)
class _Service:
    """The roots and toolsets that are served at one time."""

    roots: Mapping[str, _Served]  # by name, in the client's order
    refused: tuple[str, ...]  # why other roots are not served

    def list_roots(self, without: Collection[_OpenRoot] = ()) -> list[_OpenRoot]:
        """Return the roots in order, except some."""
        return [served.root for served in self.roots.values() if served.root not in without]

    def explain_absence(self) -> RepoError:
        """Return the answer to every call while nothing is served."""
        if self.refused:
            message = f"None of the client's roots can be served: {'; '.join(self.refused)}."
        else:
            message = "There is no repository: the client names no root, and it was not started in one."
        return RepoError(ErrorCode.NO_ROOT, message, HINT)

    def choose(self, name: object) -> tuple[str, _Served] | None:
        """Return the root that a call names, or the first for an unknown name; None if nothing is served.

        The tools of a root check the argument, so a wrong name is refused there.
        """
        for known, served in self.roots.items():
            if name == known:
                return known, served
        return next(iter(self.roots.items()), None)

    def note(self, chosen: str, name: object, known: str) -> tuple[str, ...]:
        """Return the note beside an answer of the root `chosen`. The client knows of `known`."""
        if len(self.roots) > 1:
            if name is not None:
                return ()
            others = ", ".join(encode_json(other) for other in self.roots if other != chosen)
            return (f"This answer is for the root {encode_json(chosen)}; `root` can name another: {others}.",)
        return () if chosen == known else (f"This answer is for the repository {encode_json(chosen)}.",)


_NOTHING = _Service({}, ())


class ServedRoots:
    """The roots that one server serves, as they change."""

    def __init__(self, config: Config, here: HeldDirectory | None, warn: Warn) -> None:
        """Serve the roots that `serve` names, or else `here`. `config` has no root of its own.

        Raises RepoError with CONFIG_INVALID where a toolset cannot be served.
        """
        self._config = config
        self._here = here
        self._warn = warn
        self._begin: Begin = _ignore
        self._change: ChangeSchemas = _ignore
        self._change_files: Callable[[], object] = _ignore
        self._guard = build_guard(config)
        self._lock = threading.Condition()
        self._uris: tuple[str, ...] = ()  # under the lock, as the three below
        self._wanted = self._done = 0  # numbers of the list of roots received last, and of the one served
        self._service: _Service | None = None
        self._is_following = False  # `_follow` runs
        self._is_closed = False
        self._known = ""  # the path of the root that, as the client knows, answers
        self._of_named_roots = load_toolsets(self._select(NAMED_ROOT_TOOLSETS), warn, guard=self._guard)
        self.toolsets = self._bind_all()

    def open_named_roots(self) -> list[Repository]:
        """Open the roots of toolsets that do not use the found ones. Raises RepoError and OSError."""
        return [repository for one in self._of_named_roots for repository in one.open()]

    def follow(self, begin: Begin, change: ChangeSchemas, change_files: Callable[[], object]) -> None:
        """Report changes to three callbacks.

        `begin` gets each opened repository and `change` the tools when their schemas change. `change_files`
        is called when other files are served than before.
        """
        self._begin, self._change, self._change_files = begin, change, change_files

    def serve(self, uris: tuple[str, ...], *, is_known: bool = False) -> None:
        """Serve these roots of the client from now on, or `here` for none. Returns at once.

        `is_known`: the instructions name `here`.
        """
        with self._lock:
            if is_known and self._here is not None:
                self._known = self._here.path
            self._uris = uris
            self._wanted += 1
            self._start_following()
            self._lock.notify_all()

    def _start_following(self) -> None:
        """Start the thread that opens roots, unless it runs. If the system refuses it, calls try again."""
        if not self._is_following:
            self._is_following = start_daemon(threading.Thread(target=self._follow, name="roots"))

    def close(self) -> None:
        """Close every root."""
        with self._lock:
            self._is_closed = True
            self._lock.notify_all()
            service, self._service = self._service, None
        run_beside(root.close for root in (service or _NOTHING).list_roots())

    # Calls

    def _bind_all(self) -> list[Toolset]:
        """Return the toolsets as they are listed.

        Their tools use whichever root is served when they are called.
        """
        named = {one.toolset.name: one.toolset for one in self._of_named_roots}
        toolsets = []
        for name in self._config.toolsets:
            if name in named:
                toolsets.append(named[name])
                continue
            bound: Toolset = find_binder(name)(self._config.limits, self._refuse, self._guard)
            tools = tuple(self._route(tool) for tool in bound.tools)
            toolsets.append(replace(bound, tools=tools, find_resources=self._route_resources))
        return toolsets

    def _refuse(self) -> NoReturn:
        """Raise the reason why nothing is served, for tools without a root."""
        if self._done != self._wanted:
            message = "The client's root could not be opened in time: its file system may hang."
            raise RepoError(ErrorCode.TIMEOUT, message, "Try again in 60 seconds, and tell the user.")
        raise (self._service or _NOTHING).explain_absence()

    def _route(self, tool: Tool) -> Tool:
        """Return the tool that forwards each call to the tool of the root that it names."""

        def call(arguments: Arguments, context: CallContext) -> ToolAnswer:
            name = arguments.get("root")
            entered = self._enter(name, context)
            if entered is None:
                return tool.call(arguments, context)
            chosen, served, notes = entered
            if served.names == (name,):  # the call follows the schema from when there were several roots
                arguments = {key: value for key, value in arguments.items() if key != "root"}
            try:
                root = chosen if len(served.names) > 1 else ""
                asked = replace(context, notes=notes, root=root) if notes or root else context
                answer = served.tools[tool.name].call(arguments, asked)
            finally:
                served.root.leave()
            if not answer.is_error:
                self._known = served.root.config.root
            return answer

        def drop(arguments: Arguments, context: CallContext) -> None:
            self._drop(arguments.get("root"), lambda served: served.tools[tool.name], arguments, context)

        return replace(tool, call=call, drop=drop)

    def _drop(
        self, name: object, find: Callable[[_Served], Tool], arguments: Arguments, context: CallContext
    ) -> None:
        """Tell a root of a call that the client cancelled before it began."""
        service = self._service
        chosen = None if service is None else service.choose(name)
        dropped = None if chosen is None else find(chosen[1]).drop
        if dropped is not None:
            dropped(arguments, context)

    def _route_resources(self) -> tuple[Tool, ...]:
        """Return the object that answers requests about files.

        A URI may name its root, and all roots are listed.
        """
        from repo_mcp.protocol.resources import LIST, READ, find_root, join_lists

        where_none = {
            tool.name: tool for tool in bind_root_resources(self._config.limits, self._refuse, self._guard)
        }

        def ask(method: str, name: str | None, arguments: Arguments, context: CallContext) -> ToolAnswer:
            entered = self._enter(name, context)
            if entered is None:
                return where_none[method].call(arguments, context)
            chosen, served, _ = entered
            try:
                names_root = name is not None or len(served.names) > 1
                asked = replace(context, root=chosen if names_root else "")
                return served.find_resources()[method].call(arguments, asked)
            finally:
                served.root.leave()

        def list_all(arguments: Arguments, context: CallContext) -> ToolAnswer:
            entered = self._enter(None, context)
            if entered is None:
                return where_none[LIST].call(arguments, context)
            _, served, _ = entered
            served.root.leave()
            names = served.names if len(served.names) > 1 else (None,)
            return join_lists([ask(LIST, name, arguments, context) for name in names])

        def read(arguments: Arguments, context: CallContext) -> ToolAnswer:
            return ask(READ, find_root(arguments.get("uri")), arguments, context)

        def drop(method: str, arguments: Arguments, context: CallContext) -> None:
            self._drop(
                find_root(arguments.get("uri")),
                lambda served: served.find_resources()[method],
                arguments,
                context,
            )

        return (
            replace(where_none[LIST], call=list_all, drop=partial(drop, LIST)),
            replace(where_none[READ], call=read, drop=partial(drop, READ)),
        )

    def _enter(self, name: object, context: CallContext) -> tuple[str, _Served, tuple[str, ...]] | None:
        """Wait until the latest roots are open, and enter the one that a call names; None without any."""
        patience = self._config.call_timeout_seconds or math.inf
        deadline = time.monotonic() + patience
        with self._lock:
            while self._service is None or self._done != self._wanted:
                if context.cancelled() or time.monotonic() > deadline:
                    return None
                if self._wanted:
                    self._start_following()
                self._lock.wait(POLL_SECONDS)
            service = self._service
            found = service.choose(name)
            if found is None:
                return None
            chosen, served = found
            served.root.enter()
            is_known = served.root.config.root == self._known
            return chosen, served, service.note(chosen, name, chosen if is_known else "")

    # Roots

    def _follow(self) -> None:
        """Serve the latest roots, again after each change. Runs in a thread of its own."""
        while True:
            with self._lock:
                while self._done == self._wanted and not self._is_closed:
                    self._lock.wait()
                if self._is_closed:
                    return
                wanted, uris, before = self._wanted, self._uris, self._service or _NOTHING
            try:
                after = self._open_service(uris, before)
            except Exception as defect:  # calls must not wait for ever
                log_defect("roots", "roots/list", defect)
                after = _Service({}, ("the server failed on them",))
            opened = after.list_roots(without=before.list_roots())
            if not self._publish(after, wanted):
                for root in opened:
                    root.close()
                return
            self._begin([repository for root in opened for repository in root.repositories])
            self._show_roots(before, after)
            if before is not _NOTHING and before.list_roots() != after.list_roots():
                self._change_files()
            for root in before.list_roots(without=after.list_roots()):
                root.give_up()

    def _publish(self, service: _Service, number: int) -> bool:
        """Let a service answer calls from now on. Return False when no more calls come."""
        with self._lock:
            if self._is_closed:
                return False
            self._service, self._done = service, number
            self._lock.notify_all()
            return True

    def _show_roots(self, before: _Service, after: _Service) -> None:
        """Change the schemas of the tools if `root` may have other names than before."""
        names = [list(one.roots) if len(one.roots) > 1 else [] for one in (before, after)]
        if names[0] == names[1]:
            return
        tools = name_tools(self.toolsets)
        for served in [*after.roots.values()][:1]:
            for name, bound in served.tools.items():
                tools[name] = replace(tools[name], input_schema=bound.input_schema)
        self._change(tuple(tools.values()))

    def _open_service(self, uris: Sequence[str], before: _Service) -> _Service:
        """Open the roots to be served that are not open yet. Refuse those that cannot be opened."""
        found = open_directories(uris) if uris else ClientDirectories((self._here,) if self._here else (), ())
        opened = {root.identity: root for root in before.list_roots()}
        roots, refused = {}, list(found.refused)
        for held in found.served:
            try:
                same = opened.get((held.path, held.identity))
                roots[held.path] = same or self._open_root(held, len(found.served))
            except (RepoError, OSError) as fault:
                why = fault.message if isinstance(fault, RepoError) else "it cannot be opened."
                refused.append(f"{encode_json(os.path.basename(held.path))}: {why.rstrip('.')}")
        paths = name_directories(roots)
        names = tuple(paths)
        served = {name: self._bind(roots[path], names) for name, path in paths.items()}
        for why in refused:
            self._warn(f"A root of the client is not served: {why}.")
        return _Service(served, tuple(refused))

    def _open_root(self, held: HeldDirectory, count: int) -> _OpenRoot:
        """Open one of `count` roots. Raises RepoError and OSError."""
        config = self._config
        data_dir = config.data_dir
        if data_dir is not None:  # one for each root: neither log nor bundle of another is to be seen
            data_dir = os.path.join(data_dir, hashlib.blake2b(os.fsencode(held.path)).hexdigest()[:16])
        own = replace(
            self._select(frozenset(config.toolsets) - NAMED_ROOT_TOOLSETS),
            root=held.path,
            held_roots=(held,),
            data_dir=data_dir,
            workers=config.workers or max(1, config.chosen_workers() // count),
            memory_mb=max(LEAST_MEMORY_MB, config.memory_mb // count),
        )
        return _OpenRoot(own, self._warn)

    def _bind(self, root: _OpenRoot, names: tuple[str, ...]) -> _Served:
        loaded = load_toolsets(root.config, self._warn, one_root=root.shared, guard=self._guard, roots=names)
        for one in loaded:
            one.open()
        toolsets = [one.toolset for one in loaded]

        @cache
        def find_resources() -> Mapping[str, Tool]:
            from repo_mcp.protocol.resources import join_resources  # of no use to most clients

            return join_resources(toolsets)

        return _Served(root, names, name_tools(toolsets), find_resources)

    def _select(self, toolsets: frozenset[str]) -> Config:
        return replace(
            self._config, toolsets=tuple(name for name in self._config.toolsets if name in toolsets)
        )


def _ignore(*_anything: object) -> None:
    return None

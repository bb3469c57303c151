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
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, NoReturn

from repo_mcp.config.client_directories import ClientDirectories, name_directories, open_directories
from repo_mcp.config.server_config import LEAST_MEMORY_MB, NAMED_ROOT_TOOLSETS, Config
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.protocol.frames import encode_json
from repo_mcp.protocol.tool_model import CallContext, Tool, ToolAnswer, Toolset, name_tools
from repo_mcp.record_classes import replace
from repo_mcp.serving.root_set import OpenRoot, RootSet, ServedRoot
from repo_mcp.serving.toolset_loader import Warn, bind_root_resources, build_guard, find_binder, load_toolsets
from repo_mcp.storage.held_directory import HeldDirectory
from repo_mcp.threads import run_beside, start_daemon
from repo_mcp.toolsets.answers import log_defect

if TYPE_CHECKING:
    from repo_mcp.repository import Repository

Arguments = Mapping[str, object]
Begin = Callable[[Sequence["Repository"]], object]  # given what was opened, to have it refreshed
ChangeSchemas = Callable[[Sequence[Tool]], object]

POLL_SECONDS = 0.05  # how often a call that waits for its root looks whether it was cancelled


_NOTHING = RootSet({}, ())


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
        self._root_set: RootSet | None = None
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
            root_set, self._root_set = self._root_set, None
        run_beside(root.close for root in (root_set or _NOTHING).list_roots())

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
            toolsets.append(replace(bound, tools=tools, find_resources=self._route_files))
        return toolsets

    def _refuse(self) -> NoReturn:
        """Raise the reason why nothing is served, for tools without a root."""
        if self._done != self._wanted:
            message = "The client's root could not be opened in time: its file system may hang."
            raise RepoError(ErrorCode.TIMEOUT, message, "Try again in 60 seconds, and tell the user.")
        raise (self._root_set or _NOTHING).explain_absence()

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
        self, name: object, find: Callable[[ServedRoot], Tool], arguments: Arguments, context: CallContext
    ) -> None:
        """Tell a root of a call that the client cancelled before it began."""
        root_set = self._root_set
        chosen = None if root_set is None else root_set.choose(name)
        dropped = None if chosen is None else find(chosen[1]).drop
        if dropped is not None:
            dropped(arguments, context)

    def _route_files(self) -> tuple[Tool, ...]:
        """Return the tools that answer requests about files of all roots."""
        # Imported here, as most clients do not ask for files.
        from repo_mcp.serving.routed_files import RoutedFiles

        where_none = bind_root_resources(self._config.limits, self._refuse, self._guard)
        return RoutedFiles(where_none, self._enter, self._drop).bind()

    def _enter(self, name: object, context: CallContext) -> tuple[str, ServedRoot, tuple[str, ...]] | None:
        """Wait until the latest roots are open, and enter the one that a call names; None without any."""
        patience = self._config.call_timeout_seconds or math.inf
        deadline = time.monotonic() + patience
        with self._lock:
            while self._root_set is None or self._done != self._wanted:
                if context.cancelled() or time.monotonic() > deadline:
                    return None
                if self._wanted:
                    self._start_following()
                self._lock.wait(POLL_SECONDS)
            root_set = self._root_set
            found = root_set.choose(name)
            if found is None:
                return None
            chosen, served = found
            served.root.enter()
            is_known = served.root.config.root == self._known
            return chosen, served, root_set.note(chosen, name, chosen if is_known else "")

    # Roots

    def _follow(self) -> None:
        """Serve the latest roots, again after each change. Runs in a thread of its own."""
        while True:
            with self._lock:
                while self._done == self._wanted and not self._is_closed:
                    self._lock.wait()
                if self._is_closed:
                    return
                wanted, uris, before = self._wanted, self._uris, self._root_set or _NOTHING
            try:
                after = self._open_root_set(uris, before)
            except Exception as defect:  # calls must not wait for ever
                log_defect("roots", "roots/list", defect)
                after = RootSet({}, ("the server failed on them",))
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

    def _publish(self, root_set: RootSet, number: int) -> bool:
        """Let these roots answer calls from now on. Return False when no more calls come."""
        with self._lock:
            if self._is_closed:
                return False
            self._root_set, self._done = root_set, number
            self._lock.notify_all()
            return True

    def _show_roots(self, before: RootSet, after: RootSet) -> None:
        """Change the schemas of the tools if `root` may have other names than before."""
        names = [list(one.roots) if len(one.roots) > 1 else [] for one in (before, after)]
        if names[0] == names[1]:
            return
        tools = name_tools(self.toolsets)
        for served in [*after.roots.values()][:1]:
            for name, bound in served.tools.items():
                tools[name] = replace(tools[name], input_schema=bound.input_schema)
        self._change(tuple(tools.values()))

    def _open_root_set(self, uris: Sequence[str], before: RootSet) -> RootSet:
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
        return RootSet(served, tuple(refused))

    def _open_root(self, held: HeldDirectory, count: int) -> OpenRoot:
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
        return OpenRoot(own, self._warn)

    def _bind(self, root: OpenRoot, names: tuple[str, ...]) -> ServedRoot:
        loaded = load_toolsets(root.config, self._warn, one_root=root.shared, guard=self._guard, roots=names)
        for one in loaded:
            one.open()
        toolsets = [one.toolset for one in loaded]

        @cache
        def find_resources() -> Mapping[str, Tool]:
            # Imported here, as most clients do not ask for files.
            from repo_mcp.protocol.resources import join_resources

            return join_resources(toolsets)

        return ServedRoot(root, names, name_tools(toolsets), find_resources)

    def _select(self, toolsets: frozenset[str]) -> Config:
        return replace(
            self._config, toolsets=tuple(name for name in self._config.toolsets if name in toolsets)
        )


def _ignore(*_anything: object) -> None:
    return None

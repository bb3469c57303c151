"""The reader's system calls on Windows: the functions of `repo_mcp.workspace.reader.posix`, by handle.

Windows has no call that opens a name beneath an open directory, so a path string is unavoidable.
It is made safe in two ways. Every directory on the way stays open in a handle that forbids renaming
and deleting it. And each opened handle is asked for its final path, which must be the directory's final
path plus the name, character for character except for case. A short name (`GIT~1`), a junction or a swap
in between fails that comparison. Nothing with a reparse point (symbolic link, junction, cloud
placeholder) is ever entered or read.

A directory's descriptor is its handle. All functions raise `OSError`. Streams, devices and
trailing dots are refused as text (`repo_mcp.workspace.reader.client_paths`).
"""

from __future__ import annotations

import errno
import os
import sys

from repo_mcp.workspace.reader.client_paths import check_windows_name

if sys.platform == "win32":
    import ctypes
    import msvcrt
    from ctypes import wintypes

    _GENERIC_READ = 0x80000000
    _FILE_LIST_DIRECTORY = 0x0001
    _SHARE_READ_WRITE = 0x1 | 0x2  # no FILE_SHARE_DELETE, so the directory cannot be renamed
    _SHARE_ALL = 0x1 | 0x2 | 0x4
    _OPEN_EXISTING = 3
    _FOLLOW = 0x02000000  # FILE_FLAG_BACKUP_SEMANTICS, without which no directory opens
    _NO_FOLLOW = _FOLLOW | 0x00200000  # FILE_FLAG_OPEN_REPARSE_POINT: a link itself, not its target
    _FILE_TYPE_DISK = 1
    _DIRECTORY = 0x10
    _REPARSE_POINT = 0x400
    _INVALID_HANDLE = ctypes.c_void_p(-1).value
    _LONGEST_PATH = 32_768  # characters, of an extended path

    class _FileInformation(ctypes.Structure):
        """BY_HANDLE_FILE_INFORMATION."""

        _fields_ = (
            ("attributes", wintypes.DWORD),
            ("created", wintypes.FILETIME),
            ("accessed", wintypes.FILETIME),
            ("written", wintypes.FILETIME),
            ("volume", wintypes.DWORD),
            ("size_high", wintypes.DWORD),
            ("size_low", wintypes.DWORD),
            ("links", wintypes.DWORD),
            ("index_high", wintypes.DWORD),
            ("index_low", wintypes.DWORD),
        )

    _kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
    _kernel32.CreateFileW.restype = wintypes.HANDLE
    _kernel32.CreateFileW.argtypes = (
        wintypes.LPCWSTR,
        wintypes.DWORD,
        wintypes.DWORD,
        wintypes.LPVOID,
        wintypes.DWORD,
        wintypes.DWORD,
        wintypes.HANDLE,
    )
    _kernel32.GetFinalPathNameByHandleW.restype = wintypes.DWORD
    _kernel32.GetFinalPathNameByHandleW.argtypes = (
        wintypes.HANDLE,
        wintypes.LPWSTR,
        wintypes.DWORD,
        wintypes.DWORD,
    )
    _kernel32.GetFileInformationByHandle.argtypes = (wintypes.HANDLE, ctypes.POINTER(_FileInformation))
    _kernel32.GetFileType.argtypes = (wintypes.HANDLE,)
    _kernel32.CloseHandle.argtypes = (wintypes.HANDLE,)

    def open_root(path: str) -> int:
        """Return a handle of the root. Links are followed only here: the operator named the root."""
        return _open_directory_at(path, _FOLLOW)

    def open_directory(parent: int, name: str) -> int:
        """Return a handle of the real directory `name` in `parent`."""
        wanted = _locate(parent, name)
        handle = _open_directory_at(wanted)
        if _final_path(handle).casefold() != wanted.casefold():
            close_directory(handle)
            raise OSError(errno.ENOENT, "another directory was reached")
        return handle

    def duplicate(directory: int) -> int:
        """Return a second handle of an open directory, which is closed separately."""
        return _open_directory_at(_final_path(directory))

    def open_file(parent: int, name: str) -> int:
        """Return a descriptor of the regular file `name`. Raises ELOOP for a link, ENXIO for other kinds."""
        wanted = _locate(parent, name)
        handle = _create(wanted, _GENERIC_READ, _SHARE_ALL)
        try:
            attributes = _attributes(handle)
            if attributes & _REPARSE_POINT:
                raise OSError(errno.ELOOP, "a reparse point")
            if attributes & _DIRECTORY or _kernel32.GetFileType(handle) != _FILE_TYPE_DISK:
                raise OSError(errno.ENXIO, "not a regular file")
            if _final_path(handle).casefold() != wanted.casefold():
                raise OSError(errno.ENOENT, "another file was reached")
            return msvcrt.open_osfhandle(handle, os.O_RDONLY | os.O_BINARY | os.O_NOINHERIT)
        except BaseException:
            close_directory(handle)
            raise

    def lstat(parent: int, name: str) -> os.stat_result:
        """Return the status of the entry itself. Raises EACCES for a reparse point of any kind."""
        status = os.lstat(_locate(parent, name))
        if status.st_file_attributes & _REPARSE_POINT:
            raise OSError(errno.EACCES, "a reparse point")
        return status

    def read_link(parent: int, name: str) -> str:
        """Raise EACCES: links are refused on Windows, where text alone does not tell what a link leads to."""
        raise OSError(errno.EACCES, "links are not followed on Windows")

    def scan(directory: int) -> list[os.DirEntry[str]]:
        """Return the entries of an open directory, in the system's order."""
        with os.scandir(_final_path(directory)) as entries:
            return list(entries)

    def entry_name(entry: os.DirEntry[str]) -> str:
        """Return the entry's name; unpaired surrogates stay."""
        return entry.name

    def directory_stat(directory: int) -> os.stat_result:
        """Return the status of an open directory."""
        return os.lstat(_final_path(directory))

    def close_directory(directory: int) -> None:
        """Close the handle."""
        _kernel32.CloseHandle(directory)

    def _locate(parent: int, name: str) -> str:
        """Return the path of one name in an open directory. Raises PATH_INVALID for anything else."""
        check_windows_name(name)
        return f"{_final_path(parent)}\\{name}"

    def _open_directory_at(path: str, flags: int = _NO_FOLLOW) -> int:
        handle = _create(path, _FILE_LIST_DIRECTORY, _SHARE_READ_WRITE, flags)
        attributes = _attributes(handle)
        if attributes & _DIRECTORY and not attributes & _REPARSE_POINT:
            return handle
        close_directory(handle)
        raise OSError(errno.ENOTDIR, "not a real directory")

    def _create(path: str, access: int, share: int, flags: int = _NO_FOLLOW) -> int:
        handle = _kernel32.CreateFileW(path, access, share, None, _OPEN_EXISTING, flags, None)
        if handle is None or handle == _INVALID_HANDLE:
            raise ctypes.WinError(ctypes.get_last_error())
        return int(handle)

    def _attributes(handle: int) -> int:
        information = _FileInformation()
        if not _kernel32.GetFileInformationByHandle(handle, ctypes.byref(information)):
            raise ctypes.WinError(ctypes.get_last_error())
        return int(information.attributes)

    def _final_path(handle: int) -> str:
        buffer = ctypes.create_unicode_buffer(_LONGEST_PATH)
        length = _kernel32.GetFinalPathNameByHandleW(handle, buffer, _LONGEST_PATH, 0)
        if not 0 < length < _LONGEST_PATH:
            raise ctypes.WinError(ctypes.get_last_error())
        return buffer.value

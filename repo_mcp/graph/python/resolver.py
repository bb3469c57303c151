"""The Python resolver: the meaning of names in Python files.

A bare name is looked up through scopes and imports. An attribute is looked up in the value before it, as far
as that is known. If nothing is known of it, the only member of that name in the repository is probable, and
several are possible. Names that builtin types or popular modules have are never guessed.

`COMMON_NAMES` has the members of the builtin types and of the most used classes of the standard library, and
words that many programs use for members.

Left out on purpose: whatever depends on values, on `setattr`, or on decorators that replace their target.
"""

from __future__ import annotations

from repo_mcp.graph.program import (
    NOTHING,
    SURENESS,
    UNCOUNTED,
    Confidence,
    Declaration,
    Program,
    Resolution,
    Target,
)
from repo_mcp.graph.python.evaluator import PythonEvaluator
from repo_mcp.graph.python.modules import qualified_module
from repo_mcp.graph.python.names import Imported, PythonNames, find_scope, is_private
from repo_mcp.graph.python.outside import is_any_type, is_made_up
from repo_mcp.graph.python.replacements import PythonReplacements
from repo_mcp.graph.python.scoping import Form, PythonScoping, Value
from repo_mcp.lru_cache import LruCache
from repo_mcp.symbols.model import AROUND_CLASS, AS_KEYWORD, OF_CLASS, REPLACED
from repo_mcp.symbols.symbol_record import Reference, ReferenceRole, SymbolFlag, SymbolKind, SymbolRecord
from repo_mcp.text.roles import is_test_path

__all__ = ["PythonResolver", "qualified_module"]

MAX_KEPT = 50_000  # cached names
MAX_TARGETS = 8
MAX_GUESSES = 5  # members of one name worth listing
MAX_GUESS_FILES = 20
_TYPE_ROLES = frozenset({ReferenceRole.TYPE, ReferenceRole.ACCEPT})
_MEMBERS = frozenset({SymbolKind.METHOD, SymbolKind.PROPERTY, SymbolKind.FUNCTION})
_TEXT = """
    BOOLEAN_STATES CDATA_CONTENT_ELEMENTS CRC DataError DatabaseError Error FileHeader IntegrityError
    InterfaceError InternalError KEYWORD_ONLY NONSPACECRE NotSupportedError OPEN_METH OPTCRE OPTCRE_NV
    OperationalError OutputString POSITIONAL_ONLY POSITIONAL_OR_KEYWORD ProgrammingError SECTCRE T
    VAR_KEYWORD VAR_POSITIONAL VERSION Warning absolute accept aclose acquire add addClassCleanup
    addCleanup addError addExpectedFailure addFailure addFilter addHandler addSkip addSubTest addSuccess
    addTest addTests addTypeEqualityFunc addUnexpectedSuccess add_alternative add_argument
    add_argument_group add_attachment add_done_callback add_header add_mutually_exclusive_group add_note
    add_option add_option_group add_options add_reader add_related add_section add_signal_handler
    add_subparsers add_writer addfile adjusted ag_await ag_code ag_frame ag_running alive all anchor
    annotation append appendleft apply_defaults args arguments arraysize as_bytes as_integer_ratio
    as_posix as_string as_tuple as_uri asend assertAlmostEqual assertAlmostEquals assertCountEqual
    assertDictContainsSubset assertDictEqual assertEqual assertEquals assertFalse assertGreater
    assertGreaterEqual assertIn assertIs assertIsInstance assertIsNone assertIsNot assertIsNotNone
    assertLess assertLessEqual assertListEqual assertLogs assertMultiLineEqual assertNoLogs
    assertNotAlmostEqual assertNotAlmostEquals assertNotEqual assertNotEquals assertNotIn
    assertNotIsInstance assertNotRegex assertNotRegexpMatches assertRaises assertRaisesRegex
    assertRaisesRegexp assertRegex assertRegexpMatches assertSequenceEqual assertSetEqual assertTrue
    assertTupleEqual assertWarns assertWarnsRegex assert_ assert_any_call assert_called
    assert_called_once assert_called_once_with assert_called_with assert_has_calls assert_not_called
    astimezone astype at_eof atexit athrow attach attach_mock attrib auto_open backup begin betavariate
    bind bind_partial bit_count bit_length blobopen body buffer buffer_info build bytes bytes_le
    byteswap bz2open c_contiguous call callHandlers call_args call_args_list call_at call_count
    call_exception_handler call_later call_soon call_soon_threadsafe callback called can_write_eof
    cancel cancelled cancelling canonical capitalize casefold cast center characters_written
    check_for_whole_start_tag check_returncode check_unused_args check_values chksum chmod choice
    choices chown clear clear_cdata_mode clear_content clock_seq clock_seq_hi_variant clock_seq_low
    close closed closefd co_argcount co_cellvars co_code co_consts co_exceptiontable co_filename
    co_firstlineno co_flags co_freevars co_kwonlyargcount co_lines co_linetable co_lnotab co_name
    co_names co_nlocals co_positions co_posonlyargcount co_qualname co_stacksize co_varnames code
    coded_value combine comment commit communicate compare compare_signal compare_total
    compare_total_mag compress_size compress_type config configure_mock conjugate connect
    connect_accepted_socket connect_ex connect_read_pipe connect_write_pipe connection connection_lost
    connection_made content contiguous convert_arg_line_to_args convert_field converter converters copy
    copy_abs copy_negate copy_sign count countTestCases cr_await cr_code cr_frame cr_origin cr_running
    cr_suspended create createLock create_aggregate create_collation create_connection
    create_datagram_endpoint create_function create_future create_gnu_header create_pax_global_header
    create_pax_header create_server create_system create_task create_unix_connection create_unix_server
    create_ustar_header create_version create_window_function critical ctime cursor cwd daemon data
    data_received date date_time day days debug debuglevel decode default defaultTestResult
    default_exception_handler default_factory default_msec_format default_port default_time_format
    defaults del_param delete deleter denominator dereference description deserialize destroy detach
    devmajor devminor difference difference_update digest disable_interspersed_args discard
    doClassCleanups doCleanups done drain drive dst dtype dump dumps dup elements emit empty
    enable_interspersed_args encode encoding end end_lineno end_offset endheaders endpos endswith
    enterClassContext enterContext enter_context eof_received errno error errorlevel errors exception
    execute executemany executescript exists exit exp expand expand_prog_name expandtabs expanduser
    expovariate extend extendleft external_attr extra extract extract_version extractall extractfile
    extraction_filter f_back f_builtins f_code f_contiguous f_globals f_lasti f_lineno f_locals f_trace
    f_trace_lines f_trace_opcodes fail failIf failIfAlmostEqual failIfEqual failUnless
    failUnlessAlmostEqual failUnlessEqual failUnlessRaises failureException family fatal feed feed_data
    feed_eof fetchall fetchmany fetchone fieldnames fields file_size filename filename2 fileno
    fileobject filter find findCaller findall finditer findtext first flag_bits flags flush fma fold
    format formatException formatMessage formatStack formatTime format_description format_epilog
    format_field format_help format_map format_option_help format_usage fp fragment from_bytes
    from_callable from_decimal from_file from_float frombuf frombytes fromfile fromhex fromisocalendar
    fromisoformat fromkeys fromlist fromordinal fromtarfile fromtimestamp fromunicode fromutc full
    fullmatch gammavariate gauss get getChild getEffectiveLevel getMessage getName get_all get_body
    get_boundary get_charset get_charsets get_content get_content_charset get_content_disposition
    get_content_maintype get_content_subtype get_content_type get_coro get_debug get_default
    get_default_type get_default_values get_description get_exception_handler get_extra_info get_field
    get_filename get_info get_inheritable get_loop get_name get_nowait get_option get_option_group
    get_param get_params get_payload get_prog_name get_stack get_starttag_text get_task_factory
    get_unixfrom get_usage get_value get_version getaddrinfo getblocking getboolean getbuffer getcode
    getfloat getheader getheaders getinfo getint getlimit getmember getmembers getnameinfo getnames
    getpeername getpos getrandbits getresponse getroot getsockname getsockopt getstate gettarinfo getter
    gettimeout geturl getvalue gi_code gi_frame gi_running gi_suspended gi_yieldfrom gid glob gname
    goahead group groupdict groupindex groups gzopen handle handleError handle_charref handle_comment
    handle_data handle_decl handle_endtag handle_entityref handle_pi handle_startendtag handle_starttag
    handlers hardlink_to hasHandlers has_option has_section header_offset headers hex hexdigest home
    hostname hour id ident ignore_zeros imag in_transaction index indices info infolist init insert int
    internal_attr interrupt intersection intersection_update isDaemon isEnabledFor isReservedKey isSet
    is_absolute is_alive is_attachment is_block_device is_canonical is_char_device is_closed is_closing
    is_dir is_fifo is_file is_finite is_infinite is_integer is_mount is_multipart is_nan is_normal
    is_qnan is_relative_to is_reserved is_running is_safe is_set is_signed is_snan is_socket
    is_subnormal is_symlink is_zero isalnum isalpha isascii isatty isblk ischr isclosed isdecimal isdev
    isdigit isdir isdisjoint isfifo isfile isidentifier islnk islower isnumeric isocalendar isoformat
    isolation_level isoweekday isprintable isreg isspace issparse issubset issuperset issym istitle
    isupper item items itemsize iter iter_attachments iter_parts iter_unpack iterdir iterdump iterfind
    itertext join joinpath js_output key keys kill kind kwargs label last lastgroup lastindex lastrowid
    lchmod level limit_denominator line_buffering lineno link_to linkname linkpath list listen ljust ln
    load loads log log10 logb logical_and logical_invert logical_or logical_xor lognormvariate
    longMessage lower lstat lstrip main makeRecord make_alternative make_mixed make_related makedev
    makedir makeelement makefifo makefile makelink maketrans makeunknown manager map match max maxDiff
    max_mag maxlen maxsize mean message method microsecond microseconds min min_mag minute mkdir
    mock_add_spec mock_calls mode month most_common move_to_end msg mtime name namelist native_id nbytes
    ndim netloc new new_child newlines next next_minus next_plus next_toward node normalize
    normalvariate notify notifyAll notify_all now number_class numerator obj offset offset_data open
    options optionxform orig_filename output owner pack pack_into parameters params parent parents
    paretovariate parse parse_args parse_bogus_comment parse_comment parse_declaration parse_endtag
    parse_html_declaration parse_intermixed_args parse_known_args parse_known_intermixed_args
    parse_marked_section parse_pi parse_starttag partition parts password path pattern pause_writing
    pax_headers peek pid poll pop pop_all popitem popleft port pos printErrors print_file_and_line
    print_help print_stack print_usage print_version printdir process proto push put put_nowait
    putheader putrequest qsize quantize query radix randbytes randint random randrange raw raw_items re
    read read1 read_bytes read_dict read_file read_string read_text readable readall readexactly readfp
    readinto readinto1 readline readlines readlink readonly readuntil real reconfigure recv recv_into
    recvfrom recvfrom_into recvmsg recvmsg_into register regs relative_to release remainder_near remove
    removeFilter removeHandler remove_done_callback remove_option remove_reader remove_section
    remove_signal_handler remove_writer removeprefix removesuffix rename render replace replace_header
    request reserved reset reset_mock reshape resolution resolve response response_class result results
    resume_writing return_annotation return_value returncode reverse rfind rglob rindex rjust rmdir
    rollback root rotate row_factory rowcount rpartition rsplit rstrip run run_forever run_in_executor
    run_until_complete running same_quantum samefile sample save scaleb scanner scheme search second
    seconds sections seed seek seekable send send_signal sendall sendfile sendmsg sendmsg_afalg sendto
    serialize set setDaemon setFormatter setLevel setName setStream setUp setUpClass set_authorizer
    set_boundary set_cdata_mode set_charset set_conflict_handler set_content set_debug set_debuglevel
    set_default set_default_executor set_default_type set_defaults set_description set_exception
    set_exception_handler set_inheritable set_name set_param set_payload set_process_default_values
    set_progress_handler set_raw set_result set_running_or_notify_cancel set_task_factory
    set_trace_callback set_transport set_tunnel set_type set_unixfrom set_usage setblocking setdefault
    setinputsizes setlimit setoutputsize setpassword setsockopt setstate setter settimeout settings
    setup shape shift shortDescription shuffle shutdown shutdown_asyncgens shutdown_default_executor
    side_effect signature size skipTest sock_accept sock_connect sock_recv sock_recv_into sock_recvfrom
    sock_recvfrom_into sock_sendall sock_sendfile sock_sendto sort span sparse split splitlines sqrt
    standard_option_list start startTest startTestRun start_tls startswith stat status status_code
    stderr stdin stdout stem step stop stopTest stopTestRun strerror strftime strides string strip
    strptime sub subTest submit subn suboffsets subprocess_exec subprocess_shell subtract suffix
    suffixes sum swapcase symlink_to symmetric_difference symmetric_difference_update tag tail tarfile
    tarinfo taropen task_done tb_frame tb_lasti tb_lineno tb_next tearDown tearDownClass tell terminate
    terminator test testzip text text_factory throw time time_hi_version time_low time_mid timeout
    timestamp timetuple timetz title to_bytes to_eng_string to_integral to_integral_exact
    to_integral_value tobuf tobytes today tofile tolist toordinal toreadonly total total_changes
    total_seconds touch tounicode translate transport triangular truncate type typecode tzinfo tzname
    uid uname uncancel uniform union universal_newlines unknown_decl unlink unpack unpack_from update
    updatepos upper url urn user username usesTime utcfromtimestamp utcnow utcoffset utctimetuple utime
    validate value values variant version vformat volume vonmisesvariate wait wait_closed wait_for walk
    warn warning wasSuccessful weekday weibullvariate with_name with_stem with_suffix with_traceback
    writable write write_bytes write_c14n write_eof write_text write_through writeheader writelines
    writerow writerows writestr xzopen year zfill
"""

COMMON_NAMES = frozenset(_TEXT.split())


class PythonResolver:
    """Resolves references of Python files. It caches what it learns, so each snapshot needs its own."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._scoping = PythonScoping(program)
        self._evaluator = PythonEvaluator(self._scoping)
        self._replacements = PythonReplacements(program, self._scoping, self._evaluator.classes)
        self._guesses: LruCache[str, tuple[Declaration, ...]] = LruCache(MAX_KEPT)

    def resolve(self, path: str, record: SymbolRecord, reference: Reference) -> Resolution:
        """Return the meaning of a reference, which must come from the program's own record of the file."""
        names = self._scoping.find_names(path)
        if names is None or reference.role is ReferenceRole.BIND:
            return NOTHING
        if reference.role is ReferenceRole.IMPORT:
            return NOTHING if reference.alias[:1] == REPLACED else self._import(path, reference)
        if reference.role is ReferenceRole.EXPORT:
            return self._export(path, reference)
        if not reference.qualifier:
            is_base = reference.role is ReferenceRole.INHERIT
            ordinal = own = find_scope(names, reference.symbol)
            if _is_not_yet_bound(names, reference):
                ordinal = names.parents[ordinal]
            while reference.alias == AROUND_CLASS and names.is_class(ordinal):
                ordinal = names.parents[ordinal]
            found = self._scoping.look_up(
                path,
                ordinal,
                reference.name,
                is_base,
                reference.alias == OF_CLASS,
                reference.line if ordinal == own else 0,
                as_type=reference.role in _TYPE_ROLES,
            )
            return self._conclude(path, found)
        return self._attribute(path, names, reference)

    def _import(self, path: str, reference: Reference) -> Resolution:
        if reference.name in ("", "*"):
            module = self._scoping.modules.find_module(path, reference.qualifier)
            if module is not None:
                return self._conclude(path, [Value(Form.MODULE, module)])
            external = "" if reference.qualifier.startswith(".") else reference.qualifier
            return Resolution((), external)
        imported = Imported(reference.symbol, reference.qualifier, reference.name, reference.line)
        return self._conclude(path, self._scoping.follow(path, imported, reference.alias))

    def _export(self, path: str, reference: Reference) -> Resolution:
        name = reference.qualifier if reference.name == "*" else reference.name
        return self._conclude(path, self._scoping.find_member(path, name))

    def _attribute(self, path: str, names: PythonNames, reference: Reference) -> Resolution:
        ordinal, name = reference.symbol, reference.name
        if reference.role is ReferenceRole.USE and reference.arguments == AS_KEYWORD:
            return self._find_field(path, reference)
        if name == "__class__":
            return Resolution((), "builtins.object.__class__")
        if reference.role is ReferenceRole.INHERIT:
            values = self._evaluator.classes.find_dotted(path, ordinal, f"{reference.qualifier}.{name}")
            if values:
                return self._conclude(path, values)
        members, is_known = self._find_members(path, reference)
        if members and self._may_be_ours(members, name):
            receiver = members[0].path.rpartition(".")[0]
            is_item = receiver.startswith("builtins")  # of a container, which may hold anything
            return self._guess(path, reference) if is_item or is_any_type(receiver) else NOTHING
        if len(members) == 1 and _is_declared_by(path, names, members[0], reference):
            return NOTHING
        if _is_replaced_before(names, reference):
            members = [one.guessed() if self._replacements.is_runnable(one) else one for one in members]
        is_found = any(one.form is not Form.OUTSIDE for one in members)
        if self._evaluator.is_conditional and not is_found:
            # The declared class of a variable may derive from the class that a condition tests.
            more, _ = self._find_members(path, reference, ignores_conditions=True)
            members = more or members
        return self._conclude(path, members) if members or is_known else self._guess(path, reference)

    def _may_be_ours(self, members: list[Value], name: str) -> bool:
        """Return whether members of external values of unknown type have a name that is declared here.

        Common names are taken for those of the external values.
        """
        if name in COMMON_NAMES or not all(one.form is Form.OUTSIDE for one in members):
            return False
        return any(is_made_up(one.path) for one in members) and bool(self._program.list_declaring(name))

    def _find_field(self, path: str, reference: Reference) -> Resolution:
        """Return the attribute that a keyword sets, of a class whose objects are made from its attributes.

        A class with a constructor of its own has parameters instead.
        """
        found: list[Value] = []
        made = self._evaluator.ask(path, reference.symbol, reference.qualifier, reference.line)
        for one in made or () if made and made[0].form is Form.INSTANCE else ():
            makers = self._evaluator.find_member(one, "__init__")
            members = self._evaluator.find_member(one, reference.name)
            if all(maker.form is Form.OUTSIDE for maker in makers):
                found += [member for member in members if self._is_attribute(member)]
        return self._conclude(path, found) if found else UNCOUNTED

    def _is_attribute(self, value: Value) -> bool:
        names = self._scoping.find_names_of(value)
        is_property = names is not None and names.kinds[value.ordinal] == SymbolKind.PROPERTY
        return is_property and names is not None and not names.is_function(value.ordinal)

    def _find_members(
        self, path: str, reference: Reference, *, ignores_conditions: bool = False
    ) -> tuple[list[Value], bool]:
        """Return the members that an attribute can mean, and whether its receiver is known."""
        members: list[Value] = []
        is_known = False
        receivers = self._evaluator.ask(
            path,
            reference.symbol,
            reference.qualifier,
            reference.line,
            ignores_conditions=ignores_conditions,
        )
        names = self._scoping.find_names(path)
        holder = names.find_class(reference.symbol) if names is not None else 0
        reader = (path, holder) if holder and is_private(reference.name) else None
        for receiver in receivers or ():
            members += self._evaluator.find_member(receiver, reference.name, reader)
            is_known |= self._is_known(receiver)
        return members, is_known

    def _is_known(self, value: Value) -> bool:
        """Return whether all members of a receiver are known."""
        if value.form is Form.OBJECT:
            return self._evaluator.classes.is_class(value)
        return True

    def _conclude(self, path: str, values: list[Value]) -> Resolution:
        targets: list[Target] = []
        external = ""
        has_other = any(one.form is Form.OUTSIDE for one in values)  # the external one may be meant instead
        is_one = len({(one.path, one.ordinal) for one in values}) < 2
        for value in values:
            if value.form is Form.OUTSIDE:
                external = external or value.path
            elif value.form in (Form.OBJECT, Form.MODULE) and not value.path.endswith("/"):
                is_certain = value.is_certain and not has_other and (is_one or not value.is_choice)
                is_certain = is_certain and not self._is_replaced(path, value)
                confidence = Confidence.EXACT if is_certain else Confidence.PROBABLE
                confidence = Confidence.POSSIBLE if value.is_open else confidence
                targets.append(Target(Declaration(value.path, value.ordinal), confidence))
        if targets:
            return Resolution(_take_surest(targets)[:MAX_TARGETS])
        return Resolution((), external.replace("()", "").replace("[]", ""))

    def _is_replaced(self, path: str, value: Value) -> bool:
        return value.form is Form.OBJECT and self._replacements.is_replaced(path, value)

    def _guess(self, path: str, reference: Reference) -> Resolution:
        """Return members of classes found by their name alone."""
        name = reference.name
        if name in COMMON_NAMES or (name.startswith("__") and name.endswith("__")):
            return NOTHING
        # What a test declares is never guessed for another file.
        members = self._guesses.get(name, lambda: self._list_members(name))
        found = [one for one in members if one.path == path or not is_test_path(one.path)]
        if not found or len(found) > MAX_GUESSES:
            return NOTHING
        is_likely = len(found) == 1 and self._fits(found[0], reference)
        confidence = Confidence.PROBABLE if is_likely else Confidence.POSSIBLE
        return Resolution(tuple(Target(one, confidence) for one in found))

    def _fits(self, declaration: Declaration, reference: Reference) -> bool:
        """Return True for a method or property; for an attribute only if the receiver is named like its
        class.

        Settings and records have attributes of any name, and their receivers are often dynamic.
        """
        names = self._scoping.find_names(declaration.path)
        if names is None:
            return False
        if names.is_function(declaration.ordinal):
            return True
        record = names.record
        owner = record.get_symbol(names.parents[declaration.ordinal]).name
        receiver = reference.qualifier.rpartition(".")[2]
        return receiver.strip("_").replace("_", "").lower() == owner.strip("_").lower()

    def _list_members(self, name: str) -> tuple[Declaration, ...]:
        """Return the class members with a name, by path; empty when too many files declare some."""
        paths = [
            one for one in self._program.list_declaring(name) if self._program.find_language(one) == "python"
        ]
        if len(paths) > MAX_GUESS_FILES:
            return ()
        found: list[Declaration] = []
        for path in paths:
            names = self._scoping.find_names(path)
            if names is None:
                continue
            members: dict[int, int] = {}  # by class, so that of overloads only the one that runs counts
            for ordinal in names.record.find_symbols(name):
                owner = names.parents[ordinal]
                if not names.is_class(owner) or names.kinds[ordinal] not in _MEMBERS:
                    continue
                if owner not in members or int(names.record.flags[members[owner]]) & SymbolFlag.FORWARD:
                    members[owner] = ordinal
            found += (Declaration(path, ordinal) for ordinal in members.values())
        return tuple(found)


def _take_surest(targets: list[Target]) -> tuple[Target, ...]:
    """Return the targets in order, each once, with the confidence of the surest way to it."""
    found: dict[Declaration, Target] = {}
    for target in targets:
        known = found.get(target.declaration)
        if known is None or SURENESS[target.confidence] < SURENESS[known.confidence]:
            found[target.declaration] = target
    return tuple(found.values())


def _is_declared_by(path: str, names: PythonNames, member: Value, reference: Reference) -> bool:
    """Return whether a reference is the assignment that declares the attribute."""
    if member.form is not Form.OBJECT or member.path != path or reference.role is not ReferenceRole.USE:
        return False
    is_property = names.kinds[member.ordinal] == SymbolKind.PROPERTY and not names.is_function(member.ordinal)
    return is_property and int(names.record.starts[member.ordinal]) == reference.line


def _is_replaced_before(names: PythonNames, reference: Reference) -> bool:
    """Return whether the function around a use assigns the same attribute of the same receiver above it."""
    rows = names.replaced.get(reference.name, ())
    place = find_scope(names, reference.symbol), reference.qualifier
    return any((one.symbol, one.qualifier) == place and one.line < reference.line for one in rows)


def _is_not_yet_bound(names: PythonNames, reference: Reference) -> bool:
    """Return whether a class body reads a name that it binds on that line: `limit: int = limit`."""
    ordinal = reference.symbol
    if not ordinal or not names.is_class(ordinal) or reference.role is not ReferenceRole.USE:
        return False
    declared = names.list_declared(ordinal, reference.name)
    return bool(declared) and all(int(names.record.starts[one]) == reference.line for one in declared)

"""Names of errors that a language itself raises, without a namespace before them.

In front of a message, such a name says what went wrong and not which type of the repository is meant. Left
out: names that programs commonly give to their own errors, as `ParseError` and `ConnectionError` are.
"""

from __future__ import annotations

_NAMES = """
AggregateError ArgumentError ArgumentException ArgumentNullException ArithmeticError ArithmeticException
ArrayIndexOutOfBoundsException AssertionError AttributeError BaseException BufferError ClassCastException
ClassNotFoundException DOMException DivisionByZeroError EOFError Error EvalError Exception FileNotFoundError
FloatDomainError FormatException FrozenError IOError IOException IllegalArgumentException
IllegalStateException ImportError IndentationError IndexError IndexOutOfBoundsException
IndexOutOfRangeException InvalidCastException InvalidOperationException KeyError KeyNotFoundException
LookupError MemoryError ModuleNotFoundError NameError NegativeArraySizeException NoMethodError
NoSuchMethodError NotImplementedError NotImplementedException NotSupportedException NullPointerException
NullReferenceException NumberFormatException OSError ObjectDisposedException OutOfMemoryError OverflowError
OverflowException PermissionError RangeError RecursionError ReferenceError RuntimeError RuntimeException
StackOverflowError StandardError StopIteration StringIndexOutOfBoundsException SyntaxError SystemError
TypeError URIError UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnsupportedOperationException
ValueError ZeroDivisionError
"""
LANGUAGE_ERRORS = frozenset(_NAMES.split())

"""The protocols of Swift's standard library that its own types conform to, and the protocols they refine.

Left out on purpose: protocols that hardly any repository extends, and conformances with a condition, such as
that of an array to `Equatable`.
"""

from __future__ import annotations

from functools import cache

_ABOVE_TEXT = """
StringProtocol: BidirectionalCollection Comparable Hashable LosslessStringConvertible TextOutputStream
LosslessStringConvertible: CustomStringConvertible
RandomAccessCollection: BidirectionalCollection
BidirectionalCollection MutableCollection RangeReplaceableCollection: Collection
Collection LazySequenceProtocol: Sequence
LazyCollectionProtocol: Collection LazySequenceProtocol
Comparable Hashable AdditiveArithmetic SetAlgebra: Equatable
Strideable: Comparable
SignedNumeric: Numeric
Numeric: AdditiveArithmetic
BinaryInteger: Numeric Strideable Hashable CustomStringConvertible
FixedWidthInteger: BinaryInteger LosslessStringConvertible
SignedInteger: BinaryInteger SignedNumeric
UnsignedInteger: BinaryInteger
FloatingPoint: SignedNumeric Strideable Hashable
BinaryFloatingPoint: FloatingPoint
DataProtocol: RandomAccessCollection ContiguousBytes
MutableDataProtocol: DataProtocol MutableCollection RangeReplaceableCollection
LocalizedError CustomNSError: Error
Codable: Encodable Decodable

String Substring: StringProtocol RangeReplaceableCollection Codable
Character: Comparable Hashable LosslessStringConvertible
Array ArraySlice ContiguousArray: RandomAccessCollection MutableCollection RangeReplaceableCollection
Set: Collection SetAlgebra
Dictionary: Collection
Range ClosedRange: RandomAccessCollection RangeExpression
Data: MutableDataProtocol Hashable Codable
Bool: Hashable LosslessStringConvertible Codable
Int Int8 Int16 Int32 Int64: FixedWidthInteger SignedInteger Codable
UInt UInt8 UInt16 UInt32 UInt64: FixedWidthInteger UnsignedInteger Codable
Double Float CGFloat: BinaryFloatingPoint LosslessStringConvertible Codable
Date UUID: Comparable Hashable Codable CustomStringConvertible
URL: Hashable Codable CustomStringConvertible
"""
_ABOVE: dict[str, list[str]] = {
    name: line.partition(":")[2].split()
    for line in _ABOVE_TEXT.splitlines()
    for name in line.partition(":")[0].split()
}


@cache
def list_conformances(name: str) -> frozenset[str]:
    """Return the protocols that a type or protocol of the library conforms to, directly or not."""
    above = _ABOVE.get(name, [])
    return frozenset(above).union(*map(list_conformances, above))

"""Member names that .NET types have anyway: no member of the repository is guessed by them alone."""

from __future__ import annotations

import re

COMMON_MEMBERS = frozenset(
    re.findall(
        r"\w+",
        """
        Add AddRange All Any Append AppendLine AsSpan Average Cast Clear Clone Close Compare
        CompareTo Concat Contains ContainsKey Copy CopyTo Count Create Current Dispose DisposeAsync
        Distinct EndsWith Enqueue Dequeue Equals Exists Find First FirstOrDefault Flush ForEach
        Format Get GetAwaiter GetEnumerator GetHashCode GetType GetValue GroupBy HasValue IndexOf
        Insert Invoke Item Items Join Key Keys Last Length Max Message Min MoveNext Name Open
        OrderBy Parse Peek Pop Push Read ReadAsync ReadLine Remove RemoveAt Replace Reset Result
        Reverse Run Select SelectMany SequenceEqual Set SetValue Single SingleOrDefault Skip Slice
        Sort Split Start StartsWith Stop Substring Sum Take Task ToArray ToCharArray ToDictionary
        ToList ToLower ToLowerInvariant ToString ToUpper ToUpperInvariant Trim TrimEnd TrimStart
        TryAdd TryGetValue TryParse Type Union Value Values Wait Where Write WriteAsync WriteLine
        Year Id Data IsNullOrEmpty ConfigureAwait ContinueWith Equal True False NotNull Null Same
        Throws Empty Span Memory
        """,
    )
)

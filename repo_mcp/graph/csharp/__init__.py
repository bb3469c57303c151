"""Name resolution for C#: namespaces and usings, types, and the choice among overloads."""

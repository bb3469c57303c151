"""What names mean in C#: namespaces and usings, types, and the choice among overloads."""

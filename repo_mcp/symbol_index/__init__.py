"""The second index, of symbol records: who declares a name, who uses it, and what a file declares."""

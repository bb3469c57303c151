"""The symbol record: what one source file declares and which names it uses, as one compact record."""

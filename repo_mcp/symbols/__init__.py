"""The symbol record: what one source file declares and which names it uses, in compact form."""

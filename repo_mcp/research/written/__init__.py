"""Find what is written so in the tree: quoted texts, keys, changes of a database, sections of documents."""

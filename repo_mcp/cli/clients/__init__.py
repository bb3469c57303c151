"""Setting up clients: the clients known, the contents of their files, adding an entry and trying it."""

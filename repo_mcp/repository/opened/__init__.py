"""Choose the lines that are shown of what is opened: of a long declaration, and of what has some words."""

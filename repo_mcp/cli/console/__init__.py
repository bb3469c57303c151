"""Parts shared by the commands: options, terminals, pages of text, progress, and how a command ends."""

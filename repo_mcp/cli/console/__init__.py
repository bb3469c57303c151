"""What the commands share: options, terminals, pages of text, progress, and how a command ends."""

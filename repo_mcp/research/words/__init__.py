"""Find what a question in words is about, from the rooms below, and choose the lines that are shown."""

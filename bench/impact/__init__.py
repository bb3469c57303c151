"""Impact of real commits: of what a commit changed together, how much is told from its first file?"""

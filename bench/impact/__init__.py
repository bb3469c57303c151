"""The impact of real commits: how many files of a commit are predicted from its first file?"""

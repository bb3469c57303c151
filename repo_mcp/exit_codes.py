"""The exit codes of `repo-mcp` and of the server. This module imports nothing: both read it first."""

EXIT_DONE = 0
EXIT_NOTHING_FOUND = 1
EXIT_USAGE = 2  # an option, an argument or the configuration is wrong
EXIT_FAILURE = 3  # the repository or its index cannot be used, or `doctor` found a problem
EXIT_INTERRUPTED = 130  # as shells have it: 128 and the number of SIGINT

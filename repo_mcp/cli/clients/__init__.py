"""Setting up clients: which are known, what their files hold, and how an entry is added and tried."""

"""What can be configured, by whom, and what it is now. The only reader of the environment."""

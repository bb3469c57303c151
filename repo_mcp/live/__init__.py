"""Live indexes of one root: the opened generation of each, and the refreshes that renew it."""

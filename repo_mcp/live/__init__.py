"""Indexes of one root as they are now: the opened generation, and the refreshes that renew it."""

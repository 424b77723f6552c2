"""Middleware and settings of the server: which requests are allowed, and how much it does at a time."""

"""Hostile input, small enough for every run of the tests: messages, patterns, links and files."""

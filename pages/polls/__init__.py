"""Polls of a class: where they are kept, and what telephones are answered."""

"""Modules that pages share; none of them imports a topic."""

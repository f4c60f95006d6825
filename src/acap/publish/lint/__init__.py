"""Lint: what in a policy does not do what its author meant.

A rule is one file in `rules`, with its doc, its examples and, where one is safe, its fix.
"""

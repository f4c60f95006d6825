"""Measurements of reading and deciding."""

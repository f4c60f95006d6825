"""Readers of dialects that stand neither in robots.txt nor in pages, a file a dialect."""

"""The publisher's side: lint, format, convert, compare, compose, test."""

"""Integrations: the decisions where other people's programs expect them, a module for each."""

from __future__ import annotations

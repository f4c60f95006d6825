"""Retrieval: from a URL to the policy of its site, over a network that lies, stalls and breaks."""

from __future__ import annotations

from acap.retrieval.agent import user_agent
from acap.retrieval.answers import Answer, Failure, FailureKind, Headers, Hop, Meaning, Rules, meaning, values
from acap.retrieval.cache import CacheEntry, CacheError, MemoryCache, ResponseCache
from acap.retrieval.client import AsyncRetriever, Retriever
from acap.retrieval.exchange import Exchange, Reply, Request
from acap.retrieval.freshness import expires_at, is_fresh
from acap.retrieval.guard import AddressRefusedError, Passage, Resolver, system_resolver
from acap.retrieval.locations import canonical, robots_url
from acap.retrieval.plan import Timeouts
from acap.retrieval.retrieved import Retrieved
from acap.retrieval.store import SqliteCache, default_path
from acap.retrieval.transport import AsyncGuardedTransport, GuardedTransport

__all__ = [
    "AddressRefusedError",
    "Answer",
    "AsyncGuardedTransport",
    "AsyncRetriever",
    "CacheEntry",
    "CacheError",
    "Exchange",
    "Failure",
    "FailureKind",
    "GuardedTransport",
    "Headers",
    "Hop",
    "Meaning",
    "MemoryCache",
    "Passage",
    "Reply",
    "Request",
    "Resolver",
    "ResponseCache",
    "Retrieved",
    "Retriever",
    "Rules",
    "SqliteCache",
    "Timeouts",
    "canonical",
    "default_path",
    "expires_at",
    "is_fresh",
    "meaning",
    "robots_url",
    "system_resolver",
    "user_agent",
    "values",
]

"""The body of a response, read while it arrives: with httpx and with aiohttp."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing

import aiohttp
import httpx

from jsonspigot import Delta, deltas


async def with_httpx(url: str, pattern: str) -> AsyncIterator[Delta]:
    async with httpx.AsyncClient() as client, client.stream("GET", url) as response:
        async with aclosing(deltas(response.aiter_bytes(), pattern)) as pieces:
            async for delta in pieces:
                yield delta


async def with_aiohttp(url: str, pattern: str) -> AsyncIterator[Delta]:
    async with aiohttp.ClientSession() as session, session.get(url) as response:
        async with aclosing(deltas(response.content.iter_any(), pattern)) as pieces:
            async for delta in pieces:
                yield delta


def without_async(url: str, pattern: str) -> list[str]:
    with httpx.stream("GET", url) as response:
        return [delta.text for delta in deltas(response.iter_bytes(), pattern)]

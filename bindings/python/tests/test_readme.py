"""The README's code, block by block, and the examples."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parents[1]
BLOCKS = re.findall(r"^```python\n(.*?)^```", (HERE / "README.md").read_text(), re.M | re.S)
PEERS = ("jiter", "pydantic_core", "ijson", "json_stream", "partial_json_parser", "instructor", "pydantic")


def test_there_are_blocks() -> None:
    assert len(BLOCKS) >= 5
    assert len((HERE / "README.md").read_text().split()) <= 1_100


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_block(block: str) -> None:
    for peer in PEERS:
        if re.search(rf"^(import|from) {peer}\b", block, re.M):
            pytest.importorskip(peer)
    assert "assert" in block
    exec(compile(block, "README.md", "exec", dont_inherit=True), {"__name__": "readme"})


@pytest.mark.parametrize("name", ["first_delta", "typed"])
def test_example(name: str) -> None:
    path = HERE / "examples" / f"{name}.py"
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=True)
    assert {"first_delta": "'s your budget", "typed": "True Reply(say='Hello', mood=<Mood.GOODISH"}[name] in done.stdout


class Slow(BaseHTTPRequestHandler):
    pieces: list[bytes] = []

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-length", str(sum(map(len, self.pieces))))
        self.end_headers()
        for piece in self.pieces:
            self.wfile.write(piece)
            self.wfile.flush()

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def url() -> Iterator[str]:
    text = '{"say": "Grüße, Wörld 💍"}'.encode()
    Slow.pieces = [text[at : at + 1] for at in range(len(text))]
    server = ThreadingHTTPServer(("127.0.0.1", 0), Slow)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


def test_http_bodies(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("httpx")
    pytest.importorskip("aiohttp")
    monkeypatch.syspath_prepend(str(HERE / "examples"))
    import http_bodies

    async def joined(stream: Any) -> str:
        return "".join([delta.text async for delta in stream])

    assert asyncio.run(joined(http_bodies.with_httpx(url, "say"))) == "Grüße, Wörld 💍"
    assert asyncio.run(joined(http_bodies.with_aiohttp(url, "say"))) == "Grüße, Wörld 💍"
    assert "".join(http_bodies.without_async(url, "say")) == "Grüße, Wörld 💍"

"""A shopping assistant: the model's one call becomes questions that grow in the browser while the model still decides.
POST /chat {"message": …} answers with server-sent events. To run it: uvicorn shopping:app (needs anthropic, pydantic)."""

import json
import os
from collections.abc import AsyncIterator
from typing import Any

from anthropic import AsyncAnthropic
from pydantic import BaseModel, ValidationError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from jsonspigot import Delta, End, ProviderStream, StreamEvent


class Slot(BaseModel):
    message: str
    options: list[str] | None = None


class Reply(BaseModel):
    ask_slots: list[Slot] = []


TOOL: Any = {"name": "classify_and_assess", "description": "Ask.", "input_schema": Reply.model_json_schema()}


async def answer(message: str) -> AsyncIterator[str]:
    stream = ProviderStream("anthropic", ["ask_slots[*].message", "ask_slots[*].options"])
    chunks = await AsyncAnthropic().messages.create(
        model=os.environ.get("MODEL", "claude-opus-4-6"),
        max_tokens=1024,
        system="You are a shopping assistant.",
        messages=[{"role": "user", "content": message}],
        tools=[TOOL],
        tool_choice={"type": "tool", "name": TOOL["name"]},
        stream=True,
    )
    async for chunk in chunks:
        for event in stream.push(chunk):
            yield told(event)
    for event in stream.finish():
        yield told(event)


def told(event: StreamEvent) -> str:
    match event:
        case StreamEvent.Match(event=Delta(path=path, text=text)):
            return sse("delta", path=path, text=text)
        case StreamEvent.Match(event=End(path=path, value=options)) if path.endswith(".options"):
            return sse("options", path=path, options=options)
        case StreamEvent.CallEnd(status="complete", value=value):
            try:
                return sse("reply", **Reply.model_validate(value).model_dump())
            except ValidationError as error:
                return sse("error", message=str(error))
        case StreamEvent.CallEnd(status=status):  # Cut, or no JSON: never acted on.
            return sse("error", message=f"the call is {status}")
        case StreamEvent.ProviderError(message=message):
            return sse("error", message=message)
        case _:
            return ""


def sse(event: str, **data: Any) -> str:
    return f"event: {event}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"


async def chat(request: Request) -> StreamingResponse:
    return StreamingResponse(answer((await request.json())["message"]), media_type="text/event-stream")


app = Starlette(routes=[Route("/chat", chat, methods=["POST"])])

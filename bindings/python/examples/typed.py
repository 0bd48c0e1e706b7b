"""A pydantic model that fills while the text arrives."""

from enum import Enum

from pydantic import BaseModel

from jsonspigot import Parser


class Mood(Enum):
    GOOD = "good"
    GOODISH = "goodish"


class Reply(BaseModel):
    say: str = ""
    mood: Mood | None = None


parser = Parser(snapshots=True)
for chunk in ['{"say": "Hel', 'lo", "mood": "good', 'ish"}']:
    parser.feed(chunk)
    partial = parser.snapshot_as(Reply)
    if partial is not None:
        print(partial.complete, repr(partial.value))

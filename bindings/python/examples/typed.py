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


parser = Parser(model=Reply)
for chunk in ['{"say": "Hel', 'lo", "mood": "good', 'ish"}']:
    parser.feed(chunk)
    look = parser.look()
    if look is not None:
        print(look.complete, repr(look.value))

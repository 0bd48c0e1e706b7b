"""The texts that are measured: the same on every machine."""

import json
import random

MESSAGES = (
    "Great! What's your budget for this trip? A rough range is fine.",
    "Which colour do you like best, and is there one that you would never wear?",
    "Wie groß bist du ungefähr? Dann passt die Länge.",
    "Do you need it by a certain day, or may it take a week? 😀",
)


def tool_call() -> str:
    """A shopping assistant's questions: nested, short strings, escapes, emoji; 2.3 KB."""
    slots = [
        {
            "slot": f"slot_{number}",
            "message": MESSAGES[number % 4] + ' "Yes" or "no"\n',
            "options": [{"id": f"{number}-{option}", "label": f"Option {option}", "price": option * 9.99} for option in range(4)],
            "required": number % 2 == 0,
            "note": None,
        }
        for number in range(6)
    ]
    text = json.dumps({"ask_slots": slots, "done": False}, ensure_ascii=False)
    assert 2200 < len(text.encode()) < 2500, len(text.encode())
    return text


def long_text() -> str:
    """One object with one string of 64 KB."""
    words = "the quick brown fox jumps over the lazy dog and says that it is fine with it".split()
    rng = random.Random(1)
    text = ""
    while len(text) < 64 << 10:
        text += " ".join(rng.choices(words, k=12)).capitalize() + ".\n"
    return json.dumps({"title": "A story", "text": text[: 64 << 10]})


def records() -> str:
    """Alike records, 64 KB."""
    rng = random.Random(2)
    made = []
    while sum(map(len, made)) < 64 << 10:
        number = len(made)
        made.append(
            json.dumps(
                {
                    "id": 505874924095815681 + number,
                    "text": f"Record {number}: {rng.choice(MESSAGES)}",
                    "user": {"id": rng.randrange(10**9), "name": f"user{number}", "verified": rng.random() < 0.5},
                    "score": rng.random() * 100,
                    "tags": rng.sample(["a", "b", "c", "d"], 2),
                    "in_reply_to": None,
                },
                ensure_ascii=False,
            )
        )
    return '{"statuses": [' + ", ".join(made) + "]}"


PAYLOADS = {
    "tool call": (tool_call, "ask_slots[*].message"),
    "long text": (long_text, "text"),
    "records": (records, "statuses[*].text"),
}


def cut(text: str, size: str) -> list[str]:
    """Return the chunks: 1 to 8 characters as a model's tokens, 64 characters, or all at once."""
    if size == "whole":
        return [text]
    if size == "64":
        return [text[at : at + 64] for at in range(0, len(text), 64)]
    rng = random.Random(3)
    chunks, at = [], 0
    while at < len(text):
        length = rng.randint(1, 8)
        chunks.append(text[at : at + length])
        at += length
    return chunks


SIZES = ("1-8", "64", "whole")

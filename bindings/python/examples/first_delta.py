"""Ten lines to the first delta."""

from jsonspigot import deltas

chunks = ['{"ask_slots": [{"mess', 'age": "Great! What', "'s your budget", '?", "options": ["a"]}]}']

for delta in deltas(chunks, "ask_slots[*].message"):
    print(delta.path, repr(delta.text))

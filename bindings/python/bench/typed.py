"""What a typed look costs, after each chunk: `python bench/typed.py`. Ratios to what is done without this package: read the
text so far with `jiter`, and have pydantic validate it. The models have defaults throughout, because that recipe shows
nothing of a model whose required fields have not come; instructor's `Partial` and pydantic's own partial validation (of a
TypedDict: it drops nothing within models) read all of it again too. Each run reads several texts, cut at several places, so
that no branch is learnt by heart. Best of several runs, in process time.
"""

from __future__ import annotations

import gc
import json
import random
import time
from collections.abc import Callable
from typing import Any

import jiter
from instructor.dsl.partial import Partial as InstructorPartial
from pydantic import BaseModel, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from jsonspigot import Parser


class Slot(BaseModel):
    message: str = ""
    options: list[str] = []
    done: bool = False


class Turn(BaseModel):
    ask_slots: list[Slot] = []
    note: str = ""


class SlotDict(TypedDict, total=False):
    message: str
    options: list[str]
    done: bool


class TurnDict(TypedDict, total=False):
    ask_slots: list[SlotDict]
    note: str


#: Bytes of the text, and of each chunk.
SIZES = [(171, 4), (594, 4), (2_860, 4), (14_000, 40), (57_000, 200)]
CLOSED = [1_000, 100_000, 1_000_000]
Run = Callable[[list[str]], Any]


WORDS = "the quick brown fox jumps over a lazy dog and says that it is fine with it; 12 or 3? \n".split(" ")


def text_of(size: int, seed: int = 0) -> str:
    rng = random.Random(seed)

    def words(count: int) -> str:
        return " ".join(rng.choices(WORDS, k=rng.randint(1, 2 * count)))

    slots: list[Any] = []
    length = 0
    while not slots or length < size - 150:
        slots.append({"message": words(8), "options": [words(1), words(2)], "done": rng.random() < 0.5})
        length += len(json.dumps(slots[-1])) + 2
    turn = {"ask_slots": slots, "note": ""}
    return json.dumps({**turn, "note": "x" * max(0, size - len(json.dumps(turn)))})


def chunks_of(size: int, step: int) -> list[list[str]]:
    """Eight texts of about that size, in pieces of about that length."""
    made: list[list[str]] = []
    for seed in range(8):
        rng, text, at = random.Random(seed), text_of(size, seed), 0
        made.append([])
        while at < len(text):
            made[-1].append(text[at : at + rng.randint(1, 2 * step - 1)])
            at += len(made[-1][-1])
    return made


def ours(chunks: list[str]) -> Any:
    parser = Parser(snapshots=True, duplicate_keys="reject", retain="nothing")
    typed = parser.typed(Turn)
    look: Any = None
    for chunk in chunks:
        parser.feed(chunk)
        look = typed.look()
    return look.value


def naive(chunks: list[str]) -> Any:
    text, value = b"", None
    for chunk in chunks:
        text += chunk.encode()
        try:
            value = Turn.model_validate(jiter.from_json(text, partial_mode="trailing-strings"))
        except ValidationError:
            continue
    return value


def instructor(chunks: list[str]) -> Any:
    value = None
    for value in InstructorPartial[Turn].model_from_chunks(iter(chunks)):
        pass
    return Turn.model_validate(value.model_dump() if value is not None else {})


def pydantic_partial(chunks: list[str]) -> Any:
    adapter, text, value = TypeAdapter(TurnDict), b"", None
    for chunk in chunks:
        text += chunk.encode()
        try:
            value = adapter.validate_json(text, experimental_allow_partial="trailing-strings")
        except ValidationError:
            continue
    return Turn.model_validate(value)


def best(run: Callable[[], Any], budget: float = 1.0) -> float:
    times: list[float] = []
    end = time.process_time() + budget
    while len(times) < 2 or time.process_time() < end:
        gc.collect()
        gc.disable()
        begin = time.process_time()
        run()
        times.append(time.process_time() - begin)
        gc.enable()
    return min(times)


def table() -> None:
    rows: dict[str, Run] = {
        "jsonspigot, typed": ours,
        "pydantic, partial TypedDict": pydantic_partial,
        "instructor, Partial": instructor,
    }
    print("| |", " | ".join(f"{size:,} B" for size, _ in SIZES), "|")
    ratios: dict[str, list[str]] = {name: [] for name in rows}
    for size, step in SIZES:
        texts = chunks_of(size, step)
        whole = [Turn.model_validate_json("".join(chunks)) for chunks in texts]
        assert [naive(chunks) for chunks in texts] == whole
        baseline = best(lambda texts=texts: [naive(chunks) for chunks in texts])
        for name, run in rows.items():
            if run is instructor and size > 3_000:
                ratios[name].append("–")
                continue
            assert [run(chunks) for chunks in texts] == whole, name
            ratios[name].append(f"{best(lambda run=run, texts=texts: [run(chunks) for chunks in texts]) / baseline:.2f}")
    for name, cells in ratios.items():
        print(f"| {name} |", " | ".join(cells), "|")
    for closed in CLOSED:
        look, recipe = after(closed)
        twenty, _ = after(closed, list[Turn])
        print(
            f"after {closed:,} B: a look {look * 1e6:.1f} us, in lists of 20 {twenty * 1e6:.1f} us; "
            f"jiter and validating {recipe * 1e6:.0f} us"
        )


def after(closed: int, model: Any = Turn) -> tuple[float, float]:
    """Time a look at a growing string after that many closed bytes, in one list or in lists of 20, and the recipe for it."""
    if model is Turn:
        text = text_of(closed)
    else:
        twenty = text_of(20 * len(text_of(100)))
        text = "[" + ", ".join([twenty] * (closed // len(twenty)) + [text_of(100)])
    text = text[: text.rindex("], \"note\"")] + ', {"message": "'
    parser = Parser(snapshots=True, duplicate_keys="reject", retain="nothing")
    typed = parser.typed(model)
    parser.feed(text)
    typed.look()
    count = 200

    def looks() -> None:
        for _ in range(count):
            parser.feed("x")
            typed.look()

    adapter, data = TypeAdapter(model), text.encode() + b"x"
    times = max(1, 200_000 // len(data))

    def recipes() -> None:
        for _ in range(times):
            adapter.validate_python(jiter.from_json(data, partial_mode="trailing-strings"))

    return best(looks, 0.3) / count, best(recipes, 0.3) / times


if __name__ == "__main__":
    table()

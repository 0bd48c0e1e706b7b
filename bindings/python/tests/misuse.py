"""Uses that type checkers have to refuse: the lines that end with `# wrong`, and no others."""

from __future__ import annotations

from dataclasses import dataclass

from jsonspigot import Begin, Open, Parser, deltas, snapshots


@dataclass
class Day:
    name: str
    tags: list[str]


@dataclass
class Trip:
    title: str
    days: list[Day]


def takes(text: str) -> str:
    return text


def looks(chunks: list[str]) -> None:
    for look in snapshots(chunks, model=Trip):
        len(look.value.days)  # wrong
        takes(look.value.title)  # wrong
        look.value.title.upper()  # wrong
        for day in look.value.days:  # wrong
            print(day)
        look.value.dais  # wrong
        for day in look.value.days or []:
            print(day.name)
        if look.value.title is not None:
            takes(look.value.title)
        if look.complete is True:
            takes(look.value.title + look.value.days[0].name)
        if not isinstance(look.value, Open):
            takes(look.value.title)


def look_now(chunk: str) -> None:
    parser = Parser(model=Trip)
    parser.feed(chunk)
    parser.look().value  # wrong
    look = parser.look()
    if look is not None:
        takes(look.value.title)  # wrong


def empty(chunks: list[str]) -> None:
    for look in snapshots(chunks, model=Trip, missing="empty"):
        takes(look.value.title)
        takes(look.value.days[0].name)
        look.value.dais  # wrong


def options(chunks: list[str]) -> None:
    Parser(retain="some")  # wrong
    Parser(snapshot=True)  # wrong
    Parser().feed(3)  # wrong
    Parser(strict=True)  # wrong
    deltas(chunks)  # wrong


def frozen(begin: Begin) -> None:
    begin.path = "x"  # wrong
    Begin("a")  # wrong

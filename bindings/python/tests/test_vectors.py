"""The repository's vectors, byte for byte."""

from pathlib import Path

import pytest
from replay import VECTORS, replay, vectors

from jsonspigot import Parser

FILES = sorted(VECTORS.glob("*.jsonl"))


def test_there_are_vectors() -> None:
    assert len(FILES) >= 10, f"no vectors in {VECTORS}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_vectors(path: Path) -> None:
    count = 0
    for vector in vectors(path):
        assert replay(vector) == vector.lines, f"{path.name}: {vector.name}"
        count += 1
    assert count > 0


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_another_line_would_be_noticed(path: Path) -> None:
    vector = next(vectors(path))
    assert replay(vector) != [*vector.lines[:-1], vector.lines[-1].replace("}", ',"x":0}')]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_empty_chunks_change_nothing(path: Path) -> None:
    for vector in vectors(path):
        chunks = [piece for chunk in vector.chunks for piece in (b"", chunk)]
        assert replay(vector._replace(chunks=chunks)) == vector.lines, vector.name


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.parametrize("every", [1, 3])
def test_checkpoints_change_nothing(path: Path, every: int) -> None:
    for vector in vectors(path):
        assert replay(vector, every) == vector.lines, vector.name


def test_a_state_from_elsewhere_is_saved_again_as_it_came() -> None:
    restored = 0
    for vector in vectors(VECTORS / "saved.jsonl"):
        if vector.state is not None and '"offset":0,"line":0,' not in vector.lines[0]:
            options = vector.options
            parser = Parser.restore(
                vector.patterns,
                vector.state,
                retain=options["retain"],
                lenient=options.get("lenient"),
                accept_deviations=options.get("accept", False),
            )
            assert parser.save() == vector.state, vector.name
            restored += 1
    assert restored >= 7

"""The stubs against the module, and type checkers on the examples and the package."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from inspect import signature
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
import stubs

from jsonspigot import _native

HERE = Path(__file__).parents[1]
EXAMPLES = sorted(str(path) for path in (HERE / "examples").glob("*.py"))
PACKAGE = str(HERE / "python" / "jsonspigot")


def run(*command: str, cwd: Path = HERE) -> None:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


# Events are declared by their fields, which `test_the_parts_of_events` checks; readers are generic at run time too.
ALLOWED = r"""
jsonspigot\._native\.(Begin|Delta|End|InnerError|DocumentEnd|(EnvelopeEvent|StreamEvent)\.\w+)\.__(init|new)__
jsonspigot\._native\.\w+\.__class_getitem__
jsonspigot\._native\.__all__
"""


def test_stubs(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    allowed = tmp_path / "allowed"
    allowed.write_text(ALLOWED)
    # Elsewhere, so that the package is found where it is installed, and only there.
    run(sys.executable, "-m", "mypy.stubtest", "--allowlist", str(allowed), "jsonspigot._native", cwd=tmp_path)


def test_the_docstrings_of_the_stub() -> None:
    text = stubs.STUB.read_text()
    assert stubs.with_docs(text, _native) == text, "write them with tests/stubs.py"
    assert len(text.splitlines()) <= 700
    documented = re.findall(r"^ *(?:def (?!_)\w+|class (?!_)\w+).*:\n(?: +\S.*\n)*? +\"\"\"", text, re.M)
    assert len(documented) > 90


def event_classes() -> dict[str, dict[str, Any]]:
    """Return the fields of each class of events in the stub, with its bases' keywords last."""
    found: dict[str, dict[str, Any]] = {}

    def visit(node: ast.ClassDef, prefix: str) -> None:
        bases = [base.id for base in node.bases if isinstance(base, ast.Name)]
        if set(bases) & {"_Event", "_Match", "EnvelopeEvent", "StreamEvent"}:
            fields = {part.target.id: part for part in node.body if isinstance(part, ast.AnnAssign)}  # type: ignore[union-attr]
            fields.pop("_", None)
            found[prefix + node.name] = {**fields, **(found.get("_Match", {}) if "_Match" in bases else {})}
        for part in node.body:
            if isinstance(part, ast.ClassDef):
                visit(part, f"{node.name}.")

    for part in ast.parse(stubs.STUB.read_text()).body:
        if isinstance(part, ast.ClassDef):
            visit(part, "")
    return {name: fields for name, fields in found.items() if name not in ("_Match", "EnvelopeEvent", "StreamEvent")}


def test_the_parts_of_events() -> None:
    classes = event_classes()
    assert len(classes) > 40
    for name, fields in classes.items():
        made = attrgetter(name)(_native)
        assert set(signature(made).parameters) == set(fields), name
        if "." in name:
            assert tuple(fields) == made.__match_args__, name


def test_what_readers_inherit_in_the_stub_is_there() -> None:
    classes = {part.name: part for part in ast.parse(stubs.STUB.read_text()).body if isinstance(part, ast.ClassDef)}

    def methods(node: ast.ClassDef) -> set[str]:
        own = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
        bases = [base.id for base in node.bases if isinstance(base, ast.Name) and base.id in classes]
        return own.union(*(methods(classes[base]) for base in bases))

    readers = ["Parser", "Documents", "Envelope", "ProviderStream", "Rewriter"]
    for name in readers:
        made = getattr(_native, name)
        public = {method for method in dir(made) if not method.startswith("_")}
        assert public == {method for method in methods(classes[name]) if not method.startswith("_")}, name
        if name != "Rewriter":
            assert repr(made[Any]).startswith("jsonspigot.")


def test_mypy(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    config = str(HERE / "pyproject.toml")
    run(sys.executable, "-m", "mypy", "--config-file", config, "--cache-dir", str(tmp_path), *EXAMPLES, str(HERE / "tests" / "typed_use.py"))
    run(sys.executable, "-m", "mypy", "--config-file", config, "--cache-dir", str(tmp_path), PACKAGE)


def test_pyright() -> None:
    pytest.importorskip("pyright")
    run(sys.executable, "-m", "pyright", "--pythonpath", sys.executable, *EXAMPLES, str(HERE / "tests" / "typed_use.py"), PACKAGE)


MISUSES = Path(__file__).with_name("misuse.py")


def marked() -> set[int]:
    """Return the numbers of the lines that are to be errors."""
    return {number for number, line in enumerate(MISUSES.read_text().splitlines(), 1) if line.endswith("# wrong")}


def test_mypy_notices_misuses(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), str(MISUSES)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert {int(line) for line in re.findall(r"misuse\.py:(\d+): error", done.stdout)} == marked(), done.stdout


def test_pyright_notices_misuses() -> None:
    pytest.importorskip("pyright")
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--outputjson", str(MISUSES)]
    done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False)
    found = json.loads(done.stdout)["generalDiagnostics"]
    lines = {one["range"]["start"]["line"] + 1 for one in found if one["severity"] == "error"}
    assert lines == marked(), found

"""The stubs against the module, and type checkers on the examples and the package."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parents[1]
EXAMPLES = sorted(str(path) for path in (HERE / "examples").glob("*.py"))
PACKAGE = str(HERE / "python" / "jsonspigot")


def run(*command: str, cwd: Path = HERE) -> None:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_stubs(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    # Elsewhere, so that the package is found where it is installed, and only there.
    run(sys.executable, "-m", "mypy.stubtest", "jsonspigot._native", cwd=tmp_path)


def test_mypy(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    config = str(HERE / "pyproject.toml")
    run(sys.executable, "-m", "mypy", "--config-file", config, "--cache-dir", str(tmp_path), *EXAMPLES, str(HERE / "tests" / "typed_use.py"))
    run(sys.executable, "-m", "mypy", "--config-file", config, "--cache-dir", str(tmp_path), PACKAGE)


def test_pyright() -> None:
    pytest.importorskip("pyright")
    run(sys.executable, "-m", "pyright", "--pythonpath", sys.executable, *EXAMPLES, str(HERE / "tests" / "typed_use.py"), PACKAGE)


def test_a_wrong_use_is_noticed(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    wrong = tmp_path / "wrong.py"
    wrong.write_text("from jsonspigot import Parser\n\nParser(retain='some').feed(3)\n")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), str(wrong)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stdout.count("error:") == 2, done.stdout

"""Writes the docstrings of the module into its stub, where editors look: `python tests/stubs.py`.

A reader's class has all of its docstring; events and functions have the first sentence, of overloads only the first.
"""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import wrap
from typing import Any

STUB = Path(__file__).parents[1] / "python/jsonspigot/_native.pyi"
# The methods of a base that is only in the stub are those of a class that has them.
STAND_INS = {"_Event": "Begin", "_Match": "Begin", "_Reader": "Parser", "_Saved": "Parser"}


def without(text: str) -> str:
    """Return a stub without the docstrings of its classes and functions."""
    head, begin, rest = text.partition("\n@dataclass_transform")
    rest = re.sub(r'^ +""".*?"""\n', "", rest, flags=re.M | re.S)
    # A function that had nothing but a docstring.
    return head + begin + re.sub(r"(\) -> [^\n]*):\n", r"\1: ...\n", rest)


def docs_of(native: Any, path: list[str], is_function: bool, indent: int) -> str | None:
    found = native
    for name in [STAND_INS.get(path[0], path[0]), *path[1:]]:
        found = getattr(found, name, None)
    docs: str | None = getattr(found, "__doc__", None)
    if not docs or path[-1].startswith("_"):
        return None
    if not is_function and hasattr(found, "feed"):
        return docs.strip()
    sentence = re.split(r"(?<=[.])\s", docs.strip())[0]
    return "\n".join(wrap(" ".join(sentence.split()), 112 - indent, break_on_hyphens=False))


def with_docs(text: str, native: Any) -> str:
    """Return the stub with the docstrings of the module."""
    lines: list[str] = []
    classes: list[tuple[int, str]] = []
    documented: set[str] = set()
    docs: str | None = None
    indent = 0
    for line in without(text).split("\n"):
        if found := re.match(r"( *)(class|def) (\w+)", line):
            indent, is_function, name = len(found[1]), found[2] == "def", found[3]
            while classes and classes[-1][0] >= indent:
                classes.pop()
            path = [*(name for _, name in classes), name]
            if not is_function:
                classes.append((indent, name))
            docs = None if ".".join(path) in documented else docs_of(native, path, is_function, indent)
            documented.add(".".join(path))
        if docs is None or not line.endswith((":", ": ...")):
            lines.append(line)
            continue
        # The docstring follows the last line of the signature.
        body = " " * (indent + 4)
        quoted = [body + part.strip() if part.strip() else "" for part in f'"""{docs}'.split("\n")]
        lines += [line.removesuffix(" ..."), *quoted]
        if "\n\n" in docs:
            lines.append(f'{body}"""')
        else:
            lines[-1] += '"""'
        docs = None
    return "\n".join(lines)


if __name__ == "__main__":
    from jsonspigot import _native

    STUB.write_text(with_docs(STUB.read_text(), _native))

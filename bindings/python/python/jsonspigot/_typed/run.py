"""How the values of one stream are validated: pydantic's validators, called with the stream's choices, and their errors with
the place where they are.
"""

# Values and errors are taken as they come: strictly, each line would be a cast.
# pyright: basic
from __future__ import annotations

from typing import Any, Literal, NamedTuple

from pydantic import ValidationError
from pydantic_core import PydanticCustomError, SchemaValidator, to_json

from .._data import plain

#: Validators around another, or a whole model.
FUNCTIONS = ("function-after", "function-before", "function-wrap")


#: How pydantic names what it reads: an array, or a list.
Words = Literal["json", "python"]


class Wrong(Exception):
    """A closed value that does not fit: pydantic's errors, with the place so far."""

    def __init__(self, errors: list[Any]) -> None:
        super().__init__()
        self.errors = errors

    def at(self, key: Any) -> Wrong:
        for error in self.errors:
            error["loc"] = (key, *error["loc"])
        return self

    @staticmethod
    def of(error: ValidationError, words: Words) -> Wrong:
        lines: list[Any] = []
        for details in error.errors(include_url=False):
            kind: Any = details["type"]
            context: Any = details.get("ctx") or {}
            message: Any = details["msg"]
            if not _is_known(kind, context, message, words):
                # It has its parts already; none shall be put in again.
                filled = not any("{" + name + "}" in message for name in context)
                kind = PydanticCustomError(kind, message, context if context and filled else None)
            line: Any = {"type": kind, "loc": details["loc"], "input": details["input"]}
            lines.append(line | {"ctx": context} if context else line)
        return Wrong(lines)


def _is_known(kind: str, context: Any, message: str, words: Words) -> bool:
    """Whether pydantic itself says that; an error of the user's own may have the name of one of pydantic's."""
    line: Any = {"type": kind, "input": None} | ({"ctx": context} if context else {})
    try:
        made = ValidationError.from_exception_data("", [line], input_type=words)
    except Exception:
        return False
    return made.errors(include_url=False)[0]["msg"] == message


class Heading(NamedTuple):
    """What an error of a type says beside what is wrong."""

    title: str
    hides_input: bool

    @staticmethod
    def of(adapter: Any, config: Any) -> Heading:
        schema = adapter.core_schema
        definitions: dict[str, Any] = {}
        while schema["type"] in ("definitions", "definition-ref", *FUNCTIONS):
            if schema["type"] == "definition-ref":
                schema = definitions[schema["schema_ref"]]
            else:
                definitions |= {each["ref"]: each for each in schema.get("definitions", ())}
                schema = schema["schema"]
        config = config or schema.get("config") or {}
        return Heading(adapter.validator.title, bool(config.get("hide_input_in_errors")))

    def __str__(self) -> str:
        return self.title

    def raised(self, error: BaseException) -> BaseException:
        """An error as users get it; each time another, if it says what does not fit."""
        if isinstance(error, Wrong):
            # It is kept, and shall keep no frames.
            error.__traceback__ = error.__context__ = None
            return ValidationError.from_exception_data(
                self.title, error.errors, input_type="json", hide_input=self.hides_input
            )
        return error


def core_config(config: Any) -> Any:
    """A type adapter's configuration as schemas have it."""
    if not config:
        return None
    renamed = {"extra": "extra_fields_behavior", "populate_by_name": "validate_by_name"}
    return {renamed.get(name, name): value for name, value in config.items()}


class Run:
    """How the values of one stream are validated. The options are pydantic's: `context`, `strict`, `by_alias` and `by_name`."""

    __slots__ = ("_below", "by_alias", "decimals", "fills", "has_own_names", "options", "python", "shell_options")

    def __init__(self, options: dict[str, Any], decimals: bool = False, fills: bool = False, python: bool = False) -> None:
        self.options = options
        self.shell_options = {name: value for name, value in self.options.items() if name != "strict"}
        self.by_alias: bool | None = options.get("by_alias")
        self.has_own_names = self.by_alias is False or bool(options.get("by_name"))
        #: `fills` is true if missing fields are empty rather than `None`.
        self.decimals, self.fills, self.python = decimals, fills, python
        self._below: Run | None = None

    def below(self) -> Run:
        """What is below a before or wrap validator, pydantic validates as Python's values."""
        if self.python:
            return self
        if self._below is None:
            self._below = Run(self.options, self.decimals, self.fills, python=True)
        return self._below

    def raw(self, raw: Any) -> Any:
        """A raw value whose numbers are numbers."""
        return plain(raw) if self.decimals else raw

    def validated(self, validator: SchemaValidator, raw: Any) -> Any:
        try:
            if self.python:
                return validator.validate_python(self.raw(raw), **self.options)
            return validator.validate_json(to_json(self.raw(raw), inf_nan_mode="constants"), **self.options)
        except ValidationError as error:
            raise Wrong.of(error, "python" if self.python else "json") from None

    def called(self, validator: SchemaValidator | None, after: SchemaValidator | None, value: Any) -> Any:
        """A shell, on values that are validated already."""
        try:
            if validator is not None:
                value = validator.validate_python(value, **self.shell_options)
            return value if after is None else after.validate_python(value, **self.shell_options)
        except ValidationError as error:
            raise Wrong.of(error, "python") from None

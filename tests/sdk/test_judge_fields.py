"""The fields that the judge knows are those of the providers' packages.

`judge_fields.json` is written by `UPDATE_DOCS=1 cargo test -p interlingua-strict --test docs`. Differences stand with their reason
in `judge_fields.toml`; one that no longer exists fails, too.
"""

import collections.abc
import json
import pathlib
import re
import tomllib
import typing

import botocore.session
import pytest
import typing_extensions
from anthropic.types.beta import message_create_params as anthropic_params
from google.genai import types as google_types
from openai.types.chat import completion_create_params as chat_params
from openai.types.responses import response_create_params as responses_params

FOLDER = pathlib.Path(__file__).parent
FIELDS = json.loads((FOLDER / "judge_fields.json").read_text())
DIFFERENCES = tomllib.loads((FOLDER / "judge_fields.toml").read_text())


def strip(kind):
    """The alternatives of a type, without annotations."""
    origin = typing.get_origin(kind)
    if origin in (typing.Annotated, typing_extensions.Required, typing_extensions.NotRequired, typing.Required, typing.NotRequired):
        return strip(typing.get_args(kind)[0])
    if hasattr(kind, "__value__"):
        return strip(kind.__value__)
    if origin is typing.Union or isinstance(kind, type(int | str)):
        return [inner for part in typing.get_args(kind) for inner in strip(part)]
    return [kind]


def hints(kind):
    return typing_extensions.get_type_hints(kind, include_extras=True)


def elements(kinds):
    lists = (list, collections.abc.Iterable, collections.abc.Sequence)
    return [inner for kind in kinds if typing.get_origin(kind) in lists for inner in strip(typing.get_args(kind)[0])]


def has_tag(kind, tag):
    """Whether a typed dictionary has this type or role."""
    if not typing_extensions.is_typeddict(kind):
        return False
    tags = [strip(hints(kind)[name]) for name in ("type", "role") if name in hints(kind)]
    return any(tag in typing.get_args(inner) for kinds in tags for inner in kinds if typing.get_origin(inner) is typing.Literal)


def typed_fields(root, path):
    """The fields of a typed dictionary at a path; none if it is open."""
    kinds = strip(root)
    for step in re.findall(r"\.[^.\[\](]+|\[\]|\([^)]*\)", path):
        if step == "[]":
            kinds = elements(kinds)
        elif step.startswith("("):
            kinds = [kind for kind in kinds if has_tag(kind, step[1:-1])]
        else:
            kinds = [hints(kind).get(step[1:]) for kind in kinds if typing_extensions.is_typeddict(kind)]
            kinds = [inner for kind in kinds if kind is not None for inner in strip(kind)]
    return {name for kind in kinds if typing_extensions.is_typeddict(kind) for name in hints(kind)}


def anthropic_fields(path):
    return typed_fields(anthropic_params.MessageCreateParamsStreaming, path)


def chat_fields(path):
    return typed_fields(chat_params.CompletionCreateParamsStreaming, path)


def responses_fields(path):
    return typed_fields(responses_params.ResponseCreateParamsStreaming, path)


def bedrock_fields(path):
    service = botocore.session.get_session().get_service_model("bedrock-runtime")
    shape = service.operation_model("Converse").input_shape
    for step in re.findall(r"\.[^.\[\]]+|\[\]", path):
        if step != "[]" and step[1:] not in shape.members:
            return set()
        shape = shape.member if step == "[]" else shape.members[step[1:]]
    return set(shape.members) if shape.type_name == "structure" else set()


def gemini_fields(name):
    kind = getattr(google_types, name, None)
    return set(kind.model_fields) if kind is not None and hasattr(kind, "model_fields") else set()


@pytest.mark.parametrize(
    "dialect, package_fields",
    [
        ("anthropic", anthropic_fields),
        ("bedrock", bedrock_fields),
        ("gemini", gemini_fields),
        ("openai-chat", chat_fields),
        ("openai-responses", responses_fields),
    ],
)
def test_fields_are_those_of_the_package(dialect, package_fields):
    found = set()
    for path, fields in FIELDS[dialect].items():
        theirs = package_fields(path)
        if not theirs:
            found.add(f"{path}: not in the package")
            continue
        found |= {f"{path}.{name}: not in the package" for name in fields.keys() - theirs}
        found |= {f"{path}.{name}: not known to the judge" for name in theirs - fields.keys()}
    patterns = [pattern for differences in DIFFERENCES.get(dialect, {}).values() for pattern in differences]
    matches = {pattern: re.compile(".*".join(re.escape(part) for part in pattern.split("*"))) for pattern in patterns}
    unlisted = [one for one in sorted(found) if not any(match.fullmatch(one) for match in matches.values())]
    assert unlisted == [], "differences that are not listed"
    unused = [pattern for pattern, match in matches.items() if not any(match.fullmatch(one) for one in found)]
    assert unused == [], "listed differences that do not exist"

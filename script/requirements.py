# SPDX-License-Identifier: Apache-2.0
"""Functions that nearly are a requirement of a protocol, for script/check-architecture.

A requirement with an empty default implementation hides a mistake: after a change of `receive(_: Event)` to
`receive(_: inout Event)`, a type with the former function compiles, and is never called. Such a function has the name
and the labels of a requirement of its target, and parameter types that differ from the requirement's by ownership or
`any`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

PROTOCOL = re.compile(r"\bprotocol (\w+)[^{]*\{(.*?)\n\}", re.DOTALL)
FUNCTION = re.compile(r"\bfunc (\w+)(?:<[^>]*>)?\(((?:[^()]|\([^()]*\))*)\)")
PARAMETER = re.compile(r"\s*(\w+)(?:\s+\w+)?\s*:\s*(.*?)\s*(?:=.*)?", re.DOTALL)
NUANCE = re.compile(r"\b(?:inout|borrowing|consuming|sending|any|some)\s+|\?|@\w+\s+")
"""Parts of a type that do not make it another one."""

Signature = tuple[str, tuple[str, ...], tuple[str, ...]]
"""A function's name, its labels, its types."""


def parts(parameters: str) -> Iterator[str]:
    """The parameters of a list, at the commas outside brackets."""
    depth, part = 0, ""
    for character in parameters:
        depth += (character in "([<") - (character in ")]>")
        if character == "," and depth == 0:
            yield part
            part = ""
        else:
            part += character
    if part.strip():
        yield part


def signatures(source: str) -> Iterator[Signature]:
    """The functions with parameters in a source without comments."""
    for name, parameters in FUNCTION.findall(source):
        matches = [PARAMETER.fullmatch(part) for part in parts(parameters)]
        if matches and all(matches):
            yield name, tuple(match[1] for match in matches), tuple(" ".join(match[2].split()) for match in matches)


def near_misses(files: dict[str, str]) -> list[str]:
    """The functions of a target's files that nearly are a requirement of a protocol in them."""
    requirements: dict[tuple[str, tuple[str, ...]], dict[tuple[str, ...], str]] = {}
    for source in files.values():
        for protocol, body in PROTOCOL.findall(source):
            for name, labels, types in signatures(body):
                requirements.setdefault((name, labels), {})[types] = protocol
    found = []
    for path, source in files.items():
        for name, labels, types in signatures(source):
            wanted = requirements.get((name, labels), {})
            plain = [NUANCE.sub("", type_) for type_ in types]
            for others, protocol in {} if types in wanted else wanted.items():
                if [NUANCE.sub("", other) for other in others] == plain:
                    found.append(
                        f"{path}: {name}({', '.join(types)}) is nearly {protocol}.{name}({', '.join(others)}), "
                        "and is not called for it: give it the same types, or another name"
                    )
    return found

# SPDX-License-Identifier: Apache-2.0
"""Which file of a target refers to which, by names: an estimate without a compiler, for script/check-architecture.

A file refers to another if it names one of that file's types or free functions, a nested type (`Outer.Inner`, or
`Inner` alone within `Outer`), or calls a method of an extension that it declares. A name counts only if one file of the
target declares it. A method counts only if nothing else of the repository has its name: no other declaration, and no
call in a target that sees nothing of this one, which would be the standard library's.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

TOKEN = re.compile(
    r"(?P<open>\{)|(?P<close>\})"
    r"|\b(?P<kind>struct|class|enum|protocol|actor|extension|typealias|func)\s+(?P<name>`?[\w.]+`?)"
    r"|\b(?P<block>init|deinit|subscript|get|set|willSet|didSet)\b(?=[^\n{]*\{)"
)
TYPES = {"struct", "class", "enum", "protocol", "actor", "extension"}
WORD = re.compile(r"(?<![\w.])(?:([A-Z]\w*)((?:\.[A-Z]\w*)*)|([a-z]\w*)(?=\())")
VALUE = re.compile(r"\b(?:let|var)\s+(\w+)|\bcase\s+((?:[a-z]\w*(?:\([^()]*\))?,\s*)*[a-z]\w*)|\b(\w+): (?:@\w+ )*\(")
"""Names that can be called and are no function: a variable, a case with values, a parameter."""
CALL = re.compile(r"(?<!func )\b(\w+)(?=\()")


def code_of(source: str) -> str:
    """The source with comments and the text of strings removed. Interpolations and line ends stay."""
    out: list[str] = []
    _copy_code(source, 0, out, is_interpolation=False)
    return "".join(out)


CODE_PART = re.compile(r'//[^\n]*|/\*|(#*)("""|")|\(|\)')
COMMENT_PART = re.compile(r"/\*|\*/|\n")


def _copy_code(source: str, at: int, out: list[str], is_interpolation: bool) -> int:
    """Copies code; an interpolation ends behind the parenthesis that closes it."""
    depth = 0
    while part := CODE_PART.search(source, at):
        out.append(source[at : part.start()])
        at = part.end()
        if part[0] == "/*":
            at = _skip_comment(source, at, out)
        elif part[2]:
            at = _skip_string(source, at, out, part[1], part[2])
        elif part[0] in "()":
            depth += 1 if part[0] == "(" else -1
            if is_interpolation and depth < 0:
                return at
            out.append(part[0])
    out.append(source[at:])
    return len(source)


def _skip_comment(source: str, at: int, out: list[str]) -> int:
    depth = 1
    while depth and (part := COMMENT_PART.search(source, at)):
        at = part.end()
        if part[0] == "\n":
            out.append("\n")
        else:
            depth += 1 if part[0] == "/*" else -1
    return len(source) if depth else at


def _skip_string(source: str, at: int, out: list[str], pounds: str, quote: str) -> int:
    """Skips text, and copies interpolations."""
    out.append('""')
    pattern = re.compile(rf"\\{pounds}\(|\\{pounds}.|{quote}{pounds}|\n", re.DOTALL)
    while part := pattern.search(source, at):
        at = part.end()
        if part[0] == f"\\{pounds}(":
            out.append(" ")
            at = _copy_code(source, at, out, is_interpolation=True)
            out.append(" ")
        elif part[0] == quote + pounds:
            return at
        elif part[0] == "\n":
            out.append("\n")
            if quote == '"':
                return at
    return len(source)


@dataclass
class Declarations:
    """Names that a file declares."""

    top: set[str] = field(default_factory=set)
    nested: set[tuple[str, str]] = field(default_factory=set)
    """The innermost type around, and the type."""
    scopes: set[str] = field(default_factory=set)
    """Types that the file declares or extends."""
    values: set[str] = field(default_factory=set)
    methods: set[str] = field(default_factory=set)
    of_extensions: set[str] = field(default_factory=set)
    """Methods of extensions of types that other files declare."""


def declarations(code: str) -> Declarations:
    found = Declarations()
    for value in VALUE.finditer(code):
        found.values |= {name for group in value.groups("") for name in re.findall(r"[a-z]\w*", group)}
    extensions: list[tuple[str, str]] = []
    around: list[tuple[str, str]] = []
    pending: tuple[str, str] | None = None
    for token in TOKEN.finditer(code):
        if token["open"]:
            around.append(pending or ("", ""))
            pending = None
        elif token["close"]:
            if around:
                around.pop()
            pending = None
        elif token["block"]:
            pending = (token["block"], "")
        else:
            kind, name = token["kind"], token["name"].strip("`")
            if kind in TYPES:
                found.scopes |= set(name.split("."))
            is_member = all(outer in TYPES for outer, _ in around)
            if is_member and kind != "extension":
                if not around:
                    found.top.add(name)
                elif kind == "func":
                    found.methods.add(name)
                    if around[-1][0] == "extension":
                        extensions.append((around[-1][1].split(".")[0], name))
                else:
                    found.nested.add((around[-1][1].split(".")[-1], name))
            # A function of a protocol has no body: the next brace is not its own.
            if kind != "typealias" and not (kind == "func" and around and around[-1][0] == "protocol"):
                pending = (kind, name)
    found.of_extensions = {name for outer, name in extensions if outer not in found.top}
    return found


@dataclass
class Source:
    """One target: the code of its files, and the targets that it may see."""

    files: dict[Path, str]
    sees: set[str]
    declared: dict[Path, Declarations] = field(init=False)
    calls: set[str] = field(init=False)

    def __post_init__(self) -> None:
        self.declared = {path: declarations(code) for path, code in self.files.items()}
        self.calls = {match[1] for code in self.files.values() for match in CALL.finditer(code)}

    def names(self, kind: str) -> set[str]:
        return {name for declared in self.declared.values() for name in getattr(declared, kind)}


Graph = dict[Path, dict[Path, set[str]]]
"""Of each file the files that it refers to, by the names that it uses."""


def owners(pairs: Iterable[tuple[object, Path]]) -> dict[object, Path]:
    """The names that one file alone declares."""
    found: dict[object, set[Path]] = {}
    for name, path in pairs:
        found.setdefault(name, set()).add(path)
    return {name: next(iter(paths)) for name, paths in found.items() if len(paths) == 1}


def types_graph(sources: dict[str, Source], name: str) -> Graph:
    """References to types and free functions."""
    source = sources[name]
    declared = source.declared
    top = owners((one, path) for path, names in declared.items() for one in names.top)
    nested = owners((pair, path) for path, names in declared.items() for pair in names.nested)
    graph: Graph = {path: {} for path in source.files}

    def add(path: Path, owner: Path | None, used: str) -> None:
        if owner and owner != path:
            graph[path].setdefault(owner, set()).add(used)

    for path, code in source.files.items():
        for word in WORD.finditer(code):
            if word[3]:
                add(path, top.get(word[3]), word[3])
                continue
            names = [word[1], *word[2].split(".")[1:]]
            add(path, top.get(names[0]), names[0])
            for scope in declared[path].scopes:
                add(path, nested.get((scope, names[0])), names[0])
            for pair in itertools.pairwise(names):
                add(path, nested.get(pair), ".".join(pair))
    return graph


def calls_graph(sources: dict[str, Source], name: str) -> Graph:
    """Calls of methods of extensions whose types other files declare."""
    source = sources[name]
    others = {other: one for other, one in sources.items() if other != name}
    foreign = source.names("values")
    foreign |= {one for other in others.values() for kind in ("methods", "top", "values") for one in other.names(kind)}
    strangers = [one for other, one in others.items() if other not in source.sees and name not in one.sees]
    foreign |= {call for one in strangers for call in one.calls}
    every = Counter(one for names in source.declared.values() for one in {*names.methods, *names.top})
    called = {
        method: path
        for path, names in source.declared.items()
        for method in names.of_extensions
        if every[method] == 1 and method not in foreign
    }
    graph: Graph = {path: {} for path in source.files}
    for path, code in source.files.items():
        for call in CALL.finditer(code):
            owner = called.get(call[1])
            if owner and owner != path:
                graph[path].setdefault(owner, set()).add(call[1])
    return graph


def cycles(graph: dict) -> list[list]:
    """The strongly connected components of more than one node (Tarjan), larger ones first."""
    index: dict = {}
    low: dict = {}
    stack: list = []
    found: list[list] = []

    def visit(node: object) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            component = [stack.pop()]
            while component[-1] != node:
                component.append(stack.pop())
            if len(component) > 1:
                found.append(sorted(component))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return sorted(found, key=len, reverse=True)

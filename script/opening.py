# SPDX-License-Identifier: Apache-2.0
"""The way of an opening from the write to the lock's line, as docs/develop/architecture.md counts it: its lists, its
tables (dictionaries) and its functions, the last by docs/develop/opening-calls.txt, for script/check-architecture.

The table with the heading LISTS names the lists in which an opening waits. Each is an array or a dictionary of its
type. The table with the heading CALLS has a row for each function that calls others on the way. Each call is in the
body of its function, by its name and whatever its arguments, and each function is called by a row above or begins a
thread's turn, as the first cell says. A dictionary of its type that a function of the way names is a table of the way.
"""

from __future__ import annotations

import re
from itertools import takewhile

from references import code_of

LISTS = "list of the way to the lock"
CALLS = "begins with"
FIGURES = {"lists": 5, "dictionaries": 2, "functions": 80}
"""Figures of today, which the page names as `5 lists`. They may only fall."""

MEMBER = re.compile(r"`([A-Z]\w*)\.(\w+)`")
BEGIN = re.compile(r"\b(?:class|struct|enum|protocol|actor|extension)\s+(?:\w+\.)*(\w+)|\bfunc\s+(\w+)\b")


def cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def rows_below(heading: str, page: str) -> list[list[str]]:
    """The rows of the table whose first heading is this."""
    lines = page.splitlines()
    start = next((number for number, line in enumerate(lines) if cells(line)[0] == heading), None)
    if start is None:
        return []
    return [cells(row) for row in takewhile(lambda line: line.startswith("|"), lines[start + 2 :])]


class Members:
    """The functions and the stored lists of all types, by type and name."""

    def __init__(self, files: dict[str, str]):
        self.bodies: dict[tuple[str, str], str] = {}
        self.lists: set[tuple[str, str]] = set()
        self.dictionaries: set[tuple[str, str]] = set()
        for text in files.values():
            self._read(code_of(text))

    def _read(self, code: str) -> None:
        scopes: list[tuple[str, int]] = []
        for part in BEGIN.finditer(code):
            while scopes and scopes[-1][1] <= part.start():
                scopes.pop()
            begin, end = block(code, part.end())
            if part[1]:
                scopes.append((part[1], end))
                self._lists(part[1], code[begin:end])
            elif scopes:
                key = (scopes[-1][0], part[2])
                self.bodies[key] = self.bodies.get(key, "") + code[begin:end]

    def _lists(self, kind: str, code: str) -> None:
        for name, contents in re.findall(r"\bvar (\w+)(?:: | = )\[([^\n]*)", code):
            self.lists.add((kind, name))
            if re.match(r"[\w.]*: ?[\w.\[\]:]*\]|[\w.]+: ", contents):
                self.dictionaries.add((kind, name))


def block(code: str, at: int) -> tuple[int, int]:
    """The block that begins behind a declaration; empty for a requirement of a protocol, which has none."""
    begin = code.find("{", at)
    following = BEGIN.search(code, at)
    if begin < 0 or (following and following.start() < begin):
        return at, at
    depth = 0
    for part in re.finditer(r"[{}]", code[begin:]):
        depth += 1 if part[0] == "{" else -1
        if depth == 0:
            return begin, begin + part.end()
    return begin, len(code)


def faults(page: str, files: dict[str, str]) -> list[str]:
    """Lists and calls of the page that the sources do not have, and figures that are not the allowed ones."""
    members = Members(files)
    found = []
    lists = [row[-1] for row in rows_below(LISTS, page)]
    found += [f"{place}: no list of this name" for place in lists if named(place) not in members.lists]
    reached: set[tuple[str, str]] = set()
    for beginning, caller, calls in rows_below(CALLS, page):
        function = named(caller)
        if function not in reached and not beginning:
            found.append(f"{caller}: no function above calls it")
        body = members.bodies.get(function, "")
        for call in MEMBER.findall(calls):
            if call not in members.bodies:
                found.append(f"`{'.'.join(call)}`: no function of this name")
            elif not re.search(rf"\b{call[1]}(?:\(| \{{)", body):
                found.append(f"{caller}: no call of `{'.'.join(call)}`")
        reached |= {function, *MEMBER.findall(calls)}
    tables = {
        table for kind, name in reached for table in members.dictionaries
        if table[0] == kind and re.search(rf"\b{table[1]}\b", members.bodies.get((kind, name), ""))
    }
    figures = {"lists": len(lists), "dictionaries": len(tables), "functions": len(reached)}
    for name, number in figures.items():
        if number != FIGURES[name]:
            which = f" ({', '.join('.'.join(table) for table in sorted(tables))})" if name == "dictionaries" else ""
            found.append(
                f"an opening has {number} {name} before the lock moves{which}, and script/opening.py has "
                f"{FIGURES[name]}: the number may only fall"
            )
        if not re.search(rf"\b{number}\s{name}\b", page):
            found.append(f"the page does not say `{number} {name}`")
    return found


def named(cell: str) -> tuple[str, str]:
    member = MEMBER.fullmatch(cell)
    return (member[1], member[2]) if member else ("", cell)

# SPDX-License-Identifier: Apache-2.0
"""The reasons of thorough tests name suites and tests that run without `script/test --all`."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

from rig.matrix import some_of
from rig.reader import ROOT

INTEROP = ROOT / "Tests/Interop"
PACKAGES = ("Tests", "matter", "fleet", "emulators", "lab")
NAME = re.compile(r"\b(?:\w+Tests|test_\w+(?:\.py)?)\b")


def reasons(path: Path) -> list[str]:
    """Every text in a call of `mark.thorough` or `some_of`, and those that a name of the module stands for."""
    tree = ast.parse(path.read_text())
    constants = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            match node.func:
                case ast.Attribute(attr="thorough"):
                    reason = node.args[0]
                case ast.Name(id="some_of"):
                    reason = node.args[1]
                case _:
                    continue
            reason = constants[reason.id] if isinstance(reason, ast.Name) else reason
            found.append(ast.literal_eval(reason))
    return found


def is_thorough(node: ast.AST) -> bool:
    """True for a decorator or `pytestmark` that has the mark for all cases."""
    return any(isinstance(each, ast.Attribute) and each.attr == "thorough" for each in ast.walk(node))


def default_tests(path: Path) -> set[str]:
    """The functions of a file that run without --all, at least in part."""
    body = ast.parse(path.read_text()).body
    marks = [node for node in body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark"]
    if any(map(is_thorough, marks)):
        return set()
    functions = [node for node in body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return {
        node.name
        for node in functions
        if node.name.startswith("test_") and not any(map(is_thorough, node.decorator_list))
    }


@cache
def names() -> set[str]:
    """Suites and targets of the Swift tests; files and functions with peers that run without --all."""
    swift = {path.stem for package in PACKAGES for path in (ROOT / package).rglob("*Tests*")}
    default = {path.name: default_tests(path) for path in INTEROP.glob("scenarios/*/test_*.py")}
    return swift.union(*default.values(), (name for name, tests in default.items() if tests))


def test_every_reason_names_what_there_is() -> None:
    unknown = {
        f"{path.name}: {name}"
        for path in INTEROP.glob("scenarios/*/test_*.py")
        for reason in reasons(path)
        for name in NAME.findall(reason)
        if name not in names()
    }
    assert unknown == set()


def test_every_reason_names_something() -> None:
    found = {reason for path in INTEROP.glob("scenarios/*/test_*.py") for reason in reasons(path)}
    assert len(found) > 50
    assert {reason for reason in found if not NAME.search(reason) and "case" not in reason} == {
        "the commands' tests run them with shorter options"
    }


def test_the_first_cases_of_a_matrix_remain() -> None:
    cases = some_of([1, (2, "b"), b""], "of SomeTests", keep=2)
    assert [case.values for case in cases] == [(1,), (2, "b"), (b"",)]
    marks = [[(mark.name, mark.args) for mark in case.marks] for case in cases]
    assert marks == [[], [], [("thorough", ("of SomeTests",))]]

# SPDX-License-Identifier: Apache-2.0
"""Each command of a page is carried out by a test, or is named below with the reason that none does."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

import pytest

from rig.page_blocks import README, Block, begins, blocks, page_names, page_path
from rig.reader import ROOT

PAGES = page_names()
TESTS = [*(ROOT / "Tests/Interop").rglob("*.py"), *(ROOT / "Tests/Kernel").rglob("*.py")]
COMMAND = re.compile(r"^(\$|(sudo )?[\w/.]*(readerd|readerlab)[\w-]*|[\w/]*script/[\w-]+) ?", re.MULTILINE)
"""A line of a block without a language."""

EXCEPTIONS = {
    (README, "script/run"): "installs packages and builds for minutes",
    (README, "script/build -c release"): "builds for minutes",
    ("a-phone-is-lost.md", "readerlab credentials list"): "RevocationCommandTests has the desk's commands",
    (
        "a-phone-is-lost.md",
        "  readerlab phone command BL_PUSH",
    ): "an adapter; test_phone_program.py has the air",
    ("a-phone-is-lost.md", "readerd policy show --json"): "RevocationCommandTests has the comparison",
    ("configuration.md", "sudo hciconfig hci0 down"): "an adapter; script/test-kernel has one of the kernel's",
    ("configuration.md", "sudo .build/release/readerd status"): "that adapter",
    ("configuration.md", "$ readerd check-config readerd.toml --state"): "what a phone has pushed",
    ("contactless.md", "readerlab card reader --key"): "a chip; test_aliro_reader.py has a simulated one",
    ("credentials.md", "readerlab credentials list"): "RevocationCommandTests has the register",
    ("device-packs.md", "readerlab emulate gatt --from"): "a phone's capture; test_device_packs.py makes captures",
    ("fleet.md", "step ca renew"): "a program of which Debian has no package",
    ("fleet.md", "sudo -u postgres createuser"): "the machine's PostgreSQL, and a password that is typed",
    ("fleet.md", 'readerlab fleet status --database "postgresql:'): "that server, by TLS as well",
    ("gate.md", "$ readerd calibrate --traces front-door.csv"): "people who walk to a door",
    ("ios-simulator.md", "readerlab air"): "test_ios_simulator.py has the three on ports of their own",
    ("performance.md", "for product in"): "a measurement of minutes, made by hand",
    ("performance.md", "script/build"): "measurements of minutes, made by hand",
    ("performance-history.md", "script/build"): "the same",
    ("phone.md", "protoc "): "protoc, which the tests do without",
    ("updating.md", "readerd check-update"): "installs another version",
    ("profiles.md", "readerlab emulate gatt --profile"): "test_device_profiles.py has it on a radio",
    ("self-test.md", "$ readerd self-test"): "a board with a door; test_self_test.py has the parts",
    ("web.md", "readerlab web demo"): "test_site.py has each in a browser",
    ("web.md", "readerlab scenario demo-played.json"): "test_site.py runs the file that it has saved",
    ("web.md", "readerlab web air --reader"): "test_site.py has it in a browser",
}
"""The needs of a page's block that no test has, by page and the beginning of a line."""

Section = tuple[str, str, str]
"""Page, heading and language."""
Beginning = tuple[str, tuple[str, ...]]
"""Page, and how a line begins."""


def commanding() -> Iterator[tuple[str, Block]]:
    """The blocks that a person is to type, each with its page."""
    for page in PAGES:
        yield from ((page, each) for each in blocks(page) if is_command(each))


def is_command(block: Block) -> bool:
    """True for shell and conversations; without a language for calls of a program of the project."""
    return block.language in ("sh", "console") or (not block.language and bool(COMMAND.search(block.text)))


def calls(name: str) -> Iterator[tuple[str, ast.Call]]:
    """The calls of that function of the rig in all tests, each with its place."""
    for path in TESTS:
        text = path.read_text()
        if "rig.page_blocks" not in text:
            continue
        nodes = list(ast.walk(ast.parse(text)))
        imports = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module == "rig.page_blocks"]
        if name in [each.name for node in imports for each in node.names]:
            for node in nodes:
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", node


def literals(place: str, call: ast.Call) -> list[str]:
    """Its arguments. Fails if they are not known before it runs."""
    found = []
    for argument in call.args:
        if isinstance(argument, ast.Name) and argument.id == "README":
            found.append(README)
        else:
            assert isinstance(argument, ast.Constant) and isinstance(argument.value, str), f"{place}: not a literal"
            found.append(argument.value)
    return found


def sections() -> set[Section]:
    """Those whose blocks a test takes."""
    found = set()
    for place, call in calls("commands"):
        page, heading, *language = literals(place, call)
        found.add((page, heading, language[0] if language else "sh"))
    return found


def beginnings() -> set[Beginning]:
    """The beginnings by which a test takes blocks."""
    return {(page, tuple(words)) for page, *words in (literals(*each) for each in calls("beginning"))}


def left_out(page: str, block: Block) -> list[tuple[str, str]]:
    """The exceptions that the block is."""
    return [(of, words) for of, words in EXCEPTIONS if of == page and begins(block.text, (words,))]


def missing(among: Iterable[tuple[str, Block]]) -> list[str]:
    """The places of those blocks that are neither taken nor left out."""
    taken, words = sections(), beginnings()
    return [
        f"{page_path(page).relative_to(ROOT)}:{block.line}, {block.heading}: {block.text.splitlines()[0]}"
        for page, block in among
        if (page, block.heading, block.language) not in taken
        and not any(of == page and begins(block.text, those) for of, those in words)
        and not left_out(page, block)
    ]


def test_each_command_is_carried_out_or_named() -> None:
    places = missing(commanding())
    assert not places, "no test carries these out:\n" + "\n".join(places)


@pytest.mark.parametrize("language", ["sh", "console", ""])
def test_a_new_command_is_found(language: str) -> None:
    block = Block("## New", language, "$ readerd new\n", 7)
    assert is_command(block)
    assert missing([("policy.md", block)]) == ["docs/operate/policy.md:7, ## New: $ readerd new"]


def test_what_tests_take_is_there() -> None:
    there = {(page, each.heading, each.language) for page in PAGES for each in blocks(page)}
    assert sections() <= there


def test_each_exception_is_of_a_command() -> None:
    assert {exception for page, block in commanding() for exception in left_out(page, block)} == set(EXCEPTIONS)

# SPDX-License-Identifier: Apache-2.0
"""The checks of the house find what is wrong: arrows that point up, missing descriptions, cycles of folders."""

from __future__ import annotations

import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "script"


def load(name: str) -> ModuleType:
    """A program of script/ as a module."""
    loader = SourceFileLoader(name.replace("-", "_"), str(SCRIPT / name))
    spec = spec_from_loader(loader.name, loader)
    assert spec
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def modules_of_the_scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SCRIPT))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)


def a_package(*targets: tuple[str, str, str, list[str]]):
    """A package of libraries: name, layer, purpose, dependencies."""
    from manifests import Package, Target

    return Package(
        name="small",
        folder=ROOT / "small",
        layers=["system", "values", "program"],
        targets=[
            Target(name, "regular", ROOT / "small/Sources" / name, frozenset(dependencies), frozenset(), layer, purpose)
            for name, layer, purpose, dependencies in targets
        ],
        products=[],
        packages=[],
    )


def test_an_arrow_that_points_up_is_refused() -> None:
    house = load("house")
    low, high = ("Low", "values", "a value", []), ("High", "program", "a program", ["Low"])
    assert house.faults(a_package(low, high)) == []
    assert house.faults(a_package(("Low", "values", "a value", ["High"]), high)) == [
        "small/Package.swift: Low (values) depends on High (program), which is a higher layer"
    ]


def test_a_target_without_a_description_is_refused() -> None:
    house = load("house")
    assert house.faults(a_package(("Low", "", "", []))) == [
        "small/Package.swift: Low: declare it with a layer and a purpose"
    ]
    assert house.faults(a_package(("Low", "elsewhere", "a value", []))) == [
        "small/Package.swift: Low: enum Layer has no elsewhere"
    ]


def test_every_target_of_the_manifests_has_a_layer_and_a_purpose() -> None:
    from manifests import packages

    house = packages()
    assert [package.place for package in house] == [
        ".",
        "matter",
        "fleet",
        "lab",
        "emulators",
        "lab/netsim",
        "lab/readerlab",
    ]
    reader = next(target for target in house[0].targets if target.name == "Reader")
    assert (reader.layer, reader.folder) == ("reader", ROOT / "Sources/Reader")
    assert "Timekeeping" in reader.dependencies
    for package in house:
        for target in package.targets:
            assert target.is_for_tests or (target.layer and target.purpose), target.name


def test_a_label_is_whole_and_within_its_box() -> None:
    from manifests import Target

    house = load("house")
    long = "a purpose that needs more than one line of its box, and an uncommonly-long-word"
    for name, purpose in (("A", long), ("AnUncommonlyLongNameOfATarget", "short")):
        target = Target(name, "regular", ROOT, frozenset(), frozenset(), "values", purpose)
        width = house.box_width(target) - 2 * house.PADDING
        lines = house.note_lines(target, width)
        assert " ".join(lines) == purpose
        assert len(lines) <= house.NOTE_LINES
        assert max(house.text_width(name, 12, is_bold=True), *(house.text_width(line, 11) for line in lines)) <= width


FILES = {
    "Low/Low.swift": "struct Low { struct Inner {} }\nfunc lowered() {}",
    "Low/Text.swift": 'let text = "High" // High\n/* High */ let raw = #"High \\(High)"#',
    "Low/Inside.swift": "extension Low { func use(_ inner: Inner) { close(1) } }",
    "High/High.swift": 'struct High { let low: Low.Inner; let text = "\\(lowered())" }',
    "High/Low+High.swift": "extension Low { func heighten() {}\n func close() {} }",
    "Low/Caller.swift": "func call(_ low: Low) { low.heighten() }",
}


def references(kind: str) -> set[tuple[str, str, str]]:
    from references import Source, calls_graph, code_of, types_graph

    # Another target, which sees nothing of this one, calls the system's close.
    stranger = Source({Path("Other/Other.swift"): code_of("func f() { close(2) }")}, set())
    sources = {"House": Source({Path(path): code_of(text) for path, text in FILES.items()}, set()), "Other": stranger}
    graph = {"types": types_graph, "calls": calls_graph}[kind](sources, "House")
    return {
        (str(file), str(owner), name)
        for file, found in graph.items()
        for owner, names in found.items()
        for name in names
    }


def test_references_to_types_and_functions_are_found_and_text_is_not() -> None:
    assert references("types") == {
        ("Low/Inside.swift", "Low/Low.swift", "Low"),
        ("Low/Inside.swift", "Low/Low.swift", "Inner"),
        ("High/High.swift", "Low/Low.swift", "Low"),
        ("High/High.swift", "Low/Low.swift", "Low.Inner"),
        ("High/High.swift", "Low/Low.swift", "lowered"),
        ("High/Low+High.swift", "Low/Low.swift", "Low"),
        ("Low/Caller.swift", "Low/Low.swift", "Low"),
    }


def test_calls_of_an_extensions_methods_are_found_and_the_systems_are_not() -> None:
    assert references("calls") == {("Low/Caller.swift", "High/Low+High.swift", "heighten")}


def test_cycles_are_found_whole() -> None:
    from references import cycles

    graph = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "e": {"d"}, "f": {"a"}}
    assert cycles(graph) == [["a", "b", "c"], ["d", "e"]]


def test_a_number_of_cycles_may_only_fall() -> None:
    architecture = load("check-architecture")
    table = {"Old": 3}
    assert architecture.judge("Old", "folders", 3, table, 0) == []
    assert architecture.judge("New", "folders", 0, table, 0) == []
    assert "4 folders, and at most 3" in architecture.judge("Old", "folders", 4, table, 0)[0]
    assert "lower its number to 2" in architecture.judge("Old", "folders", 2, table, 0)[0]
    assert "remove it" in architecture.judge("Old", "folders", 0, table, 0)[0]
    assert "at most 0 are allowed" in architecture.judge("New", "folders", 2, table, 0)[0]


WAY = {
    "Queue.swift": """
struct Queue {
    private var entries: [Entry] = []
    private var places: [Name: Int] = [:]
    var count = 0
    mutating func append(_ entry: Entry) { entries.append(entry) }
    func next() -> Entry? { /* places */ entries.first }
}
""",
    "Door.swift": """
protocol Opener {
    func open()
}
struct Door: Opener {
    struct Lock {
        func release() {}
    }
    var queue = Queue()
    mutating func open() { queue.append(Entry()); with { lock.release() } }
    func with(_ body: () -> Void) { body() }
}
extension Queue {
    func find(_ name: Name) -> Int? { places[name] }
}
""",
}


def way(lists: list[str], calls: list[tuple[str, str, str]], figures: str) -> str:
    """A page with the two tables of an opening's way."""
    waits = "".join(f"| 1 | `{place}` |\n" for place in lists)
    rows = "".join(
        f"| {begin} | `{caller}` | {', '.join(f'`{call}`' for call in callees.split())} |\n"
        for begin, caller, callees in calls
    )
    return (
        f"An opening has {figures}.\n\n| list of the way to the lock | place |\n|---|---|\n{waits}\n"
        f"| begins with | function | calls |\n|---|---|---|\n{rows}"
    )


def test_the_way_of_an_opening_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    import opening

    monkeypatch.setattr(opening, "FIGURES", {"lists": 1, "dictionaries": 1, "functions": 5})
    calls = [("a turn", "Door.open", "Queue.append Door.with Lock.release"), ("later", "Queue.find", "")]
    figures = "1 lists, 1 dictionaries and 5 functions"
    assert opening.faults(way(["Queue.entries"], calls, figures), WAY) == []
    for name in ("Queue.count", "Queue.others", "Other.entries", "Queue"):
        [fault] = opening.faults(way([name], calls, figures), WAY)
        assert fault == f"`{name}`: no list of this name"
    faults = opening.faults(way(["Queue.entries", "Queue.places"], calls, figures), WAY)
    assert "has 2 lists" in faults[0] and "does not say `2 lists`" in faults[1]
    faults = opening.faults(way(["Queue.entries"], [("a turn", "Queue.find", "")], figures), WAY)
    assert "has 1 functions" in faults[0]


def test_a_call_that_is_not_made_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    import opening

    monkeypatch.setattr(opening, "FIGURES", {"lists": 0, "dictionaries": 0, "functions": 3})
    figures = "0 lists, 0 dictionaries and 3 functions"
    for caller, callees, fault in [
        ("Door.open", "Queue.next Door.with", "`Door.open`: no call of `Queue.next`"),
        ("Door.open", "Door.append Door.with", "`Door.append`: no function of this name"),
        ("Door.shut", "Door.with Door.open", "`Door.shut`: no call of `Door.with`"),
    ]:
        assert fault in opening.faults(way([], [("a turn", caller, callees)], figures), WAY)
    calls = [("a turn", "Door.open", "Queue.append"), ("", "Queue.next", "")]
    assert opening.faults(way([], calls, figures), WAY) == ["`Queue.next`: no function above calls it"]


def test_the_files_and_folders_of_recipes_exist() -> None:
    architecture = load("check-architecture")
    listed = (
        "Sources/Reader/Links/AccessTable.swift\nSources/Reader/Credential/CredentialPolicy+Doors.swift\nscript/lint"
    )
    steps = (
        "1. `AccessTable.swift` in `Reader/Links`, `Links/`, by `script/lint`.\n"
        "2. `Credential/CredentialPolicy+KIND.swift`, `EmulatedUnit`, `readerd run --help`.\n"
    )

    def faults(steps: str) -> list[str]:
        page = f"# Page\n\n`Before/None.swift`\n\n{architecture.RECIPES}\n\n{steps}\n## Next\n\n`After/None.swift`\n"
        return architecture.recipe_faults(page, listed)

    assert faults(steps) == []
    for name in ("Table.swift", "Reader/Link", "Links/Reader/", "CredentialRule+KIND.swift", "script/lints", "door.md"):
        (fault,) = faults(f"1. Here.\n   Then `{name}`.\n")
        assert fault.endswith(f"architecture.md:8: `{name}`: the repository has no such file or folder")
    assert architecture.recipe_faults("# Page\n", listed)


SERVICE = """
protocol Service: AnyObject {
    func receive(_ event: inout Event)
    func perform(_ verb: Verb, seconds: Int64) -> Outcome?
}
extension Service {
    func receive(_ event: inout Event) {}
}
"""


@pytest.mark.parametrize(
    ("function", "is_near"),
    [
        ("func receive(_ event: Event) {}", True),
        ("func receive(_ event: borrowing Event) {}", True),
        ("func perform(_ verb: Verb?, seconds: Int64) -> Outcome? { nil }", True),
        ("func receive(_ event: inout Event) {}", False),
        ("func receive(_ notice: Notice) {}", False),
        ("func receive(event: Event) {}", False),
        ("func perform(_ verb: Verb) {}", False),
    ],
)
def test_a_function_that_nearly_is_a_requirement_is_found(function: str, is_near: bool) -> None:
    import requirements

    found = requirements.near_misses(
        {"Service.swift": SERVICE, "Panel.swift": f"class Panel: Service {{ {function} }}"}
    )
    assert [fault.partition("(")[0] for fault in found] == (
        [f"Panel.swift: {function.removeprefix('func ').partition('(')[0]}"] if is_near else []
    )

# SPDX-License-Identifier: Apache-2.0
"""A board in service, by the commands of the pages for who keeps it: keys, fleet, Matter, restart, policy."""

from __future__ import annotations

from bench import Bench, case
from package.flavours import SECONDS, board
from package.system import of_this_architecture
from rig.page_blocks import commands


def identity() -> dict[str, list[str]]:
    """docs/operate/provisioning.md."""
    two_trips, one_trip = commands("provisioning.md", "## From the factory to the first token")
    return {
        "two-trips": [two_trips],
        "one-trip": [one_trip],
        "signature-key": commands("provisioning.md", "## Replacing the signature key"),
        "terminal-key": commands("provisioning.md", "## Replacing the terminal key"),
    }


def fleet() -> dict[str, list[str]]:
    """docs/operate/fleet.md, with its configurations of reader, broker and desk."""
    request, desk, certificate, _ = commands("fleet.md", "### Enrolment")
    broker, access = commands("fleet.md", "### Enrolment", "text")
    _, desk_access = commands("fleet.md", "### From the desk", "text")
    state, *_ = commands("fleet.md", "### The desired state", "json")
    return {
        "link-options": commands("fleet.md", "## On a device"),
        "link-configuration": [
            *commands("fleet.md", "## On a device", "toml"),
            *commands("fleet.md", "## Orders from afar", "toml"),
            *commands("fleet.md", "### The desired state", "toml"),
        ],
        "request": [request],
        "enrolment": [desk],
        "certificate": [certificate],
        "broker": [broker],
        "access": [access, desk_access],
        "command-key": commands("fleet.md", "## Orders from afar"),
        "command": commands("fleet.md", "### From the desk"),
        "state": [state],
        "desired": commands("fleet.md", "### The desired state"),
        "collector": commands("fleet.md", "### A page of all readers"),
    }


def matter() -> dict[str, list[str]]:
    """docs/operate/matter-lock.md, with its configuration."""
    return {
        "matter-configuration": commands("matter-lock.md", "## On a device", "toml"),
        "matter": commands("matter-lock.md", "## On a device"),
        "matter-window": commands("matter-lock.md", "## Commissioning"),
    }


def service() -> dict[str, list[str]]:
    """docs/operate/control.md, docs/operate/policy.md and docs/emulators/web.md."""
    terminal, page = commands("web.md", "## A running reader")[0].splitlines(keepends=True)
    return {
        "socket": commands("control.md", "# The control socket"),
        "metrics": commands("control.md", "## Metrics"),
        "restart": commands("control.md", "### Before a restart"),
        "policy": commands("policy.md", "## When it is refused"),
        "watch": [terminal],
        "watch-page": [page],
    }


@case("keeping", seconds=SECONDS, is_slow=True)
def keeping(bench: Bench) -> None:
    """The pages of provisioning, fleet, Matter lock, restart and policy unchanged, on a board with the packages."""
    sections = identity() | fleet() | matter() | service()
    board(bench, "keeping", sections, ["readerd-link", "readerd-matter"], of_this_architecture())

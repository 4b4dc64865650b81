// SPDX-License-Identifier: Apache-2.0

import {button, capitalised, make} from "./elements.js";
import {Gate} from "./gate.js";
import {doorWords} from "./plan-readers.js";

/// The inputs of a door: whether one is active, and the lines that set and release it.
const inputs = [
  ["Exit button", door => door.exit, "exit on", "exit off"],
  ["Door contact", door => door.contact, "door open", "door closed"],
  ["Lockdown", door => door.lockdown, "lockdown on", "lockdown off"],
  ["Fire", door => door.fire, "fire on", "fire off"],
  ["Power cut", door => !door.power, "power off", "power on"],
];

/// The chosen reader of a site: its door with lights and inputs, and its gate.
export class ReaderPanel {
  root = make("div", undefined, "gate");
  #gate = new Gate();
  #title = make("h3");
  #door = make("p", undefined, "door-state");
  #decision = make("p", undefined, "decision-text");
  #switches = make("div", undefined, "switches");
  #inputs = new Map();

  /// `send(line)` sends a line for the chosen reader.
  constructor(send) {
    this.root.append(this.#title, this.#door, this.#gate.root, this.#decision, this.#switches);
    for (const [text, isActive, on, off] of inputs) {
      const press = button(text, () => send(press.getAttribute("aria-pressed") === "true" ? off : on));
      this.#inputs.set(press, isActive);
      this.#switches.append(press);
    }
  }

  reset() { this.#gate.reset(); }

  receive(entry) { this.#gate.receive(entry); }

  choose(reader, plan) {
    const hasGate = reader["threshold-dbm"] !== undefined;
    this.#title.textContent = plan.readers.length > 1 || !plan.plays ? reader.name : "Reader";
    this.#switches.hidden = !plan.plays;
    for (const element of [this.#gate.root, this.#decision]) element.style.display = hasGate ? "" : "none";
    if (hasGate) this.#gate.choose(reader);
  }

  /// Shows the state of the reader's door, if it is known, at a time in milliseconds.
  show(door, now) {
    this.#gate.draw(now);
    this.#decision.textContent = this.#gate.decision;
    if (!door) return;
    this.#door.replaceChildren(make("strong", capitalised(doorWords(door))));
    this.#door.className = `door-state ${door.lock ? "released" : ""}`;
    for (const [name, isOn] of [["green", door.granted], ["red", door.denied], ["buzzer", door.buzzer]]) {
      if (isOn !== undefined) this.#door.append(make("span", name, `lamp ${name} ${isOn ? "lit" : ""}`));
    }
    for (const [press, isActive] of this.#inputs) press.setAttribute("aria-pressed", String(Boolean(isActive(door))));
  }
}

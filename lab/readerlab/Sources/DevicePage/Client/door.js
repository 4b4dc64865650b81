// SPDX-License-Identifier: Apache-2.0

import {draw, make} from "./elements.js";

const states = {
  secured: ["Locked", "locked"], unlocked: ["Unlocked", "free"], "held-open": ["Held open", "free"],
  lockdown: ["Lockdown", "shut"], inactive: ["Out of service", "unknown"],
};
const alarms = {forced: "Forced open", ajar: "Open for too long"};

/// A picture of a door, and its state in words.
export class Door {
  root = make("div", undefined, "scene");
  #picture = draw("svg", {class: "picture", viewBox: "0 0 120 150", role: "img", "data-look": "unknown"},
    draw("rect", {class: "wall", x: 1, y: 1, width: 118, height: 148, rx: 10}),
    draw("rect", {class: "gap", x: 28, y: 20, width: 58, height: 112, rx: 3}),
    draw("rect", {class: "leaf", x: 28, y: 20, width: 58, height: 112, rx: 3}),
    draw("circle", {class: "knob", cx: 77, cy: 78, r: 4.5}),
    draw("rect", {class: "wall", x: 96, y: 62, width: 14, height: 30, rx: 4}),
    draw("circle", {class: "lamp", cx: 103, cy: 71, r: 3.5}));
  #state = make("strong", "Unknown");
  #words = make("p", "the door's state is not known yet");

  constructor() {
    const text = make("div");
    text.append(this.#state, this.#words);
    this.root.append(this.#picture, text);
  }

  /// Shows the door of a status (docs/protocol, "Status").
  show(door) {
    const [name, look] = states[door.state] ?? [door.state, "unknown"];
    const alarm = alarms[door.alarm];
    const facts = [
      door.state === "lockdown" ? "nobody is let in" : "", door.open ? "the door stands open" : "the door is closed",
      door.tampered ? "the housing is open" : "", door.blocked ? "access is refused until a tamper reset" : "",
      door["simulated-lock"] ? "no lock is connected" : ""].filter(Boolean);
    this.#state.textContent = alarm ? `${alarm} · ${name}` : name;
    this.#words.textContent = facts.join(" · ");
    this.#picture.dataset.look = alarm ? "alarm" : look;
    this.#picture.dataset.open = String(Boolean(door.open));
    this.#picture.setAttribute("aria-label", `Door: ${this.#state.textContent}, ${facts.join(", ")}`);
  }
}

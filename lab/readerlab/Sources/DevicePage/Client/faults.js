// SPDX-License-Identifier: Apache-2.0

import {at, button, icon, make} from "./elements.js";

/// The faults of an emulated device: those in force, and a button for each of a step. A button is pressed while its fault
/// is in force.
export class Faults {
  #connection;
  #steps = [];
  #active = [];

  constructor(root, connection) {
    this.#connection = connection;
    at("step").addEventListener("change", () => this.#showKinds());
  }

  reset() {}

  receive({kind, data}) {
    if (kind === "faults") this.#showSteps(data.steps);
    if (kind === "state") this.#showActive(data.faults);
  }

  #showSteps(steps) {
    this.#steps = steps;
    at("wrong").hidden = false;
    at("faults").hidden = steps.length === 0;
    at("step").replaceChildren(...steps.map((step, place) => {
      const option = make("option", step.step || "the device");
      option.value = place;
      return option;
    }));
    if (steps.length) this.#showKinds();
  }

  #showKinds() {
    const step = this.#steps[at("step").value];
    at("kinds").replaceChildren(...step.faults.map(({fault, argument}) => {
      const element = button(argument ? `${fault} ${argument}` : fault, () => this.#press(step, fault, argument));
      element.dataset.fault = fault;
      return element;
    }));
    this.#mark();
  }

  #find(step, fault) {
    return this.#active.find(active => active.fault === fault && (active.step ?? null) === (step.step ?? null));
  }

  #press(step, fault, argument) {
    const active = this.#find(step, fault);
    if (active) return this.#connection.send(active.release);
    const line = ["fault", fault, step.step].filter(Boolean).join(" ");
    if (!argument) return this.#connection.send(line + (at("every").checked ? " every" : ""));
    // The number is typed.
    at("line").value = line + " ";
    at("line").focus();
  }

  #mark() {
    const step = this.#steps[at("step").value];
    for (const element of at("kinds").children) {
      element.setAttribute("aria-pressed", String(Boolean(step && this.#find(step, element.dataset.fault))));
    }
  }

  #showActive(faults) {
    if (JSON.stringify(faults) === JSON.stringify(this.#active)) return;
    this.#active = faults;
    at("none-active").hidden = faults.length > 0;
    at("active").replaceChildren(...faults.map(({text, release}) => {
      const item = make("li"), end = button("", () => this.#connection.send(release));
      end.setAttribute("aria-label", "Release " + text);
      end.append(icon("close"));
      item.append(make("span", text), end);
      return item;
    }));
    this.#mark();
  }
}

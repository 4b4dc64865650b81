// SPDX-License-Identifier: Apache-2.0

import {at, button, make} from "./elements.js";

/// The lines that the program accepts: a field, a button for each fault and for each command that it lists.
export class Commands {
  #connection;
  #steps = [];

  constructor(root, connection) {
    this.#connection = connection;
    at("typed").addEventListener("submit", event => {
      event.preventDefault();
      connection.send(at("line").value);
      at("line").value = "";
    });
    at("step").addEventListener("change", () => this.#showFaults());
  }

  reset() {}

  receive({kind, data}) {
    switch (kind) {
    case "help": return this.#showHelp(data.lines);
    case "faults": return this.#showSteps(data.steps);
    case "answer": return this.#answer(data.line, data.answer.lines, data.answer.ok);
    case "refused": return this.#answer(data.line, [data.text], false);
    }
  }

  #answer(line, lines, isGood) {
    const place = at("answer");
    place.replaceChildren(make("strong", line), document.createTextNode("\n" + lines.join("\n")));
    place.className = isGood ? "" : "wrong";
  }

  #order(line) {
    at("orders").append(button(line, () => this.#connection.send(line)));
  }

  /// "a|b" in one word: each of them; otherwise null.
  static #choices(word) { return /^[a-z-]+(\|[a-z-]+)+$/.test(word) ? word.split("|") : null; }

  #showHelp(lines) {
    at("help").replaceChildren(...lines.map(line => make("li", line)));
    at("orders").replaceChildren();
    for (const line of lines.flatMap(line => line.split(/[;,]|\s\|\s/))) {
      const words = line.replace(/:.*$/, "").trim().split(/\s+/);
      if (words.length !== 2 || words[0] === "fault") continue;
      for (const choice of Commands.#choices(words[1]) ?? []) this.#order(words[0] + " " + choice);
    }
    for (const order of ["too-far", "findings", "faults", "clear", "disconnect", "list"]) {
      if (lines.some(line => new RegExp("(^|[^\\w-])" + order + "([^\\w-]|$)").test(line))) this.#order(order);
    }
  }

  #showSteps(steps) {
    this.#steps = steps;
    at("faults").hidden = steps.length === 0;
    at("step").replaceChildren(...steps.map((step, place) => {
      const option = make("option", step.step || "the device");
      option.value = place;
      return option;
    }));
    if (steps.length) this.#showFaults();
  }

  #showFaults() {
    const step = this.#steps[at("step").value];
    at("kinds").replaceChildren(...step.faults.map(({fault, argument}) =>
      button(argument ? `${fault} ${argument}` : fault, () => {
        const line = ["fault", fault, step.step].filter(Boolean).join(" ");
        if (argument) this.#complete(line + " ");
        else this.#connection.send(line + (at("every").checked ? " every" : ""));
      })));
  }

  /// Puts a line to be completed into the field.
  #complete(line) {
    at("line").value = line;
    at("line").focus();
  }
}

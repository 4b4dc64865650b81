// SPDX-License-Identifier: Apache-2.0

import {at, button, make} from "./elements.js";

/// The lines that the program accepts: a field, and a button for each command without a state.
export class Commands {
  #connection;
  #lines = [];
  #switched = new Set();

  constructor(root, connection) {
    this.#connection = connection;
    at("typed").addEventListener("submit", event => {
      event.preventDefault();
      connection.send(at("line").value);
      at("line").value = "";
    });
  }

  reset() {}

  receive({kind, data}) {
    switch (kind) {
    case "help":
      this.#lines = data.lines;
      at("help").replaceChildren(...data.lines.map(line => make("li", line)));
      return this.#showOrders();
    case "state": {
      // What a switch sets has its buttons there.
      const lines = data.switches.flatMap(({choices}) => choices.map(({line}) => line));
      if (lines.every(line => this.#switched.has(line))) return;
      lines.forEach(line => this.#switched.add(line));
      return this.#showOrders();
    }
    case "answer": return this.#answer(data.line, data.answer.lines, data.answer.ok);
    case "refused": return this.#answer(data.line, [data.text], false);
    }
  }

  #answer(line, lines, isGood) {
    const place = at("answer");
    place.replaceChildren(make("strong", line), document.createTextNode("\n" + lines.join("\n")));
    place.className = isGood ? "" : "wrong";
  }

  /// "a|b" in one word: each of them; otherwise null.
  static #choices(word) { return /^[a-z_-]+(\|[a-z_-]+)+$/.test(word) ? word.split("|") : null; }

  #showOrders() {
    const orders = new Set();
    for (const line of this.#lines.flatMap(line => line.split(/[;,]|\s\|\s/))) {
      const words = line.replace(/:.*$/, "").trim().split(/\s+/);
      if (words.length !== 2 || !/^[a-z-]+$/.test(words[0]) || ["fault", "release"].includes(words[0])) continue;
      for (const choice of Commands.#choices(words[1]) ?? []) orders.add(words[0] + " " + choice);
    }
    for (const order of ["findings", "faults", "clear", "disconnect", "list"]) {
      // At the beginning of a form: "steps, findings, help, quit" and "disconnect [LINK]: end a link".
      if (this.#lines.some(line => new RegExp("(^|[,;|] ?)" + order + "([ ,;:|]|$)").test(line))) orders.add(order);
    }
    const rest = [...orders].filter(order => !this.#switched.has(order));
    at("orders").replaceChildren(...rest.map(order => button(order, () => this.#connection.send(order))));
    at("more").hidden = rest.length === 0;
  }
}

// SPDX-License-Identifier: Apache-2.0

// The page: the connection to the program, and the views of it. A view is a module that exports a class with
//
//   constructor(root, connection)   root: the view's <section>; connection.send(line) sends a typed line
//   receive({kind, data})           a message of the stream: its kind, and the parsed JSON
//   reset()                         the messages begin again: the view forgets those that it has
//
// Kinds: `program` (the first: view, and lines: false if the program takes none), `faults` (steps with their faults),
// `help` (the answer to the page's own first line), `answer` (line, answer), `refused` (line, text: the page's own),
// `plan` and `scene` (the floor plan of a site, and its present scene), `entry` (a line of the program), `state` (of an
// emulated device), `status` (of a reader) and `picture` (of a camera): only the latest of each is sent again; `reader`
// (the latest row of a reader of a fleet), `output` (text that is no JSON), `ended` (text), and `lost` (the page's own:
// no connection).

import {at, make} from "./elements.js";
import {Commands} from "./commands.js";
import {Connection} from "./connection.js";
import {Device} from "./device.js";
import {Faults} from "./faults.js";
import {Findings} from "./findings.js";
import {Fleet} from "./fleet.js";
import {Links} from "./links.js";
import {Reader} from "./reader.js";
import {Site} from "./site.js";
import {Timeline} from "./timeline.js";

const commands = ["control", Commands], found = ["found", Findings], links = ["device", Links];
const times = ["times", Timeline];

/// The views of a program, by the view that its `program` message names: the section of each, and its class.
const views = {
  device: [times, found, links, ["force", Device], ["wrong", Faults], commands],
  site: [["site", Site], commands, times],
  reader: [["reader", Reader], times, links],
  fleet: [["fleet", Fleet], times, found],
};

class Page {
  #connection = new Connection(this);
  #views = [];

  follow() { return this.#connection.follow(); }

  receive(message) {
    const {kind, data} = message;
    if (kind === "program" && !this.#views.length) this.#choose(data);
    if (kind === "entry") this.#name(data);
    if (kind === "ended") this.#state(data.text, "lost");
    for (const view of this.#views) {
      try {
        view.receive(message);
      } catch (error) {
        reportError(error);
      }
    }
  }

  reset() {
    at("devices").replaceChildren();
    for (const view of this.#views) view.reset();
  }

  refused(line, text) { this.receive({kind: "refused", data: {line, text}}); }

  state(text, name) {
    this.#state(text, name);
    if (name === "lost") this.receive({kind: "lost", data: {text}});
  }

  #state(text, name) {
    at("state").textContent = text;
    at("state").className = name;
  }

  #choose({view}) {
    document.body.dataset.view = view;
    for (const [id, View] of views[view]) {
      at(id).hidden = id === "wrong" || id === "force";
      this.#views.push(new View(at(id), this.#connection));
    }
    if (view === "fleet") this.#entitle("Fleet");
  }

  #entitle(name) {
    at("title").textContent = name;
    document.title = name === "Fleet" ? name : name + " · readerlab";
  }

  /// The names of the devices.
  #name(entry) {
    if (!["emulation", "device", "open"].includes(entry.event) || entry.entry !== undefined) return;
    const {name, address} = entry.event === "open" ? {name: entry.place, address: entry.hci} : entry;
    if (name && !at("devices").children.length) this.#entitle(name);
    // The line of a reader has its state at the start.
    if (document.body.dataset.view === "reader") return;
    at("devices").append(make("li", [entry.type, address, entry.serial].filter(Boolean).join(" · ")));
  }
}

new Page().follow();

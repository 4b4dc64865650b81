// SPDX-License-Identifier: Apache-2.0

import {at, capitalised, icon, make} from "./elements.js";
import {Door} from "./door.js";

/// The time after which a status no longer counts: the program asks every 2 s.
const staleSeconds = 10;
const qualities = {
  unset: "not set", system: "by the system, not synchronised", synchronised: "synchronised", phone: "set by a person",
};

/// A running reader, which is only observed: its door, its gate, its clock and its faults, as it reports them.
export class Reader {
  #door = new Door();
  #tiles = make("dl", undefined, "tiles");
  #troubles = make("ul", undefined, "troubles");
  #stale;
  #note = make("p", undefined, "wrong");

  constructor(root) {
    this.#note.setAttribute("role", "status");
    this.#troubles.setAttribute("aria-label", "Faults");
    root.append(this.#door.root, this.#note, this.#tiles, this.#troubles);
    this.#expect();
  }

  reset() {}

  receive({kind, data}) {
    if (kind === "status") this.#show(data.status);
    if (kind === "ended" || kind === "lost") this.#note.textContent = "No connection: this is the last known state.";
  }

  #expect() {
    clearTimeout(this.#stale);
    this.#stale = setTimeout(() => {
      this.#note.textContent = `The reader has not answered for ${staleSeconds} s: this is the last known state.`;
    }, staleSeconds * 1000);
  }

  #show(status) {
    this.#note.textContent = "";
    this.#expect();
    this.#door.show(status.door);
    const {gate, clock, controller, links, events} = status;
    const facts = [`readerd ${status.version}`, `up ${Reader.#duration(status["uptime-s"])}`,
      status["demo-identity"] ? "the published demo identity" : ""];
    at("devices").replaceChildren(make("li", facts.filter(Boolean).join(" · ")));
    this.#tiles.replaceChildren(
      Reader.#tile("clock", "Clock", (clock?.time ?? "not set").replace("T", " "), qualities[clock?.quality]),
      ...(gate ? [Reader.#tile("gate", "Gate", `opens from ${gate["threshold-dbm"]} dBm`,
        `${gate.samples === 1 ? "one reading" : `median of ${gate.samples} readings`} within ${gate["window-ms"]} ms`)] : []),
      Reader.#tile("phone", "Phones", `${links.served} of ${links.max} places taken`,
        `${controller.name}, ${controller.advertising ? "advertising" : "not advertising"}`),
      Reader.#tile("log", "Events", `${events.records ?? "?"} stored`,
        events.state === "ok" ? `${events.waiting} waiting` : `the log is ${events.state}`));
    const faults = status.faults ?? [];
    this.#troubles.hidden = faults.length === 0;
    this.#troubles.replaceChildren(...faults.map(fault => {
      const item = make("li"), [what, remedy] = Reader.#parts(fault.text);
      item.append(make("strong", capitalised(what)));
      if (remedy) item.append(make("span", capitalised(remedy)));
      item.append(make("span", `${fault.code}, for ${Reader.#duration(fault["for-s"])}`, "quiet"));
      return item;
    }));
  }

  /// A fault's text as "what is wrong; what to do", or with a colon.
  static #parts(text) {
    const middle = text.indexOf("; "), end = middle < 0 ? text.lastIndexOf(": ") : middle;
    return end < 0 ? [text, ""] : [text.slice(0, end), text.slice(end + 2)];
  }

  static #tile(name, title, text, more) {
    const tile = make("div"), term = make("dt"), value = make("dd", text);
    term.append(icon(name), title);
    tile.append(term, value);
    if (more) tile.append(make("dd", more, "quiet"));
    return tile;
  }

  static #duration(seconds) {
    const units = [[86400, "d"], [3600, "h"], [60, "min"]];
    const [size, unit] = units.find(([size]) => seconds >= size) ?? [1, "s"];
    return `${Math.floor(seconds / size)} ${unit}`;
  }
}

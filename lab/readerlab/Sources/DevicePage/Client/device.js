// SPDX-License-Identifier: Apache-2.0

import {at, make} from "./elements.js";

/// The links of a program.
export class Device {
  #links = new Map();

  reset() {
    this.#links.clear();
    this.#show();
  }

  receive({kind, data}) {
    if (kind === "entry") this.#follow(data);
  }

  /// Keeps the list of links by the entries that open, end and describe them.
  #follow(entry) {
    const name = entry.link ?? entry.place;
    if (name === undefined) return;
    const links = this.#links;
    if (/^(connected|joined|opened)$/.test(entry.event)) links.set(name, [entry.peer || entry.address || ""]);
    if (/^(disconnected|left|closed)$/.test(entry.event)) links.delete(name);
    if (links.has(name)) {
      const level = entry["rssi-dbm"] ?? entry.rssi;
      links.get(name)[1] = level === undefined ? links.get(name)[1] : `${level} dBm`;
      links.get(name)[2] = entry.text || entry.step || entry.event;
    }
    this.#show();
  }

  #show() {
    at("no-links").hidden = this.#links.size > 0;
    at("links").replaceChildren(...[...this.#links].map(([name, words]) =>
      make("li", `${name}  ${words.filter(Boolean).join("  ")}`)));
  }
}

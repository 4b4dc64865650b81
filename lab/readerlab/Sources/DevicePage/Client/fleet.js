// SPDX-License-Identifier: Apache-2.0

import {at, make} from "./elements.js";

/// The readers of a fleet.
export class Fleet {
  #readers = new Map();

  reset() {
    this.#readers.clear();
    at("readers").replaceChildren();
  }

  receive({kind, data}) {
    if (kind === "reader") this.#show(data);
  }

  #show(entry) {
    const row = make("tr");
    const state = entry.state || {}, last = entry.last || {};
    const link = entry.online === null ? "never seen" : entry.online ? "there" : "gone";
    const door = [(state.lock || "-").toLowerCase(), state.open && "open", state.tampered && "tampered"];
    const faults = (state.faults || []).join(", ") || "none";
    const cells = [
      [entry.reader], [link, !entry.online], [entry.firmware ?? "-"],
      [door.filter(Boolean).join(", "), state.tampered],
      [faults, faults !== "none"],
      [[last.time?.replace("T", " "), last.kind, last.credential].filter(Boolean).join(" ") || "-"],
      [entry.events], [entry.lost, entry.lost > 0], [entry.conflicts, entry.conflicts > 0]];
    for (const [text, isBad] of cells) {
      row.append(make("td", String(text)));
      if (isBad) row.lastChild.className = "wrong";
    }
    this.#readers.set(entry.device, {name: String(entry.reader), row});
    at("readers").replaceChildren(...[...this.#readers.values()]
      .sort((one, other) => one.name.localeCompare(other.name)).map(({row}) => row));
  }
}

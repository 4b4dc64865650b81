// SPDX-License-Identifier: Apache-2.0

import {at, badge, make} from "./elements.js";
import {faultWords} from "./fault-words.js";

const names = ["Reader", "Link", "Door", "Faults", "Last event", "Events", "Lost", "Conflicts", "Firmware"];

/// The readers of a fleet.
export class Fleet {
  #readers = new Map();

  reset() {
    this.#readers.clear();
    this.#draw();
  }

  receive({kind, data}) {
    if (kind === "reader") this.#show(data);
  }

  #show(entry) {
    const row = make("tr"), state = entry.state || {}, last = entry.last || {};
    const link = entry.online === null ? badge("never seen", "bad")
      : entry.online ? badge("there", "good") : badge("gone", "bad");
    const lock = (state.lock || "-").toLowerCase();
    const door = [badge(lock, lock === "lockdown" ? "bad" : lock === "unlocked" ? "good" : "")];
    if (entry.online === false) door.push(" ", badge("last known"));
    if (state.open) door.push(" ", badge("open", "warn"));
    if (state.tampered) door.push(" ", badge("tampered", "bad"));
    const faults = (state.faults || []).flatMap(fault => [badge(fault, "warn"), " "]);
    const count = number => number > 0 ? badge(String(number), "bad") : String(number);
    const cells = [
      [make("strong", String(entry.reader))], [link], door, faults.length ? faults : ["none"],
      [[last.time?.replace("T", " "), last.kind, last.credential].filter(Boolean).join(" ") || "-"],
      [String(entry.events)], [count(entry.lost)], [count(entry.conflicts)], [entry.firmware ?? "-"]];
    cells.forEach((content, place) => {
      const cell = make("td");
      cell.dataset.name = names[place];
      const value = make("span");
      value.append(...content);
      cell.append(value);
      row.append(cell);
    });
    const troubles = (state.faults || []).map(code => Fleet.#trouble(String(entry.reader), code));
    this.#readers.set(entry.device, {name: String(entry.reader), row, troubles});
    this.#draw();
  }

  #draw() {
    const readers = [...this.#readers.values()].sort((one, other) => one.name.localeCompare(other.name));
    const troubles = readers.flatMap(({troubles}) => troubles);
    at("readers").replaceChildren(...readers.map(({row}) => row));
    at("troubles").hidden = troubles.length === 0;
    at("troubles").replaceChildren(...troubles);
  }

  /// A fault of a reader in words. A newer reader may have faults that this page does not know.
  static #trouble(reader, code) {
    const item = make("li"), words = faultWords.get(code);
    item.append(make("strong", `${reader}: ${words?.meaning ?? code}`));
    if (words?.remedy) item.append(make("span", words.remedy));
    item.append(make("span", words ? code : "look it up in the documentation of its version", "quiet"));
    return item;
  }
}

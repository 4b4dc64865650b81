// SPDX-License-Identifier: Apache-2.0

import {Strip} from "./strip.js";

/// The time on the strip in milliseconds.
const span = 8000;
/// The time for which a window without a decision is kept.
const longestWindow = 5000;

/// The gate of the chosen reader of a site: its readings, windows and decisions, as a strip and in words.
export class Gate {
  #strip = new Strip();
  #reader = null;
  #readings = [];
  #windows = new Map();
  #decisions = [];

  get root() { return this.#strip.root; }

  reset() {
    [this.#readings, this.#decisions] = [[], []];
    this.#windows.clear();
  }

  choose(reader) { this.#reader = reader; }

  /// Keeps an event of a gate.
  receive(entry) {
    const {event, place, link, phone} = entry, at = entry["at-ms"], key = `${place} ${link}`;
    switch (event) {
    case "measured":
      if (!this.#windows.has(key)) this.#windows.set(key, {at, place});
      this.#readings.push({at, place, dbm: entry.rssi, key});
      break;
    case "near":
    case "refused": {
      const window = this.#windows.get(key);
      if (!window) return;
      window.end = at;
      const dbm = entry.rssi ?? this.#readings.findLast(reading => reading.key === key)?.dbm;
      this.#decisions.push({at, place, name: phone ?? "a phone", isNear: event === "near", dbm});
      break;
    }
    case "disconnected":
      if (this.#windows.has(key)) this.#windows.get(key).end ??= at;
      break;
    }
  }

  /// The last decision in words; an empty text without one.
  get decision() {
    const last = this.#decisions.findLast(({place}) => place === this.#reader?.name);
    if (!last) return "";
    return `${last.name}: ${last.isNear ? "accepted" : "refused"} at ${last.dbm} dBm`;
  }

  draw(now) {
    const reader = this.#reader;
    if (!reader) return;
    const begin = now - span, isHere = ({place, at}) => place === reader.name && at >= begin;
    for (const [key, window] of this.#windows) {
      if ((window.end ?? window.at + longestWindow) < begin) this.#windows.delete(key);
    }
    this.#readings = this.#readings.filter(({at}) => at >= begin);
    this.#decisions = this.#decisions.filter(({at}, index, all) => at >= begin || index === all.length - 1);
    this.#strip.draw({
      begin, end: now, threshold: reader["threshold-dbm"], readings: this.#readings.filter(isHere),
      windows: [...this.#windows.values()].filter(({place}) => place === reader.name),
      decisions: this.#decisions.filter(isHere),
      label: `The gate of ${reader.name}: threshold ${reader["threshold-dbm"]} dBm, window ${reader["window-ms"]} ms. `
        + this.decision});
  }
}

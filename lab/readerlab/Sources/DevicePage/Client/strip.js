// SPDX-License-Identifier: Apache-2.0

import {draw} from "./elements.js";

const width = 640, height = 190, left = 46, right = 12, top = 12, bottom = 24;
const levels = {least: -96, most: -32};
/// The time on the strip in milliseconds.
const span = 8000;

const y = dbm => top + (levels.most - Math.min(Math.max(dbm, levels.least), levels.most))
  / (levels.most - levels.least) * (height - top - bottom);

/// The readings of a reader's gate over time, with its threshold and window, and its decisions.
export class Strip {
  #reader = null;
  #readings = [];
  #windows = new Map();
  #decisions = [];

  constructor() {
    this.root = draw("svg", {class: "strip", viewBox: `0 0 ${width} ${height}`, role: "img"});
  }

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
      if (!this.#windows.has(key)) this.#windows.set(key, {at, place, phone});
      this.#readings.push({at, place, phone, dbm: entry.rssi, key});
      break;
    case "near":
    case "refused":
      if (!this.#windows.has(key)) return;
      this.#windows.get(key).end = at;
      this.#decisions.push({at, place, phone, isNear: event === "near", dbm: entry.rssi
        ?? this.#readings.findLast(reading => reading.key === key)?.dbm});
      break;
    case "disconnected":
      if (this.#windows.has(key)) this.#windows.get(key).end ??= at;
      break;
    }
  }

  /// The last decision in words; an empty text without one.
  get decision() {
    const last = this.#decisions.findLast(({place}) => place === this.#reader?.name);
    if (!last) return "";
    return `${last.phone ?? "a phone"}: ${last.isNear ? "accepted" : "refused"} at ${last.dbm} dBm`;
  }

  draw(now) {
    const reader = this.#reader;
    if (!reader) return;
    const begin = now - span, x = at => left + (at - begin) / span * (width - left - right);
    const isHere = ({place, at}) => place === reader.name && at >= begin;
    for (const [key, window] of this.#windows) {
      if ((window.end ?? window.at + 5000) < begin) this.#windows.delete(key);
    }
    this.#readings = this.#readings.filter(({at}) => at >= begin);
    this.#decisions = this.#decisions.filter(({at}, place, all) => at >= begin || place === all.length - 1);
    const threshold = reader["threshold-dbm"], parts = [];
    for (const dbm of [-90, -80, -70, -60, -50, -40]) {
      parts.push(draw("line", {class: "level", x1: left, x2: width - right, y1: y(dbm), y2: y(dbm)}),
        draw("text", {class: "axis", x: left - 7, y: y(dbm) + 4, "text-anchor": "end"}, dbm));
    }
    for (let at = Math.ceil(Math.max(begin, 0) / 1000) * 1000; at <= now; at += 1000) {
      parts.push(draw("text", {class: "axis", x: x(at), y: height - 6, "text-anchor": "middle"}, `${at / 1000} s`));
    }
    for (const window of this.#windows.values()) {
      const end = Math.min(window.end ?? now, now);
      if (window.place !== reader.name || end < begin) continue;
      const from = Math.max(x(window.at), left);
      parts.push(draw("rect", {class: window.end ? "window" : "window open", x: from, y: top,
        width: Math.max(x(end) - from, 2), height: height - top - bottom}));
    }
    parts.push(draw("line", {class: "threshold", x1: left, x2: width - right, y1: y(threshold), y2: y(threshold)}),
      draw("text", {class: "threshold", x: left + 6, y: y(threshold) - 5}, `threshold ${threshold} dBm`));
    for (const {at, dbm} of this.#readings.filter(isHere)) {
      parts.push(draw("circle", {class: dbm >= threshold ? "near" : "far", cx: x(at), cy: y(dbm), r: 3}));
    }
    for (const {at, isNear, dbm, phone} of this.#decisions.filter(isHere)) {
      const place = `translate(${x(at)} ${y(dbm)})`;
      const sign = draw("g", {class: isNear ? "decision near" : "decision far", transform: place});
      sign.append(draw("circle", {r: 8}), draw("path", {d: isNear ? "M-3.5 0.5L-1 3L3.5 -2.5" : "M-3 -3L3 3M3 -3L-3 3"}));
      if (isNear) sign.append(draw("text", {x: 12, y: -8}, phone ?? ""));
      parts.push(sign);
    }
    this.root.replaceChildren(...parts);
    this.root.setAttribute("aria-label", `The gate of ${reader.name}: threshold ${threshold} dBm, window `
      + `${reader["window-ms"]} ms. ${this.decision}`);
  }
}

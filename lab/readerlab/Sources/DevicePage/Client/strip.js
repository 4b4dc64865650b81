// SPDX-License-Identifier: Apache-2.0

import {draw} from "./elements.js";

/// The range of a strip in dBm, and the levels that have a line.
const range = {least: -96, most: -28}, levels = [-90, -80, -70, -60, -50, -40, -30];
/// The heights in pixels, and the room around the readings.
const sizes = {
  large: {height: 190, left: 46, right: 12, top: 12, bottom: 24}, small: {height: 72, left: 4, right: 4, top: 4, bottom: 4},
};
/// The width in pixels before the strip is on the page.
const usualWidth = 640;

/// Readings over time, with the gate's threshold and windows, and its decisions: as a large strip with axes, or as a
/// small one.
export class Strip {
  #size;
  #last = null;

  constructor(size = "large") {
    this.#size = sizes[size];
    this.root = draw("svg", {class: `strip ${size}`, role: "img", height: this.#size.height});
    // Letters keep their size in any width.
    new ResizeObserver(() => { if (this.#last) this.draw(this.#last); }).observe(this.root);
  }

  /// Draws the time from `begin` to `end` in milliseconds.
  ///
  /// `readings`: {at, dbm, key}, of which those with one key are joined; `windows`: {at, end}, without an end while they
  /// are open; `decisions`: {at, dbm, isNear, name}; `label`: the strip in words.
  draw(content) {
    this.#last = content;
    const {begin, end, threshold, readings, windows = [], decisions = [], label} = content;
    const {height, left, right, top, bottom} = this.#size, width = this.root.clientWidth || usualWidth;
    const x = at => left + (at - begin) / Math.max(end - begin, 1) * (width - left - right);
    const y = dbm => top + (range.most - Math.min(Math.max(dbm, range.least), range.most))
      / (range.most - range.least) * (height - top - bottom);
    const isLarge = this.#size === sizes.large, parts = isLarge ? this.#axes(begin, end, width, x, y) : [];
    for (const window of windows) {
      const to = Math.min(window.end ?? end, end), from = Math.max(x(window.at), left);
      if (to < begin) continue;
      parts.push(draw("rect", {class: window.end ? "window" : "window open", x: from, y: top,
        width: Math.max(x(to) - from, 2), height: height - top - bottom}));
    }
    if (threshold !== undefined) {
      parts.push(draw("line", {class: "threshold", x1: left, x2: width - right, y1: y(threshold), y2: y(threshold)}),
        draw("text", {class: "threshold", x: left + 6, y: y(threshold) - 5},
          isLarge ? `threshold ${threshold} dBm` : `${threshold} dBm`));
    }
    for (const series of Map.groupBy(readings, ({key}) => key).values()) {
      const points = series.map(({at, dbm}) => `${x(at).toFixed(1)},${y(dbm).toFixed(1)}`);
      parts.push(draw("polyline", {points: points.join(" ")}));
    }
    for (const {at, dbm} of readings) {
      parts.push(draw("circle", {class: dbm >= (threshold ?? range.least) ? "near" : "far", cx: x(at), cy: y(dbm), r: 3}));
    }
    for (const {at, isNear, dbm, name} of decisions) {
      const sign = draw("g", {class: isNear ? "decision near" : "decision far", transform: `translate(${x(at)} ${y(dbm)})`});
      sign.append(draw("circle", {r: 8}), draw("path", {d: isNear ? "M-3.5 0.5L-1 3L3.5 -2.5" : "M-3 -3L3 3M3 -3L-3 3"}));
      if (isNear && isLarge) sign.append(draw("text", {x: 12, y: -8}, name));
      parts.push(sign);
    }
    this.root.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.root.setAttribute("aria-label", label);
    this.root.replaceChildren(...parts);
  }

  #axes(begin, end, width, x, y) {
    const {height, left, right} = this.#size, parts = [];
    for (const dbm of levels) {
      parts.push(draw("line", {class: "level", x1: left, x2: width - right, y1: y(dbm), y2: y(dbm)}),
        draw("text", {class: "axis", x: left - 7, y: y(dbm) + 4, "text-anchor": "end"}, dbm));
    }
    // A label needs its room.
    const every = Math.ceil((end - begin) / 1000 / Math.max(Math.floor((width - left - right) / 45), 1)) * 1000;
    for (let at = Math.ceil(Math.max(begin, 0) / every) * every; at <= end; at += every) {
      parts.push(draw("text", {class: "axis", x: x(at), y: height - 6, "text-anchor": "middle"}, `${at / 1000} s`));
    }
    return parts;
  }
}

// SPDX-License-Identifier: Apache-2.0

import {draw} from "./elements.js";
import {distance} from "./plan-readers.js";

/// The distance of a step by arrow keys in metres, and with Shift.
const step = {plain: 0.25, shift: 1};
const arrows = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]};
/// The pixels of a phone's target: a fingertip.
const target = 22;
/// The time after which a phone that was dragged is where the program says, in milliseconds.
const arrivalTime = 500;

const metres = ([x, y], [u, v]) => Math.hypot(x - u, y - v);

/// The phones of a floor plan, which are dragged, and their links to readers.
export class Phones {
  layer = draw("g", {class: "phones"});
  lines = draw("g", {class: "lines", "aria-hidden": "true"});
  #floor;
  #events;
  #steps = new Map();
  #drawn = new Map();
  #held = new Map();

  /// `floor` has the present `plan`, `scene` and `pixel`, `point(event)`, and `fit()`; `events` is `move(name, [x, y])`
  /// while a phone is dragged.
  constructor(floor, events) { [this.#floor, this.#events] = [floor, events]; }

  reset() {
    this.#steps.clear();
    this.#held.clear();
    this.#drawn.clear();
    this.layer.replaceChildren();
    this.lines.replaceChildren();
  }

  get isHolding() { return this.#held.size > 0; }

  /// A short text next to a phone, and its kind for the style.
  mark(name, text, kind) { this.#steps.set(name, {text, kind}); }

  /// Where a phone is drawn: on its place, or around the first reader if only a distance or a level is known.
  place(phone) {
    const held = this.#held.get(phone.name);
    if (held) return held;
    if (phone.at) return phone.at;
    const index = this.#floor.scene.phones.findIndex(({name}) => name === phone.name);
    const angle = (-90 + ((index * 37 + 18) % 110) - 55) * Math.PI / 180;
    const [x, y] = this.#floor.plan.readers[0]?.at ?? [0, 0];
    const away = phone.metres ?? Math.min(Math.max(distance(phone.dbm ?? -90), 0.3), 30);
    return [x + away * Math.cos(angle), y + away * Math.sin(angle)];
  }

  /// False for a phone of a scenario that has not come yet. A place of the air is always there.
  isShown({on, at}) { return on || at !== undefined || !this.#floor.plan.plays; }

  #add(name) {
    const group = draw("g", {class: "phone", tabindex: 0, role: "button", "data-phone": name});
    const initial = /\d+$/.exec(name)?.[0].slice(-2) ?? [...name][0];
    const words = draw("text", {class: "step", x: 21, y: 4}), body = draw("g", {class: "body"});
    body.append(
      draw("circle", {class: "target", r: target}), draw("circle", {class: "halo", r: 17}),
      draw("rect", {x: -10, y: -15, width: 20, height: 30, rx: 5}), draw("path", {class: "ear", d: "M-3 -11.5h6"}),
      draw("text", {class: "initial", y: 5}, initial), draw("text", {class: "name", y: 31}, name), words);
    group.append(body);
    group.addEventListener("pointerdown", event => this.#beginDrag(event, name, group));
    group.addEventListener("keydown", event => this.#step(event, name));
    this.layer.append(group);
    const line = draw("line"), level = draw("text");
    this.lines.append(line, level);
    const made = {group, body, words, line, level};
    this.#drawn.set(name, made);
    return made;
  }

  draw() {
    const {phones} = this.#floor.scene;
    for (const [name, {group, line, level}] of this.#drawn) {
      if (phones.some(phone => phone.name === name)) continue;
      [group, line, level].forEach(element => element.remove());
      this.#drawn.delete(name);
    }
    for (const phone of phones) this.#draw(phone, this.#drawn.get(phone.name) ?? this.#add(phone.name));
  }

  #draw(phone, {group, body, words, line, level}) {
    const {plan, pixel} = this.#floor, place = this.place(phone), [x, y] = place, isShown = this.isShown(phone);
    group.style.display = isShown ? "" : "none";
    group.setAttribute("transform", `translate(${x * 100} ${-y * 100})`);
    body.setAttribute("transform", `scale(${pixel})`);
    const {text = "", kind = ""} = this.#steps.get(phone.name) ?? {};
    const isDragged = group.classList.contains("dragged");
    group.setAttribute("class", ["phone", kind, phone.on ? "" : "off", phone.links?.length ? "linked" : "",
      phone.dbm === undefined ? "" : "set", isDragged ? "dragged" : ""].filter(Boolean).join(" "));
    words.textContent = text;
    // The reader that receives it best, or that it is connected to.
    const levels = phone.levels ?? [];
    const best = phone.links?.length
      ? plan.readers.findIndex(({name}) => name === phone.links[0]) : levels.indexOf(Math.max(...levels));
    const reader = plan.readers[best];
    for (const element of [line, level]) element.style.display = reader && isShown ? "" : "none";
    if (!reader) return group.setAttribute("aria-label", `${phone.name}: not here yet`);
    const [u, v] = reader.at, dbm = levels[best];
    const isNear = dbm >= (reader["threshold-dbm"] ?? -60);
    line.setAttribute("class", `${isNear ? "near" : "far"} ${phone.links?.length ? "linked" : ""}`);
    for (const [name, value] of Object.entries({x1: x * 100, y1: -y * 100, x2: u * 100, y2: -v * 100})) {
      line.setAttribute(name, value);
    }
    line.style.strokeWidth = Math.min(Math.max((dbm + 100) / 14, 0.8), 4.5) * pixel;
    const middle = [x + (u - x) * 0.42, y + (v - y) * 0.42];
    // A label needs its room.
    level.style.display = isShown && metres(place, reader.at) * 100 > 75 * pixel ? "" : "none";
    level.setAttribute("transform", `translate(${middle[0] * 100} ${-middle[1] * 100}) scale(${pixel})`);
    level.textContent = `${dbm} dBm`;
    group.setAttribute("aria-label", `${phone.name}, ${metres(place, reader.at).toFixed(1)} m from ${reader.name}, `
      + `${dbm} dBm, in the ${phone.carry}${text ? `: ${text}` : ""}. Arrow keys move it.`);
  }

  // Moves by pointer and by keys

  #beginDrag(event, name, group) {
    if (event.button !== 0) return;
    event.preventDefault();
    event.stopPropagation();
    group.focus({preventScroll: true});
    group.setPointerCapture(event.pointerId);
    const phone = this.#floor.scene.phones.find(phone => phone.name === name);
    const place = this.place(phone), [x, y] = place, [u, v] = this.#floor.point(event);
    // The floor stays under the finger from here on, also before the first move.
    this.#held.set(name, place);
    group.classList.add("dragged");
    const move = event => {
      const [a, b] = this.#floor.point(event);
      this.#hold(name, [a - u + x, b - v + y]);
    };
    const end = event => {
      for (const name of ["pointerup", "pointercancel"]) group.removeEventListener(name, end);
      group.removeEventListener("pointermove", move);
      if (event.type === "pointerup" && this.#held.get(name) !== place) move(event);
      group.classList.remove("dragged");
      this.#release(name);
    };
    group.addEventListener("pointermove", move);
    for (const name of ["pointerup", "pointercancel"]) group.addEventListener(name, end);
  }

  #step(event, name) {
    const arrow = arrows[event.key];
    if (!arrow) return;
    event.preventDefault();
    const phone = this.#floor.scene.phones.find(phone => phone.name === name);
    const [x, y] = this.place(phone), by = event.shiftKey ? step.shift : step.plain;
    this.#hold(name, [x + arrow[0] * by, y + arrow[1] * by]);
    this.#release(name);
  }

  #hold(name, point) {
    const place = point.map(value => Math.round(value * 100) / 100);
    this.#held.set(name, place);
    this.#events.move(name, place);
    this.draw();
  }

  /// The phone's place is the program's again, once it has arrived there.
  #release(name) {
    const place = this.#held.get(name);
    setTimeout(() => {
      if (this.#held.get(name) !== place) return;
      this.#held.delete(name);
      this.#floor.fit();
    }, arrivalTime);
  }
}

// SPDX-License-Identifier: Apache-2.0

import {draw} from "./elements.js";

/// The centimetres around everything on the plan.
const margin = 110;
/// The distance of a step by arrow keys in metres, and with Shift.
const step = {plain: 0.25, shift: 1};
/// The number of phones from which on names are shown of those that matter.
const crowd = 12;
/// The narrowest and the widest plan, as width by height.
const shapes = {narrowest: 0.8, widest: 1.6};
/// The corners of the floor around a reader in metres, on which phones are dragged at least.
const rooms = {scenario: [[-1.5, -2], [2, 1.4]], air: [[-4, -6.5], [4, 1.5]]};
const arrows = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]};
/// The pixels of a phone's target: a fingertip.
const target = 22;

/// The distance in metres at which the model's mean level is this many dBm: -50 at 1 m, 20 dB less at ten times that.
export const distance = dbm => 10 ** ((-50 - dbm) / 20);

const metres = ([x, y], [u, v]) => Math.hypot(x - u, y - v);

/// A floor plan to scale, in centimetres: readers with their doors, walls, and phones that are dragged.
///
/// Events: `move(name, [x, y])` while a phone is dragged, `choose(reader)`, `build([from, to])`, `takeDown(number)`.
export class Plan {
  #events;
  #plan = {readers: [], walls: []};
  #scene = {phones: [], readers: []};
  #steps = new Map();
  #phones = new Map();
  #readers = new Map();
  #bounds = null;
  #held = new Map();
  #wall = null;
  #chosen = "";

  constructor(events) {
    this.#events = events;
    this.root = draw("svg", {class: "plan", role: "group", "aria-label": "Floor plan"});
    this.#grid = draw("g", {class: "grid", "aria-hidden": "true"});
    this.#rings = draw("g", {class: "rings", "aria-hidden": "true"});
    this.#walls = draw("g", {class: "walls"});
    this.#doors = draw("g", {class: "doors"});
    this.#lines = draw("g", {class: "lines", "aria-hidden": "true"});
    this.#people = draw("g", {class: "phones"});
    this.#draft = draw("line", {class: "wall draft", visibility: "hidden"});
    this.root.append(
      this.#grid, this.#rings, this.#walls, this.#lines, this.#doors, this.#people, this.#draft);
    this.root.addEventListener("pointerdown", event => this.#beginWall(event));
    new ResizeObserver(() => this.#draw()).observe(this.root);
  }

  #grid; #rings; #walls; #doors; #lines; #people; #draft;

  /// True while the next drag on the floor is a wall.
  isBuilding = false;

  reset() {
    this.#bounds = null;
    this.#steps.clear();
    this.#held.clear();
    for (const layer of [this.#people, this.#doors, this.#walls, this.#lines]) layer.replaceChildren();
    this.#phones.clear();
    this.#readers.clear();
  }

  show(plan) {
    this.#plan = plan;
    this.#doors.replaceChildren();
    this.#readers.clear();
    for (const reader of plan.readers) this.#addReader(reader);
    this.#walls.replaceChildren(...plan.walls.map((wall, place) => this.#wallLine(wall, place + 1)));
    this.#fit();
  }

  update(scene) {
    this.#scene = scene;
    this.#fit();
  }

  /// A short text next to a phone, and its kind for the style.
  mark(name, text, kind) { this.#steps.set(name, {text, kind}); }

  choose(reader) {
    this.#chosen = reader;
    this.#draw();
  }

  /// Where a phone is drawn: on its place, or around the first reader if only a distance or a level is known.
  place(phone) {
    const held = this.#held.get(phone.name);
    if (held) return held;
    if (phone.at) return phone.at;
    const index = this.#scene.phones.findIndex(({name}) => name === phone.name);
    const angle = (-90 + ((index * 37 + 18) % 110) - 55) * Math.PI / 180;
    const [x, y] = this.#plan.readers[0]?.at ?? [0, 0];
    const away = phone.metres ?? Math.min(Math.max(distance(phone.dbm ?? -90), 0.3), 30);
    return [x + away * Math.cos(angle), y + away * Math.sin(angle)];
  }

  /// False for a phone of a scenario that has not come yet. A place of the air is always there.
  #isShown({on, at}) { return on || at !== undefined || !this.#plan.plays; }

  /// The width of the plan in centimetres.
  get #width() { return this.#bounds ? this.#bounds[2] - this.#bounds[0] : 1; }

  /// Centimetres for a pixel.
  get #pixel() {
    const [, top, , bottom] = this.#bounds;
    const scale = Math.max(
      this.#width / Math.max(this.root.clientWidth, 1), (bottom - top) / Math.max(this.root.clientHeight, 1));
    return this.#scene.phones.length > crowd ? scale * 0.75 : scale;
  }

  /// Enlarges the plan so that all is on it.
  #fit() {
    const room = this.#plan.plays ? rooms.scenario : rooms.air;
    const points = [
      ...this.#plan.readers.flatMap(({at: [x, y]}) => room.map(([u, v]) => [x + u, y + v])),
      ...this.#plan.walls.flatMap(({from, to}) => [from, to]),
      ...this.#scene.phones.filter(phone => this.#isShown(phone)).map(phone => this.place(phone)),
    ];
    if (!points.length) return;
    const xs = points.map(([x]) => x * 100), ys = points.map(([, y]) => -y * 100);
    const wanted = [Math.min(...xs) - margin, Math.min(...ys) - margin, Math.max(...xs) + margin,
      Math.max(...ys) + margin];
    const old = this.#bounds ?? wanted;
    const isHeld = this.#held.size > 0;
    // While a phone is dragged the floor stays under the finger.
    this.#bounds = isHeld ? old : [
      Math.min(old[0], wanted[0]), Math.min(old[1], wanted[1]), Math.max(old[2], wanted[2]),
      Math.max(old[3], wanted[3])];
    this.#widen();
    this.#draw();
  }

  /// Adds floor at the sides of a plan that is too narrow or too low for a screen.
  #widen() {
    const [left, top, right, bottom] = this.#bounds, [width, height] = [right - left, bottom - top];
    const across = Math.max(0, height * shapes.narrowest - width) / 2;
    const along = Math.max(0, width / shapes.widest - height) / 2;
    this.#bounds = [left - across, top - along, right + across, bottom + along];
  }

  #draw() {
    if (!this.#bounds) return;
    const [left, top, right, bottom] = this.#bounds;
    this.root.setAttribute("viewBox", `${left} ${top} ${right - left} ${bottom - top}`);
    this.root.style.setProperty("--aspect", (right - left) / (bottom - top));
    this.root.style.setProperty("--pixel", this.#pixel);
    this.root.classList.toggle("crowded", this.#scene.phones.length > crowd);
    this.#drawGrid();
    this.#drawReaders();
    this.#drawPhones();
  }

  #drawGrid() {
    const [left, top, right, bottom] = this.#bounds;
    const metre = this.#width > 3000 ? 1000 : this.#width > 1600 ? 500 : 100;
    const lines = [];
    for (let x = Math.ceil(left / metre) * metre; x < right; x += metre) {
      lines.push(draw("line", {x1: x, x2: x, y1: top, y2: bottom}));
    }
    for (let y = Math.ceil(top / metre) * metre; y < bottom; y += metre) {
      lines.push(draw("line", {x1: left, x2: right, y1: y, y2: y}));
    }
    const pixel = this.#pixel, y = bottom - 14 * pixel, x = left + 14 * pixel;
    const label = draw("text", {class: "scale", transform: `translate(${x} ${y - 6 * pixel}) scale(${pixel})`});
    label.textContent = `${metre / 100} m`;
    lines.push(draw("path", {class: "scale", d: `M${x} ${y - 4 * pixel}V${y}H${x + metre}V${y - 4 * pixel}`}), label);
    this.#grid.replaceChildren(...lines);
  }

  // MARK: - Readers and doors

  #addReader(reader) {
    const [x, y] = reader.at;
    const group = draw("g", {
      class: "reader", transform: `translate(${x * 100} ${-y * 100})`, tabindex: 0, role: "button",
      "data-reader": reader.name});
    const leaf = draw("g", {class: "leaf"});
    leaf.append(draw("rect", {x: -98, y: -4, width: 98, height: 8, rx: 3}));
    const door = draw("g", {class: "door", transform: "translate(140 -30)"});
    door.append(
      draw("path", {class: "swing", d: "M-100 0A100 100 0 0 1 -26 -97"}),
      draw("path", {class: "jamb", d: "M-118 0h16M2 0h16"}), leaf);
    const body = draw("g", {class: "body"});
    body.append(
      draw("circle", {class: "buzz", r: 21}), draw("rect", {x: -11, y: -15, width: 22, height: 30, rx: 5}),
      draw("circle", {class: "green", cx: -4, cy: -7, r: 2.6}), draw("circle", {class: "red", cx: 4, cy: -7, r: 2.6}),
      draw("path", {class: "waves", d: "M-5 4a5 5 0 0 1 10 0M-2 6a2 2 0 0 1 4 0"}));
    const name = draw("text", {class: "name", x: -18, y: 4});
    name.textContent = reader.name;
    body.append(name);
    group.append(door, body);
    const choose = () => this.#events.choose(reader.name);
    group.addEventListener("click", choose);
    group.addEventListener("keydown", event => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(); }
    });
    this.#doors.append(group);
    this.#readers.set(reader.name, {group, body, door});
  }

  #drawReaders() {
    const rings = [];
    for (const reader of this.#plan.readers) {
      const {group, body, door} = this.#readers.get(reader.name);
      const now = this.#scene.readers.find(({name}) => name === reader.name) ?? {};
      body.setAttribute("transform", `scale(${this.#pixel})`);
      door.style.display = now.lock === undefined ? "none" : "";
      const isOpen = now.lock || now.contact;
      group.setAttribute("class", ["reader", isOpen && "open", now.lock && "released", now.granted && "granted",
        now.denied && "denied", now.buzzer && "buzzing", now.power === false && "dead", now.lockdown && "lockdown",
        reader.name === this.#chosen && this.#plan.readers.length > 1 && "chosen"].filter(Boolean).join(" "));
      group.setAttribute("aria-label", `${reader.name}: ${Plan.words(now)}`);
      if (reader["threshold-dbm"] === undefined) continue;
      const radius = (reader["near-m"] ?? distance(reader["threshold-dbm"])) * 100, [x, y] = reader.at;
      rings.push(draw("circle", {cx: x * 100, cy: -y * 100, r: radius}));
      if (reader.name !== (this.#chosen || this.#plan.readers[0].name)) continue;
      const down = Math.min(radius + 15 * this.#pixel, this.#bounds[3] + y * 100 - 6 * this.#pixel);
      const at = `translate(${x * 100} ${-y * 100 + down})`;
      const label = draw("text", {transform: `${at} scale(${this.#pixel})`, "text-anchor": "middle"});
      label.textContent = `${reader["threshold-dbm"]} dBm`;
      rings.push(label);
    }
    this.#rings.replaceChildren(...rings);
  }

  /// The state of a door in words.
  static words(door) {
    if (door.power === false) return door.lock === undefined ? "no host" : "without power";
    if (door.lock === undefined) return "connected";
    if (door.lock) return door.contact ? "released, and open" : "released";
    if (door.contact) return "secured, and the door is open";
    return door.lockdown ? "secured by a lockdown" : "secured";
  }

  // MARK: - Walls

  #wallLine({from, to, db}, number) {
    const line = draw("line", {
      class: "wall", x1: from[0] * 100, y1: -from[1] * 100, x2: to[0] * 100, y2: -to[1] * 100, tabindex: 0,
      role: "button", "aria-label": `wall of ${db} dB; Delete takes it down`});
    line.style.setProperty("--loss", Math.min(0.35 + db / 40, 1));
    line.append(draw("title", {}, `${db} dB`));
    line.addEventListener("keydown", event => {
      if (!["Delete", "Backspace"].includes(event.key)) return;
      event.preventDefault();
      this.#events.takeDown(number);
    });
    return line;
  }

  #beginWall(event) {
    if (!this.isBuilding || event.button !== 0) return;
    event.preventDefault();
    this.#wall = [this.#point(event), this.#point(event)];
    this.root.setPointerCapture(event.pointerId);
    const move = event => {
      this.#wall[1] = this.#point(event);
      const [[x1, y1], [x2, y2]] = this.#wall;
      for (const [name, value] of Object.entries({x1: x1 * 100, y1: -y1 * 100, x2: x2 * 100, y2: -y2 * 100})) {
        this.#draft.setAttribute(name, value);
      }
      this.#draft.setAttribute("visibility", "visible");
    };
    const end = event => {
      this.root.removeEventListener("pointermove", move);
      this.root.removeEventListener("pointerup", end);
      this.root.removeEventListener("pointercancel", end);
      this.#draft.setAttribute("visibility", "hidden");
      if (event.type === "pointerup" && metres(...this.#wall) > 0.1) this.#events.build(this.#wall);
    };
    this.root.addEventListener("pointermove", move);
    this.root.addEventListener("pointerup", end);
    this.root.addEventListener("pointercancel", end);
  }

  /// The point of the floor under a pointer, in metres to the centimetre.
  #point(event) {
    const {x, y} = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.root.getScreenCTM().inverse());
    return [x, -y].map(value => Math.min(Math.max(Math.round(value) / 100, -100), 100));
  }

  // MARK: - Phones

  #addPhone(name) {
    const group = draw("g", {class: "phone", tabindex: 0, role: "button", "data-phone": name});
    const body = draw("g", {class: "body"});
    const label = draw("text", {class: "name", y: 31});
    label.textContent = name;
    const initial = draw("text", {class: "initial", y: 5});
    initial.textContent = /\d+$/.exec(name)?.[0].slice(-2) ?? [...name][0];
    const words = draw("text", {class: "step", x: 21, y: 4});
    body.append(
      draw("circle", {class: "target", r: target}), draw("circle", {class: "halo", r: 17}),
      draw("rect", {x: -10, y: -15, width: 20, height: 30, rx: 5}), draw("path", {class: "ear", d: "M-3 -11.5h6"}),
      initial, label, words);
    group.append(body);
    group.addEventListener("pointerdown", event => this.#beginDrag(event, name, group));
    group.addEventListener("keydown", event => this.#step(event, name));
    this.#people.append(group);
    const line = draw("line"), level = draw("text");
    this.#lines.append(line, level);
    const made = {group, body, label, words, line, level};
    this.#phones.set(name, made);
    return made;
  }

  #drawPhones() {
    for (const [name, {group, line, level}] of this.#phones) {
      if (this.#scene.phones.some(phone => phone.name === name)) continue;
      [group, line, level].forEach(element => element.remove());
      this.#phones.delete(name);
    }
    for (const phone of this.#scene.phones) {
      const drawn = this.#phones.get(phone.name) ?? this.#addPhone(phone.name);
      this.#drawPhone(phone, drawn);
    }
  }

  #drawPhone(phone, {group, body, words, line, level}) {
    const place = this.place(phone), [x, y] = place;
    const isShown = this.#isShown(phone);
    group.style.display = isShown ? "" : "none";
    group.setAttribute("transform", `translate(${x * 100} ${-y * 100})`);
    body.setAttribute("transform", `scale(${this.#pixel})`);
    const {text = "", kind = ""} = this.#steps.get(phone.name) ?? {};
    group.setAttribute("class", ["phone", kind, phone.on ? "" : "off", phone.links?.length ? "linked" : "",
      phone.dbm === undefined ? "" : "set"].filter(Boolean).join(" "));
    words.textContent = text;
    // The reader that receives it best, or that it is connected to.
    const levels = phone.levels ?? [];
    const best = phone.links?.length
      ? this.#plan.readers.findIndex(({name}) => name === phone.links[0]) : levels.indexOf(Math.max(...levels));
    const reader = this.#plan.readers[best];
    for (const element of [line, level]) element.style.display = reader && isShown ? "" : "none";
    if (!reader) return group.setAttribute("aria-label", `${phone.name}: not here yet`);
    const [u, v] = reader.at, dbm = levels[best];
    const isNear = dbm >= (reader["threshold-dbm"] ?? -60);
    line.setAttribute("class", `${isNear ? "near" : "far"} ${phone.links?.length ? "linked" : ""}`);
    for (const [name, value] of Object.entries({x1: x * 100, y1: -y * 100, x2: u * 100, y2: -v * 100})) {
      line.setAttribute(name, value);
    }
    line.style.strokeWidth = Math.min(Math.max((dbm + 100) / 14, 0.8), 4.5) * this.#pixel;
    const middle = [x + (u - x) * 0.42, y + (v - y) * 0.42];
    // A label needs its room.
    level.style.display = isShown && metres(place, reader.at) * 100 > 75 * this.#pixel ? "" : "none";
    level.setAttribute("transform", `translate(${middle[0] * 100} ${-middle[1] * 100}) scale(${this.#pixel})`);
    level.textContent = `${dbm} dBm`;
    group.setAttribute("aria-label", `${phone.name}, ${metres(place, reader.at).toFixed(1)} m from ${reader.name}, `
      + `${dbm} dBm, in the ${phone.carry}${text ? `: ${text}` : ""}. Arrow keys move it.`);
  }

  #beginDrag(event, name, group) {
    if (event.button !== 0) return;
    event.preventDefault();
    event.stopPropagation();
    group.focus({preventScroll: true});
    group.setPointerCapture(event.pointerId);
    const phone = this.#scene.phones.find(phone => phone.name === name);
    const [x, y] = this.place(phone), [u, v] = this.#point(event);
    group.classList.add("dragged");
    const move = event => {
      const [a, b] = this.#point(event);
      this.#hold(name, [a - u + x, b - v + y]);
    };
    const end = event => {
      group.removeEventListener("pointermove", move);
      group.removeEventListener("pointerup", end);
      group.removeEventListener("pointercancel", end);
      if (event.type === "pointerup" && this.#held.has(name)) move(event);
      this.#release(name);
    };
    group.addEventListener("pointermove", move);
    group.addEventListener("pointerup", end);
    group.addEventListener("pointercancel", end);
  }

  #step(event, name) {
    const arrow = arrows[event.key];
    if (!arrow) return;
    event.preventDefault();
    const phone = this.#scene.phones.find(phone => phone.name === name);
    const [x, y] = this.place(phone), by = event.shiftKey ? step.shift : step.plain;
    this.#hold(name, [x + arrow[0] * by, y + arrow[1] * by]);
    this.#release(name);
  }

  #hold(name, point) {
    const place = point.map(value => Math.round(value * 100) / 100);
    this.#held.set(name, place);
    this.#events.move(name, place);
    this.#drawPhones();
  }

  /// The phone's place is the program's again, once it has arrived there.
  #release(name) {
    const place = this.#held.get(name);
    setTimeout(() => {
      if (this.#held.get(name) !== place) return;
      this.#held.delete(name);
      this.#fit();
    }, 500);
  }
}

// SPDX-License-Identifier: Apache-2.0

import {draw} from "./elements.js";
import {Phones} from "./plan-phones.js";
import {Readers} from "./plan-readers.js";
import {Walls} from "./plan-walls.js";

/// The centimetres around everything on the plan.
const margin = 110;
/// The number of phones from which on names are shown of those that matter.
const crowd = 12;
/// The narrowest and the widest plan, as width by height.
const shapes = {narrowest: 0.8, widest: 1.6};
/// The corners of the floor around a reader in metres, on which phones are dragged at least.
const rooms = {scenario: [[-1.5, -2], [2, 1.4]], air: [[-4, -6.5], [4, 1.5]]};

/// A floor plan to scale, in centimetres: readers with their doors, walls, and phones that are dragged.
///
/// Events: `move(name, [x, y])` while a phone is dragged, `choose(reader)`, `build([from, to])`, `takeDown(number)`.
export class Plan {
  root = draw("svg", {class: "plan", role: "group", "aria-label": "Floor plan"});
  plan = {readers: [], walls: []};
  scene = {phones: [], readers: []};
  #grid = draw("g", {class: "grid", "aria-hidden": "true"});
  #bounds = null;
  #chosen = "";
  #readers;
  #walls;
  #phones;

  constructor(events) {
    this.#readers = new Readers(events.choose);
    this.#walls = new Walls(this.root, event => this.point(event), events);
    this.#phones = new Phones(this, events);
    this.root.append(
      this.#grid, this.#readers.rings, this.#walls.layer, this.#phones.lines, this.#readers.doors, this.#phones.layer,
      this.#walls.draft);
    new ResizeObserver(() => this.#draw()).observe(this.root);
  }

  /// True while the next drag on the floor is a wall.
  get isBuilding() { return this.#walls.isBuilding; }
  set isBuilding(isOn) {
    this.#walls.isBuilding = isOn;
    this.root.classList.toggle("building", isOn);
  }

  reset() {
    this.#bounds = null;
    [this.plan, this.scene] = [{readers: [], walls: []}, {phones: [], readers: []}];
    this.#phones.reset();
    this.#readers.show([]);
    this.#walls.show([]);
  }

  show(plan) {
    this.plan = plan;
    this.#readers.show(plan.readers);
    this.#walls.show(plan.walls);
    this.fit();
  }

  update(scene) {
    this.scene = scene;
    this.fit();
  }

  /// A short text next to a phone, and its kind for the style.
  mark(name, text, kind) { this.#phones.mark(name, text, kind); }

  choose(reader) {
    this.#chosen = reader;
    this.#draw();
  }

  place(phone) { return this.#phones.place(phone); }

  /// Centimetres for a pixel.
  get pixel() {
    const [left, top, right, bottom] = this.#bounds;
    const scale = Math.max(
      (right - left) / Math.max(this.root.clientWidth, 1), (bottom - top) / Math.max(this.root.clientHeight, 1));
    return this.scene.phones.length > crowd ? scale * 0.75 : scale;
  }

  /// The point of the floor under a pointer, in metres to the centimetre.
  point(event) {
    const {x, y} = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.root.getScreenCTM().inverse());
    return [x, -y].map(value => Math.min(Math.max(Math.round(value) / 100, -100), 100));
  }

  /// Enlarges the plan so that all is on it, and draws it.
  fit() {
    const room = this.plan.plays ? rooms.scenario : rooms.air;
    const points = [
      ...this.plan.readers.flatMap(({at: [x, y]}) => room.map(([u, v]) => [x + u, y + v])),
      ...this.plan.walls.flatMap(({from, to}) => [from, to]),
      ...this.scene.phones.filter(phone => this.#phones.isShown(phone)).map(phone => this.place(phone)),
    ];
    if (!points.length) return;
    const xs = points.map(([x]) => x * 100), ys = points.map(([, y]) => -y * 100);
    const wanted = [Math.min(...xs) - margin, Math.min(...ys) - margin, Math.max(...xs) + margin,
      Math.max(...ys) + margin];
    const old = this.#bounds ?? wanted;
    // While a phone is dragged the floor stays under the finger.
    this.#bounds = this.#phones.isHolding ? old : [
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
    const [left, top, right, bottom] = this.#bounds, pixel = this.pixel;
    this.root.setAttribute("viewBox", `${left} ${top} ${right - left} ${bottom - top}`);
    this.root.style.setProperty("--aspect", (right - left) / (bottom - top));
    this.root.style.setProperty("--pixel", pixel);
    this.root.classList.toggle("crowded", this.scene.phones.length > crowd);
    this.#drawGrid(pixel);
    this.#readers.draw(this.plan.readers, this.scene, {chosen: this.#chosen, pixel, bottom});
    this.#phones.draw();
  }

  #drawGrid(pixel) {
    const [left, top, right, bottom] = this.#bounds, width = right - left;
    const metre = width > 3000 ? 1000 : width > 1600 ? 500 : 100;
    const lines = [];
    for (let x = Math.ceil(left / metre) * metre; x < right; x += metre) {
      lines.push(draw("line", {x1: x, x2: x, y1: top, y2: bottom}));
    }
    for (let y = Math.ceil(top / metre) * metre; y < bottom; y += metre) {
      lines.push(draw("line", {x1: left, x2: right, y1: y, y2: y}));
    }
    const y = bottom - 14 * pixel, x = left + 14 * pixel, at = `translate(${x} ${y - 6 * pixel}) scale(${pixel})`;
    lines.push(
      draw("path", {class: "scale", d: `M${x} ${y - 4 * pixel}V${y}H${x + metre}V${y - 4 * pixel}`}),
      draw("text", {class: "scale", transform: at}, `${metre / 100} m`));
    this.#grid.replaceChildren(...lines);
  }
}

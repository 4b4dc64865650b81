// SPDX-License-Identifier: Apache-2.0

import {draw} from "./elements.js";

/// The distance in metres at which the model's mean level is this many dBm: -50 at 1 m, 20 dB less at ten times that.
export const distance = dbm => 10 ** ((-50 - dbm) / 20);

/// The state of a door in words.
export function doorWords(door) {
  if (door.power === false) return door.lock === undefined ? "no host" : "without power";
  if (door.lock === undefined) return "connected";
  if (door.lock) return door.contact ? "released, and open" : "released";
  if (door.contact) return "secured, and the door is open";
  return door.lockdown ? "secured by a lockdown" : "secured";
}

/// The readers of a floor plan with their doors, and the distance at which their gates open.
export class Readers {
  doors = draw("g", {class: "doors"});
  rings = draw("g", {class: "rings", "aria-hidden": "true"});
  #choose;
  #drawn = new Map();

  /// `choose(name)` is called when a reader is chosen.
  constructor(choose) { this.#choose = choose; }

  show(readers) {
    this.doors.replaceChildren();
    this.#drawn.clear();
    for (const reader of readers) this.#add(reader);
  }

  #add(reader) {
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
      draw("path", {class: "waves", d: "M-5 4a5 5 0 0 1 10 0M-2 6a2 2 0 0 1 4 0"}),
      draw("text", {class: "name", x: -18, y: 4}, reader.name));
    group.append(door, body);
    const choose = () => this.#choose(reader.name);
    group.addEventListener("click", choose);
    group.addEventListener("keydown", event => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(); }
    });
    this.doors.append(group);
    this.#drawn.set(reader.name, {group, body, door});
  }

  /// Draws the readers of a plan with the states of a scene; `pixel` is the length of a pixel in centimetres, and
  /// `bottom` the edge of the floor.
  draw(readers, scene, {chosen, pixel, bottom}) {
    const rings = [];
    for (const reader of readers) {
      const {group, body, door} = this.#drawn.get(reader.name);
      const now = scene.readers.find(({name}) => name === reader.name) ?? {};
      body.setAttribute("transform", `scale(${pixel})`);
      door.style.display = now.lock === undefined ? "none" : "";
      const isOpen = now.lock || now.contact;
      group.setAttribute("class", ["reader", isOpen && "open", now.lock && "released", now.granted && "granted",
        now.denied && "denied", now.buzzer && "buzzing", now.power === false && "dead", now.lockdown && "lockdown",
        reader.name === chosen && readers.length > 1 && "chosen"].filter(Boolean).join(" "));
      group.setAttribute("aria-label", `${reader.name}: ${doorWords(now)}`);
      if (reader["threshold-dbm"] === undefined) continue;
      const radius = (reader["near-m"] ?? distance(reader["threshold-dbm"])) * 100, [x, y] = reader.at;
      rings.push(draw("circle", {cx: x * 100, cy: -y * 100, r: radius}));
      if (reader.name !== (chosen || readers[0].name)) continue;
      const down = Math.min(radius + 15 * pixel, bottom + y * 100 - 6 * pixel);
      const at = `translate(${x * 100} ${-y * 100 + down}) scale(${pixel})`;
      rings.push(draw("text", {transform: at, "text-anchor": "middle"}, `${reader["threshold-dbm"]} dBm`));
    }
    this.rings.replaceChildren(...rings);
  }
}

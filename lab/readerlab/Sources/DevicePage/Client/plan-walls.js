// SPDX-License-Identifier: Apache-2.0

import {draw} from "./elements.js";

/// The shortest wall in metres: less is a click.
const shortest = 0.1;

/// The walls of a floor plan, and the one that is being drawn.
export class Walls {
  layer = draw("g", {class: "walls"});
  draft = draw("line", {class: "wall draft", visibility: "hidden"});
  /// True while the next drag on the floor is a wall.
  isBuilding = false;
  #root;
  #point;
  #events;
  #drawn = null;

  /// `point(event)` is the point of the floor under a pointer; `events` are `build([from, to])` and `takeDown(number)`.
  constructor(root, point, events) {
    [this.#root, this.#point, this.#events] = [root, point, events];
    root.addEventListener("pointerdown", event => this.#begin(event));
  }

  show(walls) { this.layer.replaceChildren(...walls.map((wall, place) => this.#line(wall, place + 1))); }

  #line({from, to, db}, number) {
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

  #begin(event) {
    if (!this.isBuilding || event.button !== 0) return;
    event.preventDefault();
    const root = this.#root;
    this.#drawn = [this.#point(event), this.#point(event)];
    root.setPointerCapture(event.pointerId);
    const move = event => {
      this.#drawn[1] = this.#point(event);
      const [[x1, y1], [x2, y2]] = this.#drawn;
      for (const [name, value] of Object.entries({x1: x1 * 100, y1: -y1 * 100, x2: x2 * 100, y2: -y2 * 100})) {
        this.draft.setAttribute(name, value);
      }
      this.draft.setAttribute("visibility", "visible");
    };
    const end = event => {
      for (const name of ["pointerup", "pointercancel"]) root.removeEventListener(name, end);
      root.removeEventListener("pointermove", move);
      this.draft.setAttribute("visibility", "hidden");
      const [[x, y], [u, v]] = this.#drawn;
      if (event.type === "pointerup" && Math.hypot(x - u, y - v) > shortest) this.#events.build(this.#drawn);
    };
    root.addEventListener("pointermove", move);
    for (const name of ["pointerup", "pointercancel"]) root.addEventListener(name, end);
  }
}

// SPDX-License-Identifier: Apache-2.0

import {choice, make} from "./elements.js";

const ways = ["hand", "bag", "pocket"];

/// The phones of a site in a list: level and distance at the chosen reader, how each is carried, and its present step.
export class People {
  root = make("div", undefined, "people");
  #list = make("ul");
  #rows = new Map();
  #send;
  #place;

  /// `send(line)` sends a line; `place(phone)` is where a phone is drawn.
  constructor(send, place) {
    [this.#send, this.#place] = [send, place];
    this.root.append(make("h3", "Phones"), this.#list);
  }

  reset() {
    this.#rows.clear();
    this.#list.replaceChildren();
  }

  show(phones, plan, chosen) {
    for (const phone of phones) this.#show(phone, plan, chosen);
  }

  #add(phone, plan) {
    const row = make("li"), level = make("span", undefined, "level"), step = make("p", undefined, "step");
    const carry = choice(ways.map(way => [way, way]), phone.carry, way => this.#send(`carry ${phone.name} ${way}`));
    carry.setAttribute("aria-label", `How ${phone.name} is carried`);
    const dbm = make("input");
    [dbm.type, dbm.min, dbm.max, dbm.placeholder] = ["number", -126, 20, "dBm"];
    dbm.setAttribute("aria-label", `Level of ${phone.name} in dBm, whatever the distance`);
    dbm.addEventListener("change", () => {
      if (dbm.value === "") return;
      this.#send(plan.plays ? `level ${phone.name} ${dbm.value}`
        : `rssi ${phone.name} ${plan.readers[0].name} ${dbm.value}`);
      dbm.value = "";
    });
    row.append(make("strong", phone.name), level, carry, dbm, step);
    this.#list.append(row);
    const made = {row, level, carry, dbm, step};
    this.#rows.set(phone.name, made);
    return made;
  }

  #show(phone, plan, chosen) {
    const {row, level, carry, dbm, step} = this.#rows.get(phone.name) ?? this.#add(phone, plan);
    const index = plan.readers.findIndex(({name}) => name === chosen), parts = [];
    if (phone.levels) parts.push(`${phone.levels[index]} dBm`);
    if (phone.dbm !== undefined) parts.push("set");
    else if (phone.levels) {
      const [x, y] = this.#place(phone), [u, v] = plan.readers[index].at;
      parts.push(`${(phone.metres ?? Math.hypot(x - u, y - v)).toFixed(1)} m`);
    }
    level.textContent = phone.on || !plan.plays ? parts.join(", ") : "not here yet";
    dbm.hidden = Boolean(plan["needs-floor"]);
    row.className = phone.links?.length ? "linked" : "";
    if (document.activeElement !== carry) carry.value = phone.carry;
    step.textContent = phone.step ?? "";
  }
}

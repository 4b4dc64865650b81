// SPDX-License-Identifier: Apache-2.0

import {at, make} from "./elements.js";

const maximumRows = 5000;

/// All lines of the program, with a filter.
export class Timeline {
  #rows = [];

  constructor() {
    at("filter").addEventListener("input", () => this.#rows.forEach(row => this.#filter(row)));
  }

  reset() {
    this.#rows = [];
    at("entries").replaceChildren();
  }

  receive({kind, data}) {
    if (kind === "program") at("whose").textContent = data.view === "fleet" ? "Reader" : "Link";
    if (kind === "output" || (kind === "entry" && !["emulation", "summary"].includes(data.event))) this.#add(data);
  }

  #add(entry) {
    const seconds = entry["at-ms"] === undefined ? "" : (entry["at-ms"] / 1000).toFixed(3) + " s";
    const text = [entry.sentence, entry.meaning, entry.text, entry.result, entry.why, entry.peer, entry.mtu]
      .filter(Boolean).join(": ") || entry.value || entry.address || entry.credential || "";
    const name = entry.event ?? entry.kind;
    const words = [text.toLowerCase().startsWith(name) ? "" : name, entry.step, text].filter(Boolean);
    const row = make("tr");
    row.append(make("td", seconds || (entry.time || "").replace("T", " ")));
    row.append(make("td", entry.link ?? entry.place ?? entry.reader ?? ""), make("td", words.join("  ")));
    if (entry.event === "finding" || entry.rule) row.className = "finding";
    if (entry.typed) row.className = "command";
    this.#rows.push(row);
    at("entries").append(row);
    if (this.#rows.length > maximumRows) this.#rows.shift().remove();
    this.#filter(row);
    if (at("follow").checked) at("log").scrollTop = at("log").scrollHeight;
  }

  #filter(row) {
    const wanted = at("filter").value.toLowerCase();
    row.hidden = wanted !== "" && !row.textContent.toLowerCase().includes(wanted);
  }
}

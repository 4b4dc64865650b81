// SPDX-License-Identifier: Apache-2.0

import {at, icon, make} from "./elements.js";

const maximumRows = 5000;
const [asides, failures] = [["ready", "confirmed", "advertising"], ["controller-failed", "refused", "unsent", "ended"]];
const toApp = ["sent", "refused", "unsent", "notified", "indicated"];
const fromApp = ["connected", "wrote", "written", "read", "requested", "subscribed", "mtu", "secured", "confirmed"];

/// All lines of the program in its own words, with a filter, and the transcript as a file.
export class Timeline {
  #rows = [];
  #devices = [];
  #entries = [];
  #findings = [];
  /// The readings in the last row of a link, which further ones join.
  #readings = null;

  constructor() {
    at("filter").addEventListener("input", () => this.#rows.forEach(row => this.#filter(row)));
    at("download").addEventListener("click", () => this.#download());
  }

  reset() {
    [this.#rows, this.#devices, this.#entries, this.#findings, this.#readings] = [[], [], [], [], null];
    at("entries").replaceChildren();
  }

  receive({kind, data}) {
    if (kind === "program") {
      at("whose").textContent = data.view === "fleet" ? "Reader" : data.view === "site" ? "Place" : "Link";
      at("download").hidden = data.view !== "device";
    }
    if (kind !== "output" && kind !== "entry") return;
    if (["emulation", "device"].includes(data.event) && data.entry === undefined) this.#devices.push(data);
    if (data.event === "summary" || data.event === "emulation") return;
    if (data.entry !== undefined) this.#entries.push(data);
    if (data.event === "finding") this.#findings.push(data);
    if (["rssi", "measured"].includes(data.event)) return this.#measure(data);
    this.#readings = null;
    this.#add(data);
  }

  /// The text of an entry: the program's sentence, which the terminal shows as well.
  static #text(entry) {
    if (entry.sentence !== undefined) return entry.rule ? `${entry.rule}: ${entry.sentence}` : entry.sentence;
    const name = entry.event ?? entry.kind ?? "";
    const text = entry.text || entry.value || entry.address || entry.credential || "";
    const isPlain = ["notice", "stored"].includes(name) || text.toLowerCase().startsWith(name);
    return isPlain ? text : `${name}  ${text}`;
  }

  static #time(entry) {
    return entry["at-ms"] === undefined
      ? (entry.time || "").replace("T", " ") : (entry["at-ms"] / 1000).toFixed(3) + " s";
  }

  #add(entry) {
    const row = make("tr"), event = entry.event ?? entry.kind;
    if (entry.entry !== undefined) row.id = "entry-" + entry.entry;
    row.append(make("td", Timeline.#time(entry)));
    row.append(make("td", entry.link ?? entry.place ?? entry.reader ?? ""));
    const cell = make("td");
    if (fromApp.includes(event) || toApp.includes(event)) cell.append(icon(toApp.includes(event) ? "back" : "up"));
    if (event === "finding") cell.append(icon("alert"));
    if (entry.step) cell.append(make("span", entry.step, "step"), " ");
    cell.append(Timeline.#text(entry));
    if (/^([0-9a-f]{2})+$/i.test(entry.value ?? "") && entry.meaning !== undefined) {
      cell.append(Timeline.#octets(entry.value));
    }
    row.append(cell);
    row.className = entry.rule ? "finding" : entry.typed !== undefined ? "command" : event === "fault" ? "fault"
      : failures.includes(event) ? "failure" : asides.includes(event) ? "aside" : "";
    if (fromApp.includes(event)) row.classList.add("from-app");
    this.#append(row);
    return row;
  }

  /// The octets of a value, on demand.
  static #octets(hexadecimal) {
    const details = make("details");
    details.append(make("summary", `${hexadecimal.length / 2} octets`));
    details.append(make("code", hexadecimal.match(/../g).join(" ")));
    return details;
  }

  /// Successive readings of a link share a row.
  #measure(entry) {
    const level = entry["rssi-dbm"] ?? Number(/(-?\d+) dBm/.exec(entry.text)?.[1]);
    let readings = this.#readings;
    if (readings?.link !== entry.link) {
      const row = this.#add(entry);
      row.classList.add("aside");
      readings = this.#readings = {link: entry.link, levels: [], cell: row.lastChild, row};
    }
    readings.levels.push(level);
    if (readings.levels.length === 1) return;
    const [low, high] = [Math.min(...readings.levels), Math.max(...readings.levels)];
    readings.cell.textContent = `RSSI ${low === high ? low : `${low} to ${high}`} dBm, ${readings.levels.length} readings`;
    this.#filter(readings.row);
  }

  #append(row) {
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

  /// The run as `--transcript` writes it.
  #download() {
    const without = ({event, ...rest}) => rest;
    const findings = this.#findings.map(finding => ({
      rule: finding.rule, sentence: finding.sentence, entry: finding["of-entry"], device: finding.device,
      link: finding.link}));
    const left = Math.max(0, (this.#entries.at(-1)?.entry ?? 0) - this.#entries.length);
    const run = {version: 1, devices: this.#devices.map(without), entries: this.#entries, left, findings};
    const anchor = make("a");
    anchor.href = URL.createObjectURL(new Blob([JSON.stringify(run, null, 1)], {type: "application/json"}));
    anchor.download = "transcript.json";
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(anchor.href), 1000);
  }
}

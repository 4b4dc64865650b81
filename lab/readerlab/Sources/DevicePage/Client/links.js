// SPDX-License-Identifier: Apache-2.0

import {at, badge, icon, make} from "./elements.js";
import {Strip} from "./strip.js";

/// The readings that a strip shows.
const maximumReadings = 120;
/// The gate's window in milliseconds where the program does not say it.
const usualWindow = 800;

/// The links of a program: who is connected, since when, what it does, and its signal.
export class Links {
  #links = new Map();
  #gate = null;
  /// The last link's end, which stays in sight until the next one.
  #last = null;

  reset() {
    this.#links.clear();
    this.#last = null;
    this.#show();
  }

  receive({kind, data}) {
    if (kind === "state" && data.clients) this.#setClients(data.clients);
    if (kind === "state" || kind === "status") {
      const gate = data.gate ?? data.status?.gate;
      if (gate && JSON.stringify(gate) !== JSON.stringify(this.#gate)) {
        this.#gate = gate;
        this.#show();
      }
    }
    if (kind === "entry") this.#follow(data);
  }

  /// The clients of a device on a network, which has no links.
  #setClients(clients) {
    this.#links = new Map(clients.map(({peer, connections, backchannel}) => {
      const count = connections === 1 ? "1 connection" : `${connections} connections`;
      const doing = [connections ? count : "", backchannel ? "listens to the backchannel" : ""].filter(Boolean);
      return [peer, {peer, readings: [], doing: doing.join(", "), isClient: true}];
    }));
    this.#show();
  }

  /// Keeps the list of links by the entries that open, end and describe them.
  #follow(entry) {
    const name = entry.link ?? entry.place;
    if (["ready", "controller-failed"].includes(entry.event)) this.#links.clear();
    if (name !== undefined) this.#describe(name, entry);
    this.#show();
  }

  #describe(name, entry) {
    const links = this.#links, event = entry.event;
    if (/^(connected|joined|opened)$/.test(event)) {
      links.set(name, {peer: entry.peer || entry.address || "", since: entry["at-ms"], readings: [], doing: ""});
      this.#last = null;
    }
    const link = links.get(name);
    if (/^(disconnected|left|closed)$/.test(event)) {
      if (link) this.#last = {name, ...link, doing: entry.sentence ?? entry.text ?? event};
      links.delete(name);
    }
    if (!link) return;
    const level = entry["rssi-dbm"] ?? entry.rssi ?? /^RSSI (-?\d+) dBm/.exec(entry.text ?? "")?.[1];
    if (["rssi", "measured"].includes(event) && level !== undefined) {
      link.readings.push({at: entry["at-ms"], dbm: Number(level), key: ""});
      if (link.readings.length > maximumReadings) link.readings.shift();
      return;
    }
    if (event === "near" || (event === "gate" && /^near/.test(entry.text))) link.verdict = "near";
    // By the gate, not a request with an ATT error.
    if (event === "refused" && entry.step === undefined && entry.error === undefined) link.verdict = "refused";
    if (event !== "mode" && event !== "finding") link.doing = entry.sentence ?? entry.text ?? event;
    if (entry.step && event !== "finding") link.doing = `${entry.step}: ${link.doing}`;
    if (event === "mtu" || event === "secured") (link.facts ??= new Map()).set(event, entry.sentence ?? entry.text);
  }

  #show() {
    at("no-links").hidden = this.#links.size > 0 || this.#last !== null;
    const items = [...this.#links].map(([name, link]) => this.#item(name, link));
    if (this.#last && !this.#links.size) items.push(this.#item(this.#last.name, this.#last, true));
    at("links").replaceChildren(...items);
  }

  #item(name, link, isOver = false) {
    const item = make("li", undefined, isOver ? "gone" : "");
    const peer = make("span", link.peer || `link ${name}`, "peer");
    item.append(icon("phone"), peer);
    const level = make("span", undefined, "level");
    if (link.verdict) level.append(badge(link.verdict, link.verdict === "near" ? "good" : "bad"), " ");
    if (link.readings.length) level.append(`${link.readings.at(-1).dbm} dBm`);
    if (isOver) level.append(" ", badge("gone"));
    const facts = [link.isClient ? "" : `link ${name}`, ...(link.facts?.values() ?? []), link.doing].filter(Boolean).join(" · ");
    item.append(make("span", facts, "doing"), level);
    if (link.readings.length) item.append(this.#strip(link));
    return item;
  }

  /// The readings over time, with the gate's threshold and its window.
  #strip(link) {
    const {readings} = link, time = this.#gate?.["window-ms"], threshold = this.#gate?.["threshold-dbm"];
    const end = readings.at(-1).at, begin = Math.min(readings[0].at, end - 1.25 * (time ?? usualWindow));
    link.strip ??= new Strip("small");
    link.strip.draw({
      begin, end, threshold, readings, windows: time === undefined ? [] : [{at: Math.max(begin, end - time), end}],
      label: `Signal: ${readings.length} readings, last ${readings.at(-1).dbm} dBm`
        + (threshold === undefined ? "" : `, threshold ${threshold} dBm`)});
    return link.strip.root;
  }
}

// SPDX-License-Identifier: Apache-2.0

import {at, button, capitalised, labelled, make} from "./elements.js";
import {Plan} from "./plan.js";
import {Lines, pace} from "./site-lines.js";
import {People} from "./site-people.js";
import {ReaderPanel} from "./site-reader.js";
import {TimeControls} from "./site-time.js";

/// The time for which a phone's result is shown next to it, in milliseconds of the scenario.
const resultTime = 4000;

/// A floor plan of readers, walls and phones that are dragged, the gate of a reader, and the time of a scenario.
export class Site {
  #lines;
  #plan = null;
  /// The latest scene, and the frame in which it will be drawn: of several in a frame only the last one is.
  #scene = null;
  #frame = 0;
  #chosen = "";
  #wantsFile = false;
  /// The times of the results that are shown next to phones.
  #marks = new Map();
  #about = make("p", undefined, "about");
  #notice = make("p", undefined, "notice");
  #results = make("div", undefined, "results");
  #db = make("input");
  #builder;
  #time;
  #reader;
  #drawing;
  #people;

  constructor(root, connection) {
    this.#lines = new Lines(connection);
    const send = line => this.#lines.send(line);
    this.#drawing = new Plan({
      move: (name, place) => this.#move(name, place), choose: name => this.#choose(name),
      build: ([from, to]) => this.#build(from, to), takeDown: number => send(`wall ${number} off`),
    });
    this.#time = new TimeControls(send, () => { this.#wantsFile = true; send("save"); });
    // A line for the chosen reader.
    this.#reader = new ReaderPanel(line => send(this.#plan.readers.length > 1 ? `at ${this.#chosen} ${line}` : line));
    this.#people = new People(send, phone => this.#drawing.place(phone));
    this.#builder = button("Add a wall", () => this.#toggleWall());
    root.append(this.#about, this.#time.root, this.#makeStage());
  }

  #makeStage() {
    const figure = make("figure"), tools = make("div", undefined, "tools");
    [this.#db.type, this.#db.min, this.#db.max, this.#db.value] = ["number", 0, 150, 20];
    this.#builder.setAttribute("aria-pressed", "false");
    this.#notice.setAttribute("role", "status");
    tools.append(
      make("span", "Drag a phone, or move it with the arrow keys."), this.#builder, labelled("dB", this.#db),
      this.#notice);
    figure.append(this.#drawing.root, tools);
    this.#results.hidden = true;
    const aside = make("div", undefined, "aside"), stage = make("div", undefined, "stage");
    aside.append(this.#reader.root, this.#people.root, this.#results);
    stage.append(figure, aside);
    return stage;
  }

  reset() {
    this.#drawing.reset();
    this.#reader.reset();
    this.#scene = null;
  }

  // Messages

  receive({kind, data}) {
    switch (kind) {
    case "plan": return this.#showPlan(data);
    case "scene": return this.#expect(data);
    case "entry": return this.#follow(data);
    case "answer": return this.#answer(data);
    case "refused": return this.#report(data.text, true);
    }
  }

  #showPlan(plan) {
    if (this.#plan && (this.#plan.name !== plan.name || this.#plan.run !== plan.run)) {
      this.#drawing.reset();
      this.#reader.reset();
      this.#people.reset();
      this.#marks.clear();
    }
    this.#plan = plan;
    this.#about.textContent = plan.about ?? "Drag a place of the air: its levels are those of the distance.";
    this.#time.showPlan(plan);
    if (plan.plays) {
      at("title").textContent = capitalised(plan.name);
      document.title = plan.name + " · readerlab";
    }
    this.#drawing.show(plan);
    const isHere = plan.readers.some(({name}) => name === this.#chosen);
    this.#choose(isHere ? this.#chosen : plan.readers[0].name);
  }

  #choose(name) {
    this.#chosen = name;
    this.#reader.choose(this.#plan.readers.find(reader => reader.name === name), this.#plan);
    this.#drawing.choose(name);
    if (this.#scene) this.#expect(this.#scene);
  }

  #expect(scene) {
    this.#scene = scene;
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      if (this.#scene) this.#show(this.#scene);
    });
  }

  #show(scene) {
    if (!this.#plan || (scene.run !== undefined && scene.run !== this.#plan.run)) return;
    const now = scene["at-ms"] ?? 0;
    this.#time.show(scene);
    for (const [name, at] of this.#marks) {
      if (now - at < resultTime) continue;
      this.#marks.delete(name);
      this.#drawing.mark(name, "", "");
    }
    this.#drawing.update(scene);
    this.#reader.show(scene.readers.find(({name}) => name === this.#chosen), now);
    this.#people.show(scene.phones, this.#plan, this.#chosen);
    this.#showResults(scene);
  }

  /// Shows an event next to its phone, and in its gate.
  #follow(entry) {
    this.#reader.receive(entry);
    const name = entry.phone;
    if (name === undefined) return;
    const mark = (text, kind) => this.#drawing.mark(name, text, kind);
    switch (entry.event) {
    case "connected": return entry.place === name ? mark("connected", "") : undefined;
    case "measured": return this.#marks.has(name) ? undefined : mark(`${entry.rssi} dBm`, "");
    case "near": return mark("near", "near");
    case "refused": return mark(entry.reason === "pool-full" ? "no slot is free" : "too far", "far");
    case "result": {
      const kind = entry.status === 0 ? "opened" : "denied";
      mark(kind, kind);
      this.#marks.set(name, entry["at-ms"]);
    }
    }
  }

  #showResults(scene) {
    this.#results.hidden = !scene.results;
    if (!scene.results) return;
    const list = make("ul");
    for (const {name, result, "after-ms": after, "as-expected": isExpected} of scene.results) {
      const time = after === undefined ? "" : ` after ${(after / 1000).toFixed(1)} s`;
      list.append(make("li", `${name}: ${result}${time}`, isExpected ? "" : "wrong"));
    }
    list.append(...scene.failures.map(text => make("li", text, "wrong")));
    const verdict = scene["as-expected"] ? "The end: as expected" : "The end: not as expected";
    this.#results.replaceChildren(make("h3", verdict), list);
  }

  // Lines

  #move(name, [x, y]) {
    this.#lines.move(name, `move ${name} ${x} ${y}${this.#scene?.playing === false ? "" : ` ${pace}ms`}`);
  }

  #build([x, y], [u, v]) {
    this.#lines.send(`wall ${x} ${y} ${u} ${v} ${this.#db.value || 20}`);
    this.#toggleWall();
  }

  #toggleWall() {
    const isOn = this.#drawing.isBuilding = !this.#drawing.isBuilding;
    this.#builder.setAttribute("aria-pressed", String(isOn));
    this.#report(isOn ? "Draw the wall on the floor. Delete takes down the wall that is chosen." : "");
  }

  #answer({line, answer}) {
    if (/^(move|step) /.test(line) && answer.ok) return;
    if (line === "save" && answer.ok && this.#wantsFile) this.#download(answer.file);
    if (line === "save") this.#wantsFile = false;
    this.#report(answer.lines.join(" "), !answer.ok);
  }

  #report(text, isWrong = false) {
    this.#notice.textContent = text;
    this.#notice.className = isWrong ? "notice wrong" : "notice";
  }

  #download(file) {
    const link = make("a");
    link.href = URL.createObjectURL(new Blob([file], {type: "application/json"}));
    link.download = `${this.#plan.name.replace(/[^\w.-]+/g, "-").replace(/\.json$/, "")}-played.json`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }
}

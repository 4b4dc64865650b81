// SPDX-License-Identifier: Apache-2.0

import {at, button, make} from "./elements.js";
import {Plan} from "./plan.js";
import {Strip} from "./strip.js";

/// The time of a move while a phone is dragged, in milliseconds: as often as the scene comes.
const pace = 120;
/// The time for which a phone's result is shown next to it, in milliseconds of the scenario.
const resultTime = 4000;
const speeds = [0.25, 0.5, 1, 2, 5, 10];
/// The inputs of a door: whether one is active, and the lines that set and release it.
const inputs = [
  ["Exit button", door => door.exit, "exit on", "exit off"],
  ["Door contact", door => door.contact, "door open", "door closed"],
  ["Lockdown", door => door.lockdown, "lockdown on", "lockdown off"],
  ["Fire", door => door.fire, "fire on", "fire off"],
  ["Power cut", door => !door.power, "power off", "power on"],
];

function labelled(text, control) {
  const label = make("label", text + " ");
  label.append(control);
  return label;
}

function choice(values, selected, change) {
  const select = make("select");
  for (const [value, text] of values) {
    const option = make("option", text);
    option.value = value;
    option.selected = value === selected;
    select.append(option);
  }
  select.addEventListener("change", () => change(select.value));
  return select;
}

/// A floor plan of readers, walls and phones that are dragged, the gate of a reader, and the time of a scenario.
export class Site {
  #root;
  #connection;
  #plan = null;
  #scene = null;
  #chosen = "";
  #drawing;
  #strip = new Strip();
  #queue = [];
  #isSending = false;
  #wantsFile = false;
  #rows = new Map();
  #inputs = new Map();
  /// The times of the results that are shown next to phones.
  #results = new Map();

  constructor(root, connection) {
    [this.#root, this.#connection] = [root, connection];
    this.#drawing = new Plan({
      move: (name, place) => this.#move(name, place), choose: name => this.#choose(name),
      build: ([from, to]) => this.#build(from, to), takeDown: number => this.#send(`wall ${number} off`),
    });
    this.#make();
  }

  // MARK: - Elements

  #make() {
    this.about = make("p");
    this.about.className = "about";
    this.time = make("span");
    this.time.className = "time";
    this.play = button("Play", () => this.#send(this.#scene?.playing ? "pause" : "play"));
    this.play.className = "play";
    this.seed = make("input");
    [this.seed.inputMode, this.seed.size, this.seed.autocomplete] = ["numeric", 6, "off"];
    this.speed = choice(speeds.map(speed => [String(speed), `${speed} ×`]), "1", speed => this.#send("speed " + speed));
    this.controls = make("form");
    this.controls.className = "time-controls";
    const again = make("button", "Start again");
    this.controls.append(
      this.play, this.time, labelled("Speed", this.speed), labelled("Seed", this.seed), again,
      button("Save scenario", () => { this.#wantsFile = true; this.#send("save"); }));
    this.controls.addEventListener("submit", event => {
      event.preventDefault();
      this.#send("seed " + (this.seed.value.trim() || "1"));
    });
    this.notice = make("p");
    this.notice.className = "notice";
    this.notice.setAttribute("role", "status");
    const figure = make("figure");
    this.db = make("input");
    [this.db.type, this.db.min, this.db.max, this.db.value] = ["number", 0, 150, 20];
    this.builder = button("Add a wall", () => this.#toggleWall());
    this.builder.setAttribute("aria-pressed", "false");
    this.decibels = labelled("dB", this.db);
    const tools = make("div");
    tools.className = "tools";
    tools.append(
      make("span", "Drag a phone, or move it with the arrow keys."), this.builder, this.decibels, this.notice);
    figure.append(this.#drawing.root, tools);
    this.gate = make("div");
    this.gate.className = "gate";
    this.gateTitle = make("h3");
    this.door = make("p");
    this.door.className = "door-state";
    this.decision = make("p");
    this.decision.className = "decision-text";
    this.switches = make("div");
    this.switches.className = "switches";
    this.gate.append(this.gateTitle, this.door, this.#strip.root, this.decision, this.switches);
    for (const [text, isActive, on, off] of inputs) {
      const press = button(text, () => {
        const isOn = press.getAttribute("aria-pressed") === "true";
        this.#send(this.#atReader(isOn ? off : on));
      });
      this.#inputs.set(press, isActive);
      this.switches.append(press);
    }
    this.people = make("div");
    this.people.className = "people";
    this.list = make("ul");
    this.people.append(make("h3", "Phones"), this.list);
    const aside = make("div");
    aside.className = "aside";
    aside.append(this.gate, this.people, this.#makeResults());
    const stage = make("div");
    stage.className = "stage";
    stage.append(figure, aside);
    this.#root.append(this.about, this.controls, stage);
  }

  #makeResults() {
    this.results = make("div");
    this.results.className = "results";
    this.results.hidden = true;
    this.verdict = make("h3");
    this.resultList = make("ul");
    this.results.append(this.verdict, this.resultList);
    return this.results;
  }

  reset() {
    this.#drawing.reset();
    this.#strip.reset();
    this.#scene = null;
  }

  // MARK: - Messages

  receive({kind, data}) {
    switch (kind) {
    case "plan": return this.#showPlan(data);
    case "scene": return this.#showScene(data);
    case "entry": return this.#follow(data);
    case "answer": return this.#answer(data);
    case "refused": return this.#report(data.text, true);
    }
  }

  #showPlan(plan) {
    const isOther = this.#plan && (this.#plan.name !== plan.name || this.#plan.run !== plan.run);
    if (isOther) {
      this.#drawing.reset();
      this.#strip.reset();
      this.#rows.clear();
      this.#results.clear();
      this.list.replaceChildren();
    }
    this.#plan = plan;
    this.about.textContent = plan.about ?? "Drag a place of the air: its levels are those of the distance.";
    this.controls.hidden = this.switches.hidden = !plan.plays;
    if (document.activeElement !== this.seed) this.seed.value = plan.seed ?? "";
    if (plan.plays) {
      at("title").textContent = plan.name.charAt(0).toUpperCase() + plan.name.slice(1);
      document.title = plan.name + " · readerlab";
    }
    this.#drawing.show(plan);
    if (!plan.readers.some(({name}) => name === this.#chosen)) this.#choose(plan.readers[0].name);
    else this.#choose(this.#chosen);
  }

  #choose(name) {
    this.#chosen = name;
    const reader = this.#plan.readers.find(reader => reader.name === name);
    const hasGate = reader["threshold-dbm"] !== undefined;
    this.gateTitle.textContent = this.#plan.readers.length > 1 || !this.#plan.plays ? name : "Reader";
    for (const element of [this.#strip.root, this.decision]) element.style.display = hasGate ? "" : "none";
    if (hasGate) this.#strip.choose(reader);
    this.#drawing.choose(name);
    if (this.#scene) this.#showScene(this.#scene);
  }

  /// A line for the chosen reader.
  #atReader(line) { return this.#plan.readers.length > 1 ? `at ${this.#chosen} ${line}` : line; }

  #showScene(scene) {
    if (!this.#plan || (scene.run !== undefined && scene.run !== this.#plan.run)) return;
    this.#scene = scene;
    const now = scene["at-ms"] ?? 0;
    this.time.textContent = `${(now / 1000).toFixed(1)} s`;
    this.play.textContent = scene.playing ? "Pause" : "Play";
    this.play.setAttribute("aria-pressed", String(Boolean(scene.playing)));
    if (document.activeElement !== this.speed) this.speed.value = String(scene.speed ?? 1);
    for (const [name, at] of this.#results) {
      if (now - at < resultTime) continue;
      this.#results.delete(name);
      this.#drawing.mark(name, "", "");
    }
    this.#drawing.update(scene);
    this.#strip.draw(now);
    this.decision.textContent = this.#strip.decision;
    const door = scene.readers.find(({name}) => name === this.#chosen);
    if (door) this.#showDoor(door);
    for (const phone of scene.phones) this.#showPhone(phone);
    this.#showResults(scene);
  }

  #showDoor(door) {
    const words = Plan.words(door);
    this.door.replaceChildren(make("strong", words.charAt(0).toUpperCase() + words.slice(1)));
    this.door.className = `door-state ${door.lock ? "released" : ""}`;
    for (const [name, isOn] of [["green", door.granted], ["red", door.denied], ["buzzer", door.buzzer]]) {
      if (isOn === undefined) continue;
      const lamp = make("span", name);
      lamp.className = `lamp ${name} ${isOn ? "lit" : ""}`;
      this.door.append(lamp);
    }
    for (const [press, isActive] of this.#inputs) press.setAttribute("aria-pressed", String(Boolean(isActive(door))));
  }

  // MARK: - Phones

  #addRow(phone) {
    const row = make("li"), name = make("strong", phone.name), level = make("span"), step = make("p");
    [level.className, step.className] = ["level", "step"];
    const carry = choice(["hand", "bag", "pocket"].map(way => [way, way]), phone.carry,
      way => this.#send(`carry ${phone.name} ${way}`));
    carry.setAttribute("aria-label", `How ${phone.name} is carried`);
    const dbm = make("input");
    [dbm.type, dbm.min, dbm.max, dbm.placeholder] = ["number", -126, 20, "dBm"];
    dbm.setAttribute("aria-label", `Level of ${phone.name} in dBm, whatever the distance`);
    dbm.addEventListener("change", () => {
      if (dbm.value === "") return;
      this.#send(this.#plan.plays ? `level ${phone.name} ${dbm.value}`
        : `rssi ${phone.name} ${this.#plan.readers[0].name} ${dbm.value}`);
      dbm.value = "";
    });
    row.append(name, level, carry, dbm, step);
    this.list.append(row);
    const made = {row, level, carry, dbm, step};
    this.#rows.set(phone.name, made);
    return made;
  }

  #showPhone(phone) {
    const {row, level, carry, dbm, step} = this.#rows.get(phone.name) ?? this.#addRow(phone);
    const index = this.#plan.readers.findIndex(({name}) => name === this.#chosen);
    const parts = [];
    if (phone.levels) parts.push(`${phone.levels[index]} dBm`);
    if (phone.dbm !== undefined) parts.push("set");
    else if (phone.levels) {
      const [x, y] = this.#drawing.place(phone), [u, v] = this.#plan.readers[index].at;
      parts.push(`${(phone.metres ?? Math.hypot(x - u, y - v)).toFixed(1)} m`);
    }
    level.textContent = phone.on || !this.#plan.plays ? parts.join(", ") : "not here yet";
    dbm.hidden = Boolean(this.#plan["needs-floor"]);
    row.className = phone.links?.length ? "linked" : "";
    if (document.activeElement !== carry) carry.value = phone.carry;
    step.textContent = phone.step ?? "";
  }

  /// Shows an event next to its phone, and in its gate.
  #follow(entry) {
    this.#strip.receive(entry);
    const name = entry.phone;
    if (name === undefined) return;
    const mark = (text, kind) => this.#drawing.mark(name, text, kind);
    switch (entry.event) {
    case "connected": return entry.place === name ? mark("connected", "") : undefined;
    case "measured": return this.#results.has(name) ? undefined : mark(`${entry.rssi} dBm`, "");
    case "near": return mark("near", "near");
    case "refused": return mark(entry.reason === "pool-full" ? "no slot is free" : "too far", "far");
    case "result": {
      const kind = entry.status === 0 ? "opened" : "denied", at = entry["at-ms"];
      mark(kind, kind);
      this.#results.set(name, at);
    }
    }
  }

  #showResults(scene) {
    this.results.hidden = !scene.results;
    if (!scene.results) return;
    this.verdict.textContent = scene["as-expected"] ? "The end: as expected" : "The end: not as expected";
    this.resultList.replaceChildren(
      ...scene.results.map(({name, result, "after-ms": after, "as-expected": isExpected}) => {
        const line = make("li", `${name}: ${result}${after === undefined ? "" : ` after ${(after / 1000).toFixed(1)} s`}`);
        if (!isExpected) line.className = "wrong";
        return line;
      }),
      ...scene.failures.map(text => {
        const line = make("li", text);
        line.className = "wrong";
        return line;
      }));
  }

  // MARK: - Lines

  #move(name, [x, y]) {
    const line = `move ${name} ${x} ${y}${this.#scene?.playing === false ? "" : ` ${pace}ms`}`;
    // Of moves that wait, only a phone's last counts.
    this.#queue = this.#queue.filter(({phone}) => phone !== name);
    this.#queue.push({line, phone: name});
    this.#pump();
  }

  #send(line) {
    this.#queue.push({line});
    this.#pump();
  }

  /// Sends the lines in their order, moves no faster than phones arrive.
  async #pump() {
    if (this.#isSending) return;
    this.#isSending = true;
    while (this.#queue.length) {
      const {line, phone} = this.#queue.shift();
      const pause = new Promise(resolve => setTimeout(resolve, phone === undefined ? 0 : pace));
      await this.#connection.send(line);
      await pause;
    }
    this.#isSending = false;
  }

  #build([x, y], [u, v]) {
    this.#send(`wall ${x} ${y} ${u} ${v} ${this.db.value || 20}`);
    this.#toggleWall();
  }

  #toggleWall() {
    this.#drawing.isBuilding = !this.#drawing.isBuilding;
    this.#drawing.root.classList.toggle("building", this.#drawing.isBuilding);
    this.builder.setAttribute("aria-pressed", String(this.#drawing.isBuilding));
    if (this.#drawing.isBuilding) this.#report("Draw the wall on the floor. Delete takes down the wall that is chosen.");
    else this.#report("");
  }

  #answer({line, answer}) {
    if (/^(move|step) /.test(line) && answer.ok) return;
    if (line === "save" && answer.ok && this.#wantsFile) this.#download(answer.file);
    if (line === "save") this.#wantsFile = false;
    this.#report(answer.lines.join(" "), !answer.ok);
  }

  #report(text, isWrong = false) {
    this.notice.textContent = text;
    this.notice.className = isWrong ? "notice wrong" : "notice";
  }

  #download(file) {
    const link = make("a");
    link.href = URL.createObjectURL(new Blob([file], {type: "application/json"}));
    link.download = `${this.#plan.name.replace(/[^\w.-]+/g, "-").replace(/\.json$/, "")}-played.json`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }
}

// SPDX-License-Identifier: Apache-2.0

import {button, choice, labelled, make} from "./elements.js";

const speeds = [0.25, 0.5, 1, 2, 5, 10];

/// The time of a scenario: play and pause, speed, seed, and a file of what was played.
export class TimeControls {
  root = make("form", undefined, "time-controls");
  #time = make("span", undefined, "time");
  #play;
  #seed = make("input");
  #speed;
  #isPlaying = false;

  /// `send(line)` sends a line; `save()` requests the file.
  constructor(send, save) {
    this.#play = button("Play", () => send(this.#isPlaying ? "pause" : "play"));
    this.#play.className = "play";
    [this.#seed.inputMode, this.#seed.size, this.#seed.autocomplete] = ["numeric", 6, "off"];
    this.#speed = choice(speeds.map(speed => [String(speed), `${speed} ×`]), "1", speed => send("speed " + speed));
    this.root.append(
      this.#play, this.#time, labelled("Speed", this.#speed), labelled("Seed", this.#seed),
      make("button", "Start again"), button("Save scenario", save));
    this.root.addEventListener("submit", event => {
      event.preventDefault();
      send("seed " + (this.#seed.value.trim() || "1"));
    });
  }

  showPlan(plan) {
    this.root.hidden = !plan.plays;
    if (document.activeElement !== this.#seed) this.#seed.value = plan.seed ?? "";
  }

  show(scene) {
    this.#isPlaying = Boolean(scene.playing);
    this.#time.textContent = `${((scene["at-ms"] ?? 0) / 1000).toFixed(1)} s`;
    this.#play.textContent = this.#isPlaying ? "Pause" : "Play";
    this.#play.setAttribute("aria-pressed", String(this.#isPlaying));
    if (document.activeElement !== this.#speed) this.#speed.value = String(scene.speed ?? 1);
  }
}

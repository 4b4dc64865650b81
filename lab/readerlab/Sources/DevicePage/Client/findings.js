// SPDX-License-Identifier: Apache-2.0

import {at, button, capitalised, icon, make} from "./elements.js";

/// The mistakes that the program has found, each with what to do.
export class Findings {
  #shown = new Set();

  reset() {
    this.#shown.clear();
    at("findings").replaceChildren();
    at("no-findings").hidden = false;
  }

  receive({kind, data}) {
    if (kind !== "entry") return;
    if (data.event === "summary") (data.findings || []).forEach(finding => this.#show(finding, finding.entry));
    else if (data.event === "finding" || data.rule) this.#show(data, data["of-entry"]);
  }

  #show(finding, entry) {
    const sentence = finding.sentence || finding.text || "";
    const key = [finding.rule, sentence, finding.device, finding.link].join("|");
    if (this.#shown.has(key)) return;
    this.#shown.add(key);
    // The sentence of a finding is "mistake: remedy", unless it begins with the request that is meant.
    const end = !finding.rule || /^[A-Z]{3,} /.test(sentence) ? -1 : sentence.lastIndexOf(": ");
    const [mistake, remedy] = end < 0 ? [sentence, ""] : [sentence.slice(0, end), sentence.slice(end + 2)];
    const item = make("li");
    item.append(icon("alert"), make("strong", capitalised(mistake)));
    if (at("entry-" + entry)) item.append(button(`Entry ${entry}`, () => Findings.#reveal(entry)));
    if (remedy) item.append(make("span", capitalised(remedy), "todo"));
    const place = finding.link === undefined ? "" : `, link ${finding.link}`;
    item.append(make("span", `${finding.rule ?? "refused"}${place}`, "rule"));
    at("findings").append(item);
    at("no-findings").hidden = true;
  }

  static #reveal(entry) {
    const row = at("entry-" + entry);
    if (!row) return;
    document.querySelectorAll("#entries .shown").forEach(other => other.classList.remove("shown"));
    row.hidden = false;
    row.classList.add("shown");
    at("follow").checked = false;
    row.scrollIntoView({block: "center"});
    at("log").focus({preventScroll: true});
  }
}

// SPDX-License-Identifier: Apache-2.0

import {at, make} from "./elements.js";

/// The mistakes that the program has found.
export class Findings {
  reset() {
    at("findings").replaceChildren();
    at("no-findings").hidden = false;
  }

  receive({kind, data}) {
    if (kind !== "entry") return;
    if (data.event === "summary") (data.findings || []).forEach(finding => this.#show(finding));
    else if (data.event === "finding" || data.rule) this.#show(data);
  }

  #show(finding) {
    const text = [finding.rule, finding.sentence || finding.text].filter(Boolean).join(": ");
    if ([...at("findings").children].some(item => item.textContent === text)) return;
    at("findings").append(make("li", text));
    at("no-findings").hidden = true;
  }
}

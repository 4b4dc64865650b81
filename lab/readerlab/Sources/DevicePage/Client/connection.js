// SPDX-License-Identifier: Apache-2.0

/// The connection to the program: a stream of its messages (HTML, 9.2, by fetch, since EventSource sends no header
/// fields), and lines to it.
export class Connection {
  #authorization;
  #last = 0;
  #hasEnded = false;

  /// The callbacks of the page: `receive(message)`, `reset()`, `state(text, name)` and `refused(line, words)`.
  constructor(page) {
    this.page = page;
    this.#authorization = {"Authorization": "Bearer " + Connection.#token()};
  }

  /// The token: this tab keeps it, and sends it to this page's program alone. A cookie would go to each port of the
  /// address.
  static #token() {
    const given = new URLSearchParams(location.search).get("token");
    if (given !== null) {
      sessionStorage.setItem("token", given);
      history.replaceState(null, "", "/");
    }
    return sessionStorage.getItem("token") ?? "";
  }

  /// Sends a typed line. Its answer is a message of the stream.
  async send(line) {
    const response = await fetch("/line", {
      method: "POST", headers: {...this.#authorization, "Content-Type": "application/json"},
      body: JSON.stringify({line})
    }).catch(() => null);
    if (response && response.ok) return;
    this.page.refused(line, response ? (await response.text()).trim() : "no connection to the program");
  }

  /// Follows the program until it ends; connects again when the stream breaks.
  async follow() {
    while (!this.#hasEnded) {
      const headers = {...this.#authorization, "Last-Event-ID": String(this.#last)};
      const response = await fetch("/events", {headers}).catch(() => null);
      if (response && response.ok) {
        this.page.state("running", "stands");
        await this.#read(response.body).catch(() => null);
      } else if (response && response.status === 403) {
        return this.page.state((await response.text()).trim(), "lost");
      }
      if (this.#hasEnded) return;
      this.page.state("no connection; tries again", "lost");
      await new Promise(resolve => setTimeout(resolve, 1000));
    }
  }

  /// Reads a stream to its end.
  async #read(body) {
    const stream = body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const {value, done} = await stream.read();
      if (done) return;
      const events = (rest + value).split("\n\n");
      rest = events.pop();
      events.forEach(event => this.#handle(event));
    }
  }

  #handle(text) {
    const fields = {};
    for (const line of text.split("\n")) {
      const end = line.indexOf(": ");
      if (end > 0) fields[line.slice(0, end)] = line.slice(end + 2);
    }
    if (fields.event === undefined) return;
    // Of messages without a number only the latest counts.
    if (fields.id !== undefined) {
      const number = Number(fields.id);
      // The program no longer keeps all that was missed: it sends what it keeps, from its first message.
      if (number === 1 && this.#last > 0) this.page.reset();
      this.#last = number;
    }
    if (fields.event === "ended") this.#hasEnded = true;
    this.page.receive({kind: fields.event, data: JSON.parse(fields.data)});
  }
}

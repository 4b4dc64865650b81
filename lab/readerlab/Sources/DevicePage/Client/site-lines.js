// SPDX-License-Identifier: Apache-2.0

/// The time of a move while a phone is dragged, in milliseconds: as often as the scene comes.
export const pace = 120;

/// The lines of a site to the program, in their order, moves no faster than phones arrive.
export class Lines {
  #connection;
  #queue = [];
  #isSending = false;

  constructor(connection) { this.#connection = connection; }

  send(line) { this.#add({line}); }

  /// Of moves that wait, only a phone's last counts.
  move(phone, line) {
    this.#queue = this.#queue.filter(waiting => waiting.phone !== phone);
    this.#add({line, phone});
  }

  async #add(item) {
    this.#queue.push(item);
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
}

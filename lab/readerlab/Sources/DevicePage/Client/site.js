// SPDX-License-Identifier: Apache-2.0

/// The floor plan of the air.
export class Site {
  constructor(root, connection) {
    root.hidden = true;
  }

  reset() {}

  receive({kind, data}) {}
}

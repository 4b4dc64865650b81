// SPDX-License-Identifier: Apache-2.0

// Elements of the page. All content is set as text, so that no data of a client is interpreted as markup.

export const at = id => document.getElementById(id);

/// An element with a text.
export function make(name, text) {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  return element;
}

/// A button that calls `press`.
export function button(text, press) {
  const element = make("button", text);
  element.type = "button";
  element.addEventListener("click", press);
  return element;
}

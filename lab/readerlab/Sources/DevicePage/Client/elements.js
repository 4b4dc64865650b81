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

/// The namespace of drawings, as the parser has it.
const drawings = (() => {
  const template = document.createElement("template");
  template.innerHTML = "<svg></svg>";
  return template.content.firstChild.namespaceURI;
})();

/// An element of a drawing with these attributes, and a text or a child.
export function svg(name, attributes = {}, content) {
  const element = document.createElementNS(drawings, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (content !== undefined) element.append(content);
  return element;
}

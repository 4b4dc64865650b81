// SPDX-License-Identifier: Apache-2.0

// Elements of the page. All content is set as text, so that no data of a client is interpreted as markup.

export const at = id => document.getElementById(id);

/// An element with a text, and of these classes.
export function make(name, text, classes) {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  if (classes) element.className = classes;
  return element;
}

/// A button that calls `press`.
export function button(text, press) {
  const element = make("button", text);
  element.type = "button";
  element.addEventListener("click", press);
  return element;
}

/// A control with its name.
export function labelled(text, control) {
  const label = make("label", text + " ");
  label.append(control);
  return label;
}

/// A list of values, each with its text, of which one is selected; `change` is called with another one.
export function choice(values, selected, change) {
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

/// An element of a drawing, with these attributes and children.
export function draw(name, attributes = {}, ...children) {
  const element = document.createElementNS(at("icons").namespaceURI, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/// One of the icons of the page, which is decoration.
export const icon = name =>
  draw("svg", {class: "icon", "aria-hidden": "true"}, draw("use", {href: "#icon-" + name}));

/// A sentence with a capital letter.
export const capitalised = text => text.charAt(0).toUpperCase() + text.slice(1);

/// A name of a program in words: "well-under" is "Well under".
export const words = name => capitalised(String(name).replaceAll("-", " "));

/// A short label with a colour: good, bad, warn or none.
export const badge = (text, look) => make("span", text, "badge " + (look ?? ""));

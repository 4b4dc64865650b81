// SPDX-License-Identifier: Apache-2.0

import {at, badge, button, icon, make, words} from "./elements.js";
import {Door} from "./door.js";

/// The names of switches in words, where the name of the command is none.
const names = {
  rssi: "Signal at the gate", pool: "Slots for phones", disk: "Disk of the event log", clock: "Clock",
  door: "Door contact", fire: "Fire input", wifi: "Wi-Fi", dhcp: "Addresses (DHCP)", mtu: "Largest ATT_MTU",
  gnss: "Satellites", space: "Space on the card", window: "Commissioning window",
};

/// What is in force at an emulated device, and what it shows: its door, its camera, its codes, its Wi-Fi.
export class Device {
  #connection;
  #door = new Door();
  #states = "";

  constructor(root, connection) {
    this.#connection = connection;
    at("door").append(this.#door.root);
  }

  reset() {}

  receive({kind, data}) {
    switch (kind) {
    case "entry":
      if (data["qr-svg"] || data.qr) this.#showCodes(data);
      return;
    case "picture": return this.#showPicture(data.jpeg);
    case "state": return this.#show(data);
    }
  }

  #show(state) {
    this.#showSwitches(state.switches);
    at("door").hidden = !state.lock;
    if (state.lock) this.#door.show(state.lock);
    if (state.camera) this.#showCamera(state.camera, state.card);
    if (state.fabrics) this.#showFabrics(state.fabrics);
    at("wifi").hidden = !state.networks;
    if (state.networks) this.#showNetworks(state.networks);
  }

  // Switches: a group of buttons for each, of which the one in force is pressed

  #showSwitches(switches) {
    const key = JSON.stringify(switches.map(({name, choices}) => [name, choices]));
    if (key !== this.#states) {
      this.#states = key;
      at("force").hidden = switches.length === 0;
      at("switches").replaceChildren(...switches.map(item => this.#group(item)));
    }
    for (const {name, value, choices} of switches) {
      const group = at("switch-" + name);
      for (const element of group.querySelectorAll("button")) {
        element.setAttribute("aria-pressed", String(element.dataset.value === value));
      }
      group.querySelector(".badge").hidden = choices.some(choice => choice.value === value);
      group.querySelector(".badge").textContent = value;
    }
  }

  #group({name, choices}) {
    const group = make("div"), title = make("span", names[name] ?? words(name)), row = make("div", undefined, "choices");
    group.id = "switch-" + name;
    title.id = "name-" + name;
    group.setAttribute("role", "group");
    group.setAttribute("aria-labelledby", title.id);
    title.append(" ", badge(""));
    for (const {value, line} of choices) {
      const element = button(value.replaceAll(/[-_]/g, " "), () => this.#connection.send(line));
      element.dataset.value = value;
      row.append(element);
    }
    group.append(title, row);
    return group;
  }

  // A camera

  #showPicture(hexadecimal) {
    const octets = hexadecimal.match(/../g).map(pair => String.fromCharCode(parseInt(pair, 16)));
    at("lens").hidden = false;
    at("picture").hidden = false;
    at("picture").src = "data:image/jpeg;base64," + btoa(octets.join(""));
  }

  #showCamera(camera, card) {
    at("lens").hidden = false;
    const seconds = camera["recording-s"];
    const facts = [
      camera.viewfinder ? `The viewfinder goes to ${camera.viewfinder}` : "No app watches the viewfinder",
      seconds === undefined ? "" : `records since ${seconds} s`, `battery ${camera.battery} %`];
    at("lens-text").textContent = facts.filter(Boolean).join(" · ");
    const gigabytes = (card.free / 1e9).toFixed(1);
    at("card-text").textContent = `${card.recordings} recordings, ${card.photos} photos, ${gigabytes} GB free`;
    at("recordings").replaceChildren(...card.latest.map(recording => {
      const item = make("li", recording.name.replace(/^\//, ""));
      const tags = recording.tags ? `, ${recording.tags} ${recording.tags === 1 ? "tag" : "tags"}` : "";
      item.append(make("span", `${recording["length-s"].toFixed(1)} s`, "quiet"));
      item.append(make("small",
        `${words(recording.mode.replaceAll("_", " "))}, ${(recording.size / 1e6).toFixed(1)} MB, `
        + `${recording.created.replace("T", " ")}${tags}`));
      return item;
    }));
  }

  // A Matter device

  #showCodes({qr, manual, ...rest}) {
    at("codes").hidden = false;
    const svg = rest["qr-svg"];
    at("qr").hidden = !svg;
    if (svg) at("qr").src = "data:image/svg+xml," + encodeURIComponent(svg);
    at("manual").textContent = [qr, manual?.replace(/^(....)(...)(....)$/, "$1-$2-$3")].filter(Boolean).join("\n");
    at("manual").style.whiteSpace = "pre-line";
  }

  #showFabrics(fabrics) {
    at("no-fabrics").hidden = fabrics.length > 0;
    at("fabrics").replaceChildren(...fabrics.map(({index, label, vendor}) => {
      const item = make("li", label || `Fabric ${index}`);
      item.append(make("span", `${index}`, "quiet"));
      item.append(make("small", `vendor 0x${vendor.toString(16).padStart(4, "0")}`));
      return item;
    }));
  }

  // Wi-Fi

  #showNetworks(networks) {
    at("networks").replaceChildren(...networks.map(network => {
      const item = make("li"), name = make("span", network.name, network.up ? "" : "off");
      const level = network.joined ? badge("joined", "good") : make("span", `${network["rssi-dbm"]} dBm`, "quiet");
      if (network.hidden) name.append(" ", badge("hidden"));
      item.append(name, network.up ? level : badge("off", "warn"));
      item.append(make("small", `${network.security}, channel ${network.channel}, ${network.address}`));
      return item;
    }));
  }
}

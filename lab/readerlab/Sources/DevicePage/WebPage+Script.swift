// SPDX-License-Identifier: Apache-2.0

extension WebPage {
    /// All content is set as text, so that no data of a client is interpreted as markup.
    static let script = #"""
        "use strict";

        const maximumRows = 5000;
        const at = id => document.getElementById(id);
        const make = (name, text) => {
          const element = document.createElement(name);
          if (text !== undefined) element.textContent = text;
          return element;
        };
        const rows = [];
        const links = new Map();
        const asked = new Map();

        // The token: this tab keeps it, and sends it to this page's program alone. A cookie would go to each port of
        // the address.

        const given = new URLSearchParams(location.search).get("token");
        if (given !== null) {
          sessionStorage.setItem("token", given);
          history.replaceState(null, "", "/");
        }
        const authorization = {"Authorization": "Bearer " + (sessionStorage.getItem("token") ?? "")};

        // Lines

        async function send(line) {
          const response = await fetch("/line", {
            method: "POST", headers: {...authorization, "Content-Type": "application/json"},
            body: JSON.stringify({line})
          }).catch(() => null);
          if (!response || !response.ok) {
            answer(line, [response ? (await response.text()).trim() : "no connection to the program"], false);
          }
        }

        function answer(line, lines, isGood) {
          const place = at("answer");
          place.replaceChildren(make("strong", line), document.createTextNode("\n" + lines.join("\n")));
          place.className = isGood ? "" : "wrong";
        }

        function button(text, press) {
          const element = make("button", text);
          element.type = "button";
          element.addEventListener("click", press);
          return element;
        }

        /// Puts a line to be completed into the field.
        function complete(line) {
          at("line").value = line;
          at("line").focus();
        }

        at("typed").addEventListener("submit", event => {
          event.preventDefault();
          send(at("line").value);
          at("line").value = "";
        });

        // Commands: the faults of each step, and the program's own answer to "help"

        /// "a|b" in one word: each of them; otherwise null.
        const choices = word => /^[a-z-]+(\|[a-z-]+)+$/.test(word) ? word.split("|") : null;

        function showHelp(lines) {
          at("help").replaceChildren(...lines.map(line => make("li", line)));
          at("orders").replaceChildren();
          for (const line of lines.flatMap(line => line.split(/[;,]|\s\|\s/))) {
            const words = line.replace(/:.*$/, "").trim().split(/\s+/);
            if (words.length !== 2 || words[0] === "fault" || !choices(words[1])) continue;
            for (const choice of choices(words[1])) {
              const order = words[0] + " " + choice;
              at("orders").append(button(order, () => send(order)));
            }
          }
          for (const order of ["too-far", "findings", "faults", "clear", "disconnect", "list"]) {
            if (lines.some(line => new RegExp("(^|[^\\w-])" + order + "([^\\w-]|$)").test(line))) {
              at("orders").append(button(order, () => send(order)));
            }
          }
        }

        let steps = [];

        function showSteps(given) {
          steps = given;
          at("faults").hidden = steps.length === 0;
          at("step").replaceChildren(...steps.map((step, place) => {
            const option = make("option", step.step || "the device");
            option.value = place;
            return option;
          }));
          showFaults();
        }

        function showFaults() {
          const step = steps[at("step").value];
          at("kinds").replaceChildren(...step.faults.map(({fault, argument}) =>
            button(argument ? `${fault} ${argument}` : fault, () => {
              const line = ["fault", fault, step.step].filter(Boolean).join(" ");
              if (argument) complete(line + " ");
              else send(line + (at("every").checked ? " every" : ""));
            })));
        }

        at("step").addEventListener("change", showFaults);

        // Events

        function show(entry) {
          if (entry.event === "emulation") return showDevice(entry);
          if (entry.event === "summary") return (entry.findings || []).forEach(showFinding);
          if (entry.event === "open") showDevice({name: entry.place, address: entry.hci});
          if (entry.event === "finding" || entry.rule) showFinding(entry);
          follow(entry);
          addRow(entry);
        }

        function showDevice(entry) {
          const words = [entry.name, entry.address, entry.serial].filter(Boolean);
          at("devices").append(make("li", words.join("  ")));
          if (at("devices").children.length === 1 && entry.name) {
            at("title").textContent = entry.name;
            document.title = entry.name + " · readerlab";
          }
        }

        function showFinding(finding) {
          const text = [finding.rule, finding.sentence || finding.text].filter(Boolean).join(": ");
          if ([...at("findings").children].some(item => item.textContent === text)) return;
          at("findings").append(make("li", text));
          at("no-findings").hidden = true;
        }

        /// Keeps the list of links by the entries that open, end and describe them.
        function follow(entry) {
          const name = entry.link ?? entry.place;
          if (name === undefined) return;
          if (/^(connected|joined|opened)$/.test(entry.event)) links.set(name, [entry.peer || entry.address || ""]);
          if (/^(disconnected|left|closed)$/.test(entry.event)) links.delete(name);
          if (links.has(name)) {
            const level = entry["rssi-dbm"] ?? entry.rssi;
            links.get(name)[1] = level === undefined ? links.get(name)[1] : `${level} dBm`;
            links.get(name)[2] = entry.text || entry.step || entry.event;
          }
          at("no-links").hidden = links.size > 0;
          at("links").replaceChildren(...[...links].map(([name, words]) =>
            make("li", `${name}  ${words.filter(Boolean).join("  ")}`)));
        }

        function addRow(entry) {
          const seconds = entry["at-ms"] === undefined ? "" : (entry["at-ms"] / 1000).toFixed(3) + " s";
          const text = [entry.sentence, entry.meaning, entry.text, entry.result, entry.why, entry.peer, entry.mtu]
            .filter(Boolean).join(": ") || entry.value || entry.address || entry.credential || "";
          const name = entry.event ?? entry.kind;
          const words = [text.toLowerCase().startsWith(name) ? "" : name, entry.step, text].filter(Boolean);
          const row = make("tr");
          row.append(make("td", seconds || (entry.time || "").replace("T", " ")));
          row.append(make("td", entry.link ?? entry.place ?? entry.reader ?? ""), make("td", words.join("  ")));
          if (entry.event === "finding" || entry.rule) row.className = "finding";
          if (entry.typed) row.className = "command";
          rows.push(row);
          at("entries").append(row);
          if (rows.length > maximumRows) rows.shift().remove();
          filter(row);
          if (at("follow").checked) at("log").scrollTop = at("log").scrollHeight;
        }

        function filter(row) {
          const wanted = at("filter").value.toLowerCase();
          row.hidden = wanted !== "" && !row.textContent.toLowerCase().includes(wanted);
        }

        at("filter").addEventListener("input", () => rows.forEach(filter));

        // The readers of a fleet

        const readers = new Map();

        function showReader(entry) {
          const row = make("tr");
          const state = entry.state || {}, last = entry.last || {};
          const link = entry.online === null ? "never seen" : entry.online ? "there" : "gone";
          const door = [(state.lock || "-").toLowerCase(), state.open && "open", state.tampered && "tampered"];
          const faults = (state.faults || []).join(", ") || "none";
          const cells = [
            [entry.reader], [link, !entry.online], [entry.firmware ?? "-"],
            [door.filter(Boolean).join(", "), state.tampered],
            [faults, faults !== "none"],
            [[last.time?.replace("T", " "), last.kind, last.credential].filter(Boolean).join(" ") || "-"],
            [entry.events], [entry.lost, entry.lost > 0], [entry.conflicts, entry.conflicts > 0]];
          for (const [text, isBad] of cells) {
            row.append(make("td", String(text)));
            if (isBad) row.lastChild.className = "wrong";
          }
          readers.set(entry.device, {name: String(entry.reader), row});
          at("readers").replaceChildren(...[...readers.values()]
            .sort((one, other) => one.name.localeCompare(other.name)).map(({row}) => row));
          at("fleet").hidden = false;
        }

        /// A program that is only looked at: no commands. A fleet has no links.
        function beSilent(isFleet) {
          at("control").hidden = true;
          if (!isFleet) return;
          at("all-links").hidden = true;
          at("title").textContent = document.title = "Fleet";
          at("whose").textContent = "Reader";
          document.body.className = "silent";
        }

        function state(text, name) {
          at("state").textContent = text;
          at("state").className = name;
        }

        // Events: a stream of them (HTML, 9.2), by fetch, since EventSource sends no header fields

        let last = 0;
        let hasEnded = false;
        const handlers = {
          entry: show,
          output: addRow,
          help: given => showHelp(given.lines),
          faults: given => showSteps(given.steps),
          answer: given => answer(given.line, given.answer.lines, given.answer.ok),
          reader: showReader,
          silent: given => beSilent(given.fleet),
          ended: given => {
            hasEnded = true;
            state(given.text, "lost");
          }
        };

        function handle(text) {
          const fields = {};
          for (const line of text.split("\n")) {
            const end = line.indexOf(": ");
            if (end > 0) fields[line.slice(0, end)] = line.slice(end + 2);
          }
          if (fields.id === undefined) return;
          last = Number(fields.id);
          try {
            handlers[fields.event]?.(JSON.parse(fields.data));
          } catch (error) {
            reportError(error);
          }
        }

        /// Reads a stream to its end.
        async function read(body) {
          const stream = body.pipeThrough(new TextDecoderStream()).getReader();
          let rest = "";
          for (;;) {
            const {value, done} = await stream.read();
            if (done) return;
            const events = (rest + value).split("\n\n");
            rest = events.pop();
            events.forEach(handle);
          }
        }

        async function subscribe() {
          while (!hasEnded) {
            const response = await fetch("/events", {headers: {...authorization, "Last-Event-ID": String(last)}})
              .catch(() => null);
            if (response && response.ok) {
              state("running", "stands");
              await read(response.body).catch(() => null);
            } else if (response && response.status === 403) {
              return state((await response.text()).trim(), "lost");
            }
            if (hasEnded) return;
            state("no connection; tries again", "lost");
            await new Promise(resolve => setTimeout(resolve, 1000));
          }
        }

        subscribe();
        """#
}

// SPDX-License-Identifier: Apache-2.0

/// The parts of the page, which are compiled into the program.
struct WebPage {
    /// A part, with its path as the raw value.
    enum Part: String, CaseIterable {
        case document = "/"
        case style = "/page.css"
        case script = "/page.js"

        /// The media type.
        var type: String {
            switch self {
            case .document: "text/html; charset=utf-8"
            case .style: "text/css; charset=utf-8"
            case .script: "text/javascript; charset=utf-8"
            }
        }

        /// The content.
        var text: String {
            switch self {
            case .document: WebPage.document
            case .style: WebPage.style
            case .script: WebPage.script
            }
        }
    }

    private static let document = """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>readerlab</title>
        <link rel="stylesheet" href="/page.css">
        <link rel="icon" href="data:,">
        <script src="/page.js" defer></script>
        </head>
        <body>
        <header>
        <h1 id="title">readerlab</h1>
        <p id="state" role="status">connecting</p>
        <ul id="devices"></ul>
        </header>
        <main>
        <section id="fleet" aria-labelledby="fleet-title" hidden>
        <h2 id="fleet-title">Readers</h2>
        <div class="wide" role="region" tabindex="0" aria-labelledby="fleet-title">
        <table>
        <thead><tr><th scope="col">Reader</th><th scope="col">Link</th>
        <th scope="col">Firmware</th><th scope="col">Door</th><th scope="col">Faults</th>
        <th scope="col">Last event</th><th scope="col">Events</th>
        <th scope="col">Lost</th><th scope="col">Conflicts</th></tr></thead>
        <tbody id="readers"></tbody>
        </table>
        </div>
        </section>
        <section id="control" aria-labelledby="control-title">
        <h2 id="control-title">Commands</h2>
        <form id="typed">
        <label for="line">Line</label>
        <input id="line" name="line" autocomplete="off" autocapitalize="off" spellcheck="false" maxlength="4096" required>
        <button>Send</button>
        </form>
        <div id="faults" hidden>
        <label for="step">Fault at</label>
        <select id="step"></select>
        <label><input type="checkbox" id="every"> every time</label>
        <div id="kinds" role="group" aria-label="Faults"></div>
        </div>
        <div id="orders" role="group" aria-label="Other commands"></div>
        <details><summary>All that can be typed</summary><ul id="help"></ul></details>
        <div id="answer" role="status"></div>
        </section>
        <section aria-labelledby="links-title">
        <div id="all-links">
        <h2 id="links-title">Links</h2>
        <p id="no-links">none</p>
        <ul id="links"></ul>
        </div>
        <h2>Findings</h2>
        <p id="no-findings">none so far</p>
        <ul id="findings"></ul>
        </section>
        <section id="times" aria-labelledby="times-title">
        <h2 id="times-title">Timeline</h2>
        <label><input type="checkbox" id="follow" checked> Follow</label>
        <label for="filter">Filter</label> <input id="filter" type="search" autocomplete="off">
        <div id="log" role="log" tabindex="0" aria-label="Timeline">
        <table>
        <thead><tr><th scope="col">Time</th><th scope="col" id="whose">Link</th><th scope="col">Event</th></tr></thead>
        <tbody id="entries"></tbody>
        </table>
        </div>
        </section>
        </main>
        </body>
        </html>
        """

    private static let style = """
        :root {
          color-scheme: light dark;
          --text: light-dark(#1b1f24, #e6e6e6); --quiet: light-dark(#57606a, #a3abb3);
          --ground: light-dark(#ffffff, #15181c); --raised: light-dark(#f3f5f7, #1f2429);
          --line: light-dark(#c4ccd4, #3b434b); --accent: light-dark(#0b57d0, #8ab4f8);
          --bad: light-dark(#b3261e, #ff8a80); --good: light-dark(#146c2e, #7ddc93);
        }
        * { box-sizing: border-box }
        body { margin: 0; font: 15px/1.45 system-ui, sans-serif; color: var(--text); background: var(--ground) }
        header { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; align-items: baseline; padding: .8rem 1rem;
          border-bottom: 1px solid var(--line) }
        h1 { font-size: 1.2rem; margin: 0 } h2 { font-size: 1rem; margin: 0 0 .5rem }
        #state { margin: 0; color: var(--quiet) } #state.lost { color: var(--bad) } #state.stands { color: var(--good) }
        ul { list-style: none; margin: 0; padding: 0 } header ul { flex-basis: 100%; color: var(--quiet) }
        main { display: grid; gap: 1rem; padding: 1rem; grid-template-columns: minmax(0, 2fr) minmax(0, 1fr);
          align-items: start }
        #times, #fleet, .silent section { grid-column: 1 / -1 } [hidden] { display: none }
        .wide { overflow-x: auto } #readers td { text-align: left; white-space: nowrap }
        body.silent section h2 { margin-top: 0 } .silent #entries td:first-child { text-align: left; white-space: normal }
        section { background: var(--raised); border: 1px solid var(--line); border-radius: .5rem; padding: .8rem;
          min-width: 0 }
        section h2:not(:first-child) { margin-top: 1rem }
        input:not([type=checkbox]), select, button { font: inherit; color: inherit; background: var(--ground);
          border: 1px solid var(--line); border-radius: .35rem; padding: .3rem .6rem; min-height: 2.2rem }
        button { cursor: pointer } button:hover { border-color: var(--accent) }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 1px }
        form { display: flex; gap: .5rem; align-items: center } #line { flex: 1; min-width: 0 }
        select { max-width: 100% }
        #faults, #orders, details, #answer { margin-top: .7rem }
        #kinds, #orders { display: flex; flex-wrap: wrap; gap: .4rem } #kinds { margin-top: .5rem }
        #help { margin-top: .4rem; color: var(--quiet); font: 13px/1.5 ui-monospace, monospace }
        #answer { font: 13px/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere;
          max-height: 12rem; overflow: auto }
        .wrong { color: var(--bad) }
        #findings li { border-left: 4px solid var(--bad); padding-left: .5rem; margin-bottom: .4rem }
        p { margin: 0; color: var(--quiet) }
        #log { overflow: auto; max-height: 60vh; margin-top: .5rem }
        table { border-collapse: collapse; width: 100%; font: 13px/1.5 ui-monospace, monospace }
        th { text-align: left; position: sticky; top: 0; background: var(--raised) }
        td, th { padding: .1rem .8rem .1rem 0; vertical-align: top } td:first-child { text-align: right; white-space: nowrap }
        td:last-child { overflow-wrap: anywhere } tr.finding td { color: var(--bad) } tr.command td { color: var(--accent) }
        @media (max-width: 46rem) { main { grid-template-columns: minmax(0, 1fr); padding: .5rem; gap: .5rem } }
        """
}

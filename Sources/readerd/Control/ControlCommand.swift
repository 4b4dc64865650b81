// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import JSON
import Octets
import Reader
import Timekeeping

/// `readerd status`, `unlock` and so on: sends a request to a running reader, and prints the answer.
struct ControlCommand {
    let options: ControlOptions
    let console: Console

    /// Sends the request. Returns the exit status: 0 if it was carried out, and for `quiet` if a restart is
    /// unnoticed; else 1.
    func perform() throws(ReaderdError) -> Int32 {
        let caller = try ControlCaller(path: options.path)
        let octets = try caller.send(ControlRequest(action: options.action, id: options.id).line)
        guard let answer = try? JSONParser.parse(octets), let isDone = answer["ok"]?.isTrue else {
            throw .failed("\(options.path): not a reader's answer; name the reader's socket with --control")
        }
        if options.isJSON {
            console.print(String(decoding: octets, as: UTF8.self).printableJSON)
            return isDone && options.action != .quiet || answer["quiet"]?.isTrue == true ? 0 : 1
        }
        guard isDone else {
            throw .failed("not done: \((answer["why"]?.text ?? "no reason given").printable)")
        }
        switch options.action {
        case .quiet:
            let reasons = (answer["disturbs"]?.elements ?? []).compactMap(\.text).map(\.printable)
            console.print(reasons.isEmpty ? "quiet" : "not quiet: \(reasons.joined(separator: ", "))")
        case .status: for line in StatusTable.lines(answer) { console.print(line) }
        case .metrics:
            var text = answer["metrics"]?.text ?? ""
            if text.last == "\n" { text.removeLast() }
            console.print(text)
        case .door(.officeOff): console.print("office mode is off")
        case .door(.officeOn): console.print("unlocked until: readerd unlock office-off")
        case .door(.lockdownOn): console.print("locked down until: readerd lockdown off")
        case .door(.lockdownOff): console.print("lockdown ended")
        case .door(.tamperReset): console.print("tamper reset: access is permitted again")
        case .door: console.print(unlocked(answer))
        case .revocation(let order): console.print(ControlCommand.line(order, answer))
        case .timed(.setTime, _):
            console.print(
                "the reader's clock is set, also after a restart, until the system clock is synchronised")
        case .timed(.provisioning, 0): console.print("provisioning window closed")
        case .timed(.provisioning, let seconds): console.print("provisioning window open for \(seconds) s")
        case .timed(.panelInstallation, 0): console.print("the panel cannot set a key any longer")
        case .timed(.panelInstallation, let seconds):
            console.print("the panel can set a key for \(seconds) s: who listens to the line then has the key")
        case .timed(.matterWindow, 0): console.print("the reader cannot be commissioned any longer")
        case .timed(.matterWindow, let seconds): console.print("an app can commission the reader for \(seconds) s")
        case .timed(.survey, _), .subscribe: break
        }
        return options.action != .quiet || answer["quiet"]?.isTrue == true ? 0 : 1
    }

    /// The end of an opening, if the answer has it.
    private func unlocked(_ answer: JSONNode) -> String {
        guard let seconds = answer["for-s"]?.text.flatMap(Int.init) else { return "unlocked" }
        let until = answer["until"]?.text.map { ", until \($0.printable)" } ?? ""
        return "unlocked for \(seconds) s\(until)"
    }
}

extension ControlCommand {
    /// The line about an order that was carried out. The end in force can be later than ordered.
    static func line(_ order: RevocationOrder, _ answer: JSONNode) -> String {
        let credential = order.credential.text.printable
        guard case .revoke(_, let until) = order else {
            return "\(credential) is accepted again, until another revocation comes by a phone or a fleet"
        }
        let end = answer["until"]?.text
        let line = "\(credential) is revoked " + (end.map { "until \($0.printable)" } ?? "for ever")
        guard let until, end != LocalMinute.text(until) else { return line }
        return line + ", as before: to shorten that, run: readerd unrevoke \(credential), then revoke it again"
    }
}

/// The answer to a status request as a table.
enum StatusTable {
    /// Returns a line for each part and each fault.
    static func lines(_ answer: JSONNode) -> [String] {
        var rows: [(String, [String])] = []
        rows.append(("door", door(answer["door"])))
        let links = answer["links"]
        rows.append(("links", ["\(links?["served"]?.text ?? "?") of \(links?["max"]?.text ?? "?")"]))
        let controller = answer["controller"]
        rows.append(
            (
                "controller",
                [
                    controller?["name"]?.text ?? "?", controller?["ready"]?.isTrue == true ? "ready" : "not ready",
                    controller?["advertising"]?.isTrue == true ? "advertising" : "not advertising",
                ] + modes(controller?["modes"])
            ))
        if let nfc = answer["nfc"] {
            let state = [nfc["connection"]?.text ?? "?", nfc["state"]?.text ?? "?"]
            rows.append(("nfc", state + ControlCommand.polling(nfc)))
        }
        rows.append(("events", events(answer["events"])))
        let clock = answer["clock"]
        let holiday = clock?["holiday"]?.text.map { ["holiday: \($0)"] } ?? []
        rows.append(("clock", [clock?["time"]?.text ?? "not set", clock?["quality"]?.text ?? "?"] + holiday))
        let updater = answer["updater"]
        if let state = updater?["state"]?.text, state != "absent" {
            rows.append(("updater", [state] + (updater?["last"]?.text.map { ["last: \($0)"] } ?? [])))
        }
        if let restart = answer["restart"] {
            let reasons = (restart["disturbs"]?.elements ?? []).compactMap(\.text).joined(separator: ", ")
            rows.append(
                ("update", ["waits to restart for \(duration(restart["waits-s"]?.text))", "because of: \(reasons)"]))
        }
        if let provisioning = answer["provisioning"] { rows.append(("wifi", wifi(provisioning))) }
        if let panel = answer["osdp"] { rows.append(("osdp", self.panel(panel))) }
        if let matter = answer["matter"] { rows.append(("matter", self.matter(matter))) }
        let identity = answer["demo-identity"]?.isTrue == true ? ["demo identity"] : []
        rows.append(
            (
                "reader",
                [answer["device"]?.text ?? "?"] + identity
                    + ["readerd \(answer["version"]?.text ?? "?")", "up \(duration(answer["uptime-s"]?.text))"]
            ))
        for fault in answer["faults"]?.elements ?? [] { rows.append(("fault", [self.fault(fault)])) }
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { title, cells in
            title.padded(to: width) + "  " + cells.map(\.printable).joined(separator: ", ")
        }
    }

    /// The modes that are not as the rest of the line says.
    private static func modes(_ modes: JSONNode?) -> [String] {
        (modes?.elements ?? []).compactMap { entry in
            let state = entry["state"]?.text ?? "?"
            guard ModeState(rawValue: state)?.isServed != true else { return nil }
            return "\(entry["mode"]?.text ?? "?") \(state)"
        }
    }

    private static func door(_ door: JSONNode?) -> [String] {
        var cells = [door?["state"]?.text ?? "?"]
        if door?["open"]?.isTrue == true { cells.append("open") }
        if let alarm = door?["alarm"]?.text { cells.append("alarm: \(alarm)") }
        if door?["tampered"]?.isTrue == true { cells.append("housing open") }
        if door?["blocked"]?.isTrue == true { cells.append("blocked by tamper") }
        if let sign = door?["sign"]?.text { cells.append("sign \(sign)") }
        if door?["simulated-lock"]?.isTrue == true { cells.append("simulated lock") }
        return cells + ["opened \(door?["openings"]?.text ?? "?") times"]
    }

    private static func matter(_ matter: JSONNode) -> [String] {
        guard matter["connected"]?.isTrue == true else { return ["readerd-matter is not connected"] }
        guard let fabrics = matter["fabrics"]?.text else { return ["readerd-matter is starting"] }
        return ["on \(fabrics) fabrics"] + (matter["commissionable"]?.isTrue == true ? ["can be commissioned"] : [])
    }

    private static func panel(_ panel: JSONNode) -> [String] {
        var cells = [panel["line"]?.text ?? "?", panel["state"]?.text ?? "?"]
        cells.append("address \(panel["address"]?.text ?? "?") at \(panel["speed"]?.text ?? "?") bit/s")
        cells.append(panel["key"]?.isTrue == true ? "with its key" : "without a key")
        if let rest = panel["remaining-s"]?.text { cells.append("a key can be set for \(rest) s") }
        return cells
    }

    private static func wifi(_ provisioning: JSONNode) -> [String] {
        var cells = [provisioning["wifi"]?.text ?? "?"]
        if let network = provisioning["network"]?.text { cells.append(network) }
        if let address = provisioning["ipv4"]?.text { cells.append(address) }
        if provisioning["open"]?.isTrue == true {
            cells.append("provisioning window open for \(provisioning["remaining-s"]?.text ?? "?") s")
        }
        return cells
    }

    /// `disk-full since 2026-11-21T13:00:00+01:00: the event log: …`; if the start is unknown, with the duration
    /// instead.
    private static func fault(_ fault: JSONNode) -> String {
        let code = fault["code"]?.text ?? "?"
        let since = fault["since"]?.text.map { "since \($0)" } ?? "for \(duration(fault["for-s"]?.text))"
        return "\(code) \(since): \(fault["text"]?.text ?? "?")"
    }

    private static func events(_ events: JSONNode?) -> [String] {
        var cells = [events?["state"]?.text ?? "?"]
        if let records = events?["records"]?.text { cells.append("\(records) records") }
        if let last = events?["last"]?.text { cells.append("newest \(last)") }
        if let waiting = events?["waiting"]?.text, waiting != "0" { cells.append("\(waiting) waiting for the disk") }
        return cells
    }

    /// Returns a duration as `2 d 03:04:05`.
    static func duration(_ seconds: String?) -> String {
        guard let seconds = seconds.flatMap({ Int64($0) }) else { return "?" }
        let clock = [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60].map { $0.padded(to: 2) }.joined(
            separator: ":")
        return seconds < 86_400 ? clock : "\(seconds / 86_400) d \(clock)"
    }
}

extension JSONNode {
    /// Text, or a number's text.
    var text: String? {
        switch content {
        case .string(let text), .number(let text): text
        default: nil
        }
    }

    /// A boolean; nil for anything else.
    var isTrue: Bool? {
        guard case .boolean(let flag) = content else { return nil }
        return flag
    }

    /// The elements of an array; empty for anything else.
    var elements: [JSONNode] {
        guard case .array(let elements) = content else { return [] }
        return elements
    }
}

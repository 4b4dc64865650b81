// SPDX-License-Identifier: Apache-2.0

import JSON

extension SelfTestReport {
    /// Creates the report from the status of a running reader.
    ///
    /// A running reader owns the controller, the lines and the disk, so it alone can report on them. Its faults fail
    /// the test as a whole, unless only certain parts were requested.
    init(status answer: JSONNode, parts: Set<SelfTestPart>) {
        isOfRunningReader = true
        add("reader", SelfTestReport.reader(answer, isWhole: parts.count == SelfTestPart.allCases.count))
        for part in SelfTestPart.allCases where parts.contains(part) {
            add(part.rawValue, SelfTestReport.outcome(part, answer))
        }
    }

    private static func reader(_ answer: JSONNode, isWhole: Bool) -> SelfTestOutcome {
        let faults = (answer["faults"]?.elements ?? []).map { $0["text"]?.text ?? "?" }
        guard !isWhole || faults.isEmpty else { return .failed(faults.joined(separator: "; ")) }
        let seconds = StatusTable.duration(answer["uptime-s"]?.text)
        return .ok(
            "reader \(answer["device"]?.text ?? "?") runs, readerd \(answer["version"]?.text ?? "?"), up \(seconds): "
                + "its own report")
    }

    private static func outcome(_ part: SelfTestPart, _ answer: JSONNode) -> SelfTestOutcome {
        switch part {
        case .controller:
            let name = answer["controller"]?["name"]?.text ?? "?"
            return answer["controller"]?["ready"]?.isTrue == true
                ? .ok("\(name), ready") : .failed("\(name), not ready")
        case .advertising: return advertising(answer)
        case .nfc: return nfc(answer["nfc"])
        case .gpio:
            guard let door = answer["door"], let state = door["state"]?.text else { return unsaid }
            return door["simulated-lock"]?.isTrue == true
                ? .notConfigured("the lock is simulated, door \(state)")
                : .ok("lines held by the reader, door \(state)")
        case .keys:
            return answer["demo-identity"]?.isTrue == true
                ? .notConfigured(
                    "published demo identity with public keys; make one: readerd provision")
                : .ok("reader \(answer["device"]?.text ?? "?")")
        case .disk:
            guard let state = answer["events"]?["state"]?.text else { return unsaid }
            let records = answer["events"]?["records"]?.text.map { ", \($0) events" } ?? ""
            return state == "ok"
                ? .ok("events are stored\(records)") : .failed("event log \(state); see the reader's log")
        case .clock:
            guard let time = answer["clock"]?["time"]?.text else { return .failed("not set") }
            return .ok("\(time), \(answer["clock"]?["quality"]?.text ?? "?")")
        }
    }

    private static func advertising(_ answer: JSONNode) -> SelfTestOutcome {
        if answer["controller"]?["advertising"]?.isTrue == true { return .ok("on") }
        // Advertising stops while all links are taken; no fault.
        if let served = answer["links"]?["served"]?.text, served == answer["links"]?["max"]?.text {
            return .ok("off, no free slot")
        }
        return .failed("off; see the reader's log")
    }

    /// A reader without NFC has no such member.
    private static func nfc(_ status: JSONNode?) -> SelfTestOutcome {
        guard let status else { return .notConfigured("no nfc.connection") }
        let name = status["connection"]?.text ?? "?"
        let state = status["state"]?.text ?? "?"
        guard state == "ready" else { return .failed("\(name), \(state); see the reader's log") }
        return .ok(([name, state] + ControlCommand.polling(status)).joined(separator: ", "))
    }

    private static let unsaid = SelfTestOutcome.failed("not reported by the reader")
}

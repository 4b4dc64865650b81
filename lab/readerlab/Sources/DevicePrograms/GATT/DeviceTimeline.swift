// SPDX-License-Identifier: Apache-2.0

package import Emulation
package import GATTDevice
import Octets
import Peripheral
package import Timekeeping

/// The timeline of devices from files: their notices as entries, and what their clients got wrong.
package struct DeviceTimeline {
    /// The entries and findings.
    package var entries: Timeline
    private var deviceOfLink: [LinkID: Int] = [:]
    /// The mistakes that a link has made: each is reported once.
    private var found: [LinkID: Set<String>] = [:]

    package init(start: Instant, devices: Int) {
        var expectations = AppExpectations()
        // Whether a client needs its answers, and how long it stays, is for the device's protocol, which no file has.
        expectations.allowsWriteWithoutResponse = true
        expectations.idleTime = nil
        entries = Timeline(start: start, expectations: Array(repeating: expectations, count: devices))
    }

    /// The findings so far, as their rules.
    var rules: [String] { entries.findings.map(\.rule) }

    /// Removes and returns the next entry to show.
    package mutating func next() -> TimelineEntry? { entries.next() }

    /// Records a typed command.
    package mutating func typed(_ line: String, at now: Instant) {
        entries.add(.command(line, isTyped: true), device: nil, at: now)
    }

    /// Adds a notice; returns the number of its entry, or nil for one without.
    package mutating func receive(_ notice: DeviceNotice, at now: Instant) -> Int? {
        switch notice {
        case .ready: return entries.add(.ready, device: nil, at: now)
        case .controllerFailed(let fault): return entries.add(.controllerFailed("\(fault)"), device: nil, at: now)
        case .executed(_, let lines):
            for line in lines { entries.add(.command(line, isTyped: false), device: nil, at: now) }
            return nil
        case .connected(let link, let peer, let device, _):
            deviceOfLink[link] = device
            return add(.connected(peer: "\(peer)"), link, at: now)
        case .disconnected(let link, let reason):
            defer { (deviceOfLink[link], found[link]) = (nil, nil) }
            // Terminated By Local Host (Core 5.4, Vol 1, Part F, 2.22).
            let byDevice = reason == .localHostTerminated
            return add(.disconnected(reason: reason.rawValue, byDevice: byDevice), link, at: now)
        case .mtuExchanged(let link, let mtu): return add(.mtu(mtu), link, at: now)
        case .securityChanged(let link, let level, _):
            let text = level.isEncrypted ? "the link is encrypted" : "the link is not encrypted"
            return add(.secured(text, isEncrypted: level.isEncrypted), link, at: now)
        case .written(let link, let value):
            let written = TimelineEntry.Event.wrote(
                step: "write-\(value.type)", count: value.octets.count, withResponse: true,
                meaning: Hexadecimal.text(value.octets))
            return add(written, link, at: now)
        case .read(let link, let value):
            return add(.read(step: "read-\(value.type)", meaning: Hexadecimal.text(value.octets)), link, at: now)
        case .subscribed(let link, _, let type, let configuration):
            let event = TimelineEntry.Event.subscribed(
                to: "\(type)", notifications: configuration.contains(.notification),
                indications: configuration.contains(.indication))
            return add(event, link, at: now)
        case .notified(let link, let value): return add(sent(value, isIndication: false), link, at: now)
        case .indicated(let link, let value): return add(sent(value, isIndication: true), link, at: now)
        case .confirmed(let link, _, let type): return add(.confirmed(step: "value-\(type)"), link, at: now)
        case .fault(let link, let step, let fault): return add(.fault(step: step, "\(fault)"), link, at: now)
        case .dropped(let link, let value):
            return add(.unsent(step: "value-\(value.type)", why: "dropped"), link, at: now)
        case .leftOut(let link, _, let type, let outcome):
            let lacking = outcome == .notSubscribed ? "\(type)" : nil
            return add(.unsent(step: "value-\(type)", why: "\(outcome)", lacking: lacking), link, at: now)
        case .cut(let link, let value, let room): reviewRoom(value, room, link, at: now)
        case .mistaken(let link, _, let rule, let sentence): find(rule, sentence, link, at: now)
        case .gaveUp(let link, _, let type, let time): reviewPatience(type, time, link, at: now)
        case .refused(let link, let request, let type):
            let entry = refused(request, "\(request.error.words)", link, at: now)
            if let (rule, sentence) = DeviceTimeline.mistake(request, type) {
                find(rule, sentence, link, entry: entry, at: now)
            }
            return entry
        case .failed(let link, let request, _): return refused(request, "as a fault", link, at: now)
        default: break
        }
        return nil
    }

    private func sent(_ value: DeviceValue, isIndication: Bool) -> TimelineEntry.Event {
        .sent(
            step: "value-\(value.type)", octets: value.octets, isIndication: isIndication,
            meaning: Hexadecimal.text(value.octets))
    }

    private mutating func add(_ event: TimelineEntry.Event, _ link: LinkID, at now: Instant) -> Int {
        entries.add(event, device: deviceOfLink[link] ?? 0, link: link.generation, at: now)
    }

    // MARK: - Findings

    private mutating func find(
        _ rule: String, _ sentence: String, _ link: LinkID, entry: Int? = nil, at now: Instant
    ) {
        guard found[link, default: []].insert(rule).inserted else { return }
        entries.mistake(
            rule, sentence, entry: entry ?? entries.count, device: deviceOfLink[link] ?? 0, link: link.generation,
            at: now)
    }

    private mutating func reviewRoom(_ value: DeviceValue, _ room: Int, _ link: LinkID, at now: Instant) {
        find(
            "small-mtu",
            "agreed on an ATT_MTU of \(room + 3), and \(value.type) of \(value.octets.count) octets was cut to \(room): "
                + "ask for more after connecting", link, at: now)
    }

    private mutating func reviewPatience(_ type: BluetoothUUID, _ time: Duration, _ link: LinkID, at now: Instant) {
        guard time < AppExpectations().patience else { return }
        find(
            "did-not-wait",
            "closed the link \(time.wholeMilliseconds) ms after a request for \(type) that was not answered yet: wait for "
                + "the answer", link, at: now)
    }

    private mutating func refused(
        _ request: RefusedRequest, _ why: String, _ link: LinkID, at now: Instant
    ) -> Int {
        let step = request.opcode.words.replacing(" ", with: "-")
        return add(.refused(step: step, error: request.error.rawValue, why: why), link, at: now)
    }

    /// The mistake that a refusal of the server shows; nil for a request that is none, such as one before pairing.
    private static func mistake(_ request: RefusedRequest, _ type: BluetoothUUID?) -> (String, String)? {
        let value = type.map { "\($0)" } ?? "handle \(request.handle.rawValue)"
        return switch request.error {
        case .invalidAttributeValueLength:
            ("wrong-length", "wrote a value of a length that \(value) does not have: look at its format")
        case .readNotPermitted: ("not-readable", "read \(value), which cannot be read: look at its properties")
        case .writeNotPermitted: ("not-writable", "wrote \(value), which cannot be written: look at its properties")
        // A control point refuses with it too; its profile has a sentence for that.
        case .configurationImproper where type == nil || type == .clientConfiguration:
            (
                "cannot-subscribe",
                "asked by the configuration at handle \(request.handle.rawValue) for notifications or indications that its "
                    + "characteristic does not have: look at its properties"
            )
        case .invalidHandle:
            ("wrong-handle", "asked for \(value), which does not exist: discover the attributes again")
        default: nil
        }
    }
}

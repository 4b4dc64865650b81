// SPDX-License-Identifier: Apache-2.0

import Console
import ContactlessAir
import Emulation
import JSON
import Peripheral
import Timekeeping

/// An event on the air, for observation.
struct AirNotice: Equatable {
    enum Event: Equatable {
        /// The place is open for a host, which connects with this value of `--hci`.
        case open(hci: String, address: BluetoothAddress, isLegacy: Bool)
        /// A command for the user to run next.
        case next(String)
        /// A host has connected.
        case connected
        /// The host has disconnected; its controller was reset.
        case left
        /// Another host was refused, since the place is occupied.
        case refused
        /// The host was disconnected for this reason.
        case cutOff(why: String)
        /// The place, as central, has a link to a peripheral; nil if no peripheral received the connection request.
        case linkMade(Int, to: String?, interval: Duration)
        /// A link of the place has ended; without a reason after a reset of its controller.
        case linkEnded(Int, reason: HCIStatus?)
        /// The host violated the specification.
        case violation(String)
        /// Further violations of this host are not reported.
        case violationsHidden(after: Int)
        /// A client of the control socket has changed the air.
        case ordered(String)
        /// An event in the NFC field of a reader.
        case field(FieldEvent)
        /// The radio of the Android Emulator is open at this HOST:PORT, and in these files of netsim.
        case netsimOpen(endpoint: String, files: [String])
        /// An event of a stream of the Android Emulator.
        case netsim(String)
    }

    /// The time since the start.
    var at: Duration
    /// The place; nil for the air as a whole.
    var place: String?
    var event: Event
}

extension AirNotice {
    /// The name of the event in JSON.
    var name: String {
        switch event {
        case .open: "open"
        case .next: "next"
        case .connected: "connected"
        case .left: "left"
        case .refused: "refused"
        case .cutOff: "cut-off"
        case .linkMade: "link-made"
        case .linkEnded: "link-ended"
        case .violation: "violation"
        case .violationsHidden: "violations-hidden"
        case .ordered: "ordered"
        case .field(let event): event.name
        case .netsimOpen: "netsim-open"
        case .netsim: "netsim"
        }
    }

    /// The event as a sentence for people.
    var sentence: String {
        switch event {
        case .open(let hci, let address, let isLegacy):
            "open for --hci \(hci); \(isLegacy ? "legacy controller" : "controller") \(address)"
        case .next(let text): text
        case .connected: "connected"
        case .left: "left; its controller is reset"
        case .refused: "another host was refused: the place is taken"
        case .cutOff(let why): "cut off: \(why)"
        case .linkMade(let link, let peripheral?, let interval):
            "link \(link) to \(peripheral), interval \(IntervalText.milliseconds(interval)) ms"
        case .linkMade(let link, nil, _): "link \(link) failed: the connection request was lost"
        case .linkEnded(let link, let reason?): "link \(link) ended, reason \(AirText.reason(reason))"
        case .linkEnded(let link, nil): "link \(link) ended by a reset"
        case .violation(let text): "broke a rule: \(text)"
        case .violationsHidden(let count): "broke \(count) rules; others are not reported until another host comes"
        case .ordered(let text): "ordered on the control socket: \(text)"
        case .field(let event): event.sentence
        case .netsimOpen(let endpoint, let files):
            "open for emulator @AVD -packet-streamer-endpoint \(endpoint); \(files.joined(separator: ", "))"
        case .netsim(let text): "netsim: \(text)"
        }
    }

    /// The notice as a JSON object.
    var json: JSONObject {
        var object: JSONObject = ["at-ms": at.wholeMilliseconds, "event": name, "place": place]
        object.add(contentsOf: details)
        return object
    }

    private var details: JSONObject {
        switch event {
        case .open(let hci, let address, let isLegacy): ["hci": hci, "address": "\(address)", "legacy": isLegacy]
        case .next(let text), .violation(let text), .ordered(let text), .netsim(let text): ["text": text]
        case .netsimOpen(let endpoint, let files): ["endpoint": endpoint, "files": files]
        case .connected, .left, .refused: [:]
        case .cutOff(let why): ["why": why]
        case .linkMade(let link, let peripheral, let interval):
            [
                "link": link, "peripheral": peripheral,
                "interval-ms": JSONLiteral(IntervalText.milliseconds(interval)),
            ]
        case .linkEnded(let link, let reason): ["link": link, "reason": reason?.rawValue]
        case .violationsHidden(let count): ["count": count]
        case .field(let event): event.details
        }
    }
}

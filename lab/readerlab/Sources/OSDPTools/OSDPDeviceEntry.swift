// SPDX-License-Identifier: Apache-2.0

import Emulation
import JSON
import OSDP
import Octets
import Timekeeping

/// An event of an emulated peripheral device, as a line or a JSON object.
struct OSDPDeviceEntry {
    /// The width of names in lines.
    private static let nameWidth = 9

    let name: String
    let text: String
    private let members: JSONObject

    init(_ name: String, _ text: String, _ members: JSONObject = [:]) {
        (self.name, self.text, self.members) = (name, text, members)
    }

    /// The entry of an effect that a person can see or hear, or of a notice; nil for other effects.
    init?(_ effect: OSDPEffect) {
        switch effect {
        case .output(let output, let isOn):
            self.init("output", "output \(output + 1) \(isOn ? "on" : "off")", ["output": output + 1, "on": isOn])
        case .lights(let order): self.init("led", OSDPWords.text(order))
        case .buzzer(let order): self.init("buzzer", OSDPWords.text(order))
        case .text(let order):
            self.init("text", OSDPWords.text(order), ["shown": String(decoding: order.text, as: UTF8.self)])
        case .setLine(let line):
            self.init(
                "line", "now \(OSDPWords.text(line)): start it with these values next time",
                ["address": Int(line.address), "speed": Int(line.speed)])
        case .manufacturer(let message): self.init("mfg", Hexadecimal.text(message.data))
        case .notice(let notice): self.init(notice)
        case .transmit, .storeKey, .file, .fileAborted: return nil
        }
    }

    private init(_ notice: OSDPNotice) {
        switch notice {
        case .online: self.init("online", "the panel is online")
        case .offline: self.init("offline", "the panel is silent: outputs go off, nothing opens")
        case .secured(let isWithWellKnownKey):
            let key = isWithWellKnownKey ? "under SCBK-D, the published default key" : "under the device's key"
            self.init("secured", "secure session \(key)", ["well_known_key": isWithWellKnownKey])
        case .unsecured(let reason): self.init("unsecured", "the secure session ended: \(OSDPWords.text(reason))")
        case .keyChanged: self.init("key", "a new key is kept, and in use from the next session on")
        case .installationEnded: self.init("install", "the installation window is closed")
        case .cardReported: self.init("reported", "the panel has a card")
        case .eventsDropped(let count):
            self.init("dropped", "reports dropped: \(count); the panel did not ask in time", ["count": count])
        case .cardDropped: self.init("dropped", "a card was dropped")
        case .late(let age):
            self.init("late", "octets dropped that may have waited \(age.wholeMilliseconds) ms; the panel repeats them")
        case .refused(let code, let refusal):
            let command = OSDPWords.name(command: code)
            self.init("refused", "\(command): \(refusal.text)", ["command": command, "nak": Int(refusal.rawValue)])
        }
    }

    /// The line, at a time since the start.
    func line(at time: Duration, json: Bool) -> String {
        let stamp = TextColumn.seconds(time, width: 0)
        guard json else {
            return
                "\(TextColumn.seconds(time))  \(TextColumn.padded(name, OSDPDeviceEntry.nameWidth + 1, gap: 1))\(text)"
        }
        var object: JSONObject = ["event": name, "time": JSONLiteral(stamp), "text": text]
        object.add(contentsOf: members)
        return object.text
    }
}

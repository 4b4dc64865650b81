// SPDX-License-Identifier: Apache-2.0

import Emulation
import JSON
import OSDP
import Octets
import Timekeeping

/// Observations as aligned lines, or as one JSON object per line.
struct OSDPObservationView {
    let json: Bool

    /// The line of an observation, with its time since the start if that is known.
    func line(_ observation: OSDPObservation, at time: Duration?) -> String {
        json ? object(observation, at: time).text : text(observation, at: time)
    }

    // MARK: - Lines

    private func text(_ observation: OSDPObservation, at time: Duration?) -> String {
        var line = time.map { TextColumn.padded(TextColumn.seconds($0, width: 0), 10, gap: 1) } ?? ""
        let warnings = observation.warnings.map { "  ! " + OSDPObservationView.text($0) }.joined()
        guard let frame = observation.frame else {
            let octets = observation.mayHoldKey ? "not shown: it may be a key" : Hexadecimal.text(observation.octets)
            return line + "?       \(octets)" + warnings
        }
        line += frame.isReply ? "device  " : "panel   "
        let address = frame.address == OSDPFrame.broadcast ? "all" : "\(frame.address)"
        line += TextColumn.padded(address, 4, gap: 1)
        line += "\(frame.sequence)  "
        line += TextColumn.padded(OSDPObservationView.name(frame), 13, gap: 1)
        line += TextColumn.padded(OSDPObservationView.protection(observation), 16, gap: 1)
        line += observation.isRepeated ? "repeated " : ""
        line += OSDPMessageText.fields(observation)
        while line.last == " " { line.removeLast() }
        return line + warnings
    }

    private static func name(_ frame: OSDPFrame) -> String {
        frame.isReply ? OSDPWords.name(reply: frame.code) : OSDPWords.name(command: frame.code)
    }

    private static func protection(_ observation: OSDPObservation) -> String {
        let block = observation.frame?.security.map { "SCS_" + Hexadecimal.text([$0.kind.rawValue]) + " " } ?? ""
        switch observation.protection {
        case .clear: return "clear"
        case .handshake: return block
        case .unverified: return block + "no key"
        case .verified: return block + "MAC right"
        case .wrong: return block + "MAC wrong"
        }
    }

    static func text(_ warning: OSDPObservation.Warning) -> String {
        switch warning {
        case .damaged: "no frame, or its check is wrong"
        case .header: "the check is right, the header has reserved bits or an unknown security block"
        case .wellKnownKey: "SCBK-D: anyone can read this session"
        case .keyDisclosed: "a key that this listener has read: set another one"
        case .weakKey: "a key that is easily guessed"
        case .clearCredential: "a credential in clear"
        case .clearInSession: "in clear within a session: a downgrade, or a restart"
        case .wrongMAC: "wrong MAC: altered, or frames were missed"
        case .unknownKey: "the cryptogram is of none of the keys"
        case .replayed: "was there before: a replay"
        case .repeatedRandom: "a random number that was there before: a replay, or a bad generator"
        }
    }

    // MARK: - JSON

    private func object(_ observation: OSDPObservation, at time: Duration?) -> JSONObject {
        var object = JSONObject()
        if let time { object.add("time", json: TextColumn.seconds(time, width: 0)) }
        if let frame = observation.frame {
            object.add(contentsOf: [
                "from": frame.isReply ? "device" : "panel", "address": Int(frame.address),
                "sequence": Int(frame.sequence), "check": frame.check == .crc ? "crc" : "checksum",
                "name": OSDPObservationView.name(frame), "code": Int(frame.code),
                "block": frame.security.map { Int($0.kind.rawValue) }, "protection": observation.protection.rawValue,
                "fields": OSDPMessageText.fields(observation),
                "repeated": observation.isRepeated,
            ])
        }
        object.add("warnings", observation.warnings.map(\.rawValue))
        // The octets of a key in clear would put the key into a log.
        if !observation.mayHoldKey, !observation.warnings.contains(.keyDisclosed) {
            object.add("octets", Hexadecimal.text(observation.octets))
        }
        return object
    }
}

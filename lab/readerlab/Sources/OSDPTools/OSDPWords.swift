// SPDX-License-Identifier: Apache-2.0

import OSDP
import Octets

/// Fields of messages in words, in the order of transmission.
enum OSDPWords {
    static func text(_ order: OSDPOutputOrder) -> String {
        let control =
            switch order.control {
            case .none: "unchanged"
            case .off: "off"
            case .on: "on"
            case .offAfterTimer: "off after its timer"
            case .onAfterTimer: "on after its timer"
            case .timedOn: "on for \(seconds(order.tenths))"
            case .timedOff: "off for \(seconds(order.tenths))"
            }
        return "output \(Int(order.output) + 1) \(control)"
    }

    static func text(_ order: OSDPLightOrder) -> String {
        var parts: [String] = []
        switch order.temporary {
        case .unchanged: break
        case .cancel: parts.append("temporary state ends")
        case .start: parts.append("\(text(order.temporaryBlinking)) for \(seconds(order.temporaryTenths))")
        }
        if order.setsPermanent { parts.append("\(text(order.permanentBlinking)) for good") }
        return "reader \(order.reader) light \(order.light): "
            + (parts.isEmpty ? "unchanged" : parts.joined(separator: ", then "))
    }

    private static func text(_ blinking: OSDPLightOrder.Blinking) -> String {
        guard blinking.offTenths > 0 else { return text(blinking.onColor) }
        return "\(text(blinking.onColor)) \(seconds(UInt16(blinking.onTenths))), "
            + "\(text(blinking.offColor)) \(seconds(UInt16(blinking.offTenths)))"
    }

    private static func text(_ color: OSDPLightOrder.Color) -> String {
        switch color {
        case .off: "off"
        case .red: "red"
        case .green: "green"
        case .amber: "amber"
        case .blue: "blue"
        case .magenta: "magenta"
        case .cyan: "cyan"
        case .white: "white"
        }
    }

    /// The state of a reader (osdp_RSTATR).
    static func text(readerState state: UInt8) -> String {
        switch state {
        case 0: "normal"
        case 1: "not connected"
        case 2: "tamper"
        default: "state \(state)"
        }
    }

    /// The result of a part of a file (osdp_FTSTAT).
    static func text(_ result: OSDPFileStatus.Result) -> String {
        switch result {
        case .unable: "aborted"
        case .unknownContents: "unknown contents"
        case .malformed: "malformed"
        case .proceed: "proceed"
        case .processed: "processed"
        case .rebooting: "rebooting"
        case .working: "working"
        }
    }

    /// The name of a capability's function (osdp_PDCAP, annex B).
    static func name(function code: UInt8) -> String {
        switch OSDPCapability.Function(rawValue: code) {
        case .contactStatus: "contact status"
        case .outputControl: "output control"
        case .cardFormat: "card format"
        case .lights: "LED"
        case .buzzer: "buzzer"
        case .text: "text"
        case .timeKeeping: "time keeping"
        case .checkCharacter: "check character"
        case .security: "security"
        case .receiveSize: "receive size"
        case .largestMessage: "largest message"
        case .smartCard: "smart card"
        case .readers: "readers"
        case .biometrics: "biometrics"
        case .securePIN: "secure PIN entry"
        case .version: "OSDP version"
        case nil: "function \(code)"
        }
    }

    static func text(_ order: OSDPBuzzerOrder) -> String {
        guard order.tone == .usual else { return "reader \(order.reader): \(order.tone == .off ? "off" : "unchanged")" }
        let count = order.count == 0 ? "until another order" : "\(order.count) times"
        return "reader \(order.reader): \(seconds(UInt16(order.onTenths))) on, "
            + "\(seconds(UInt16(order.offTenths))) off, \(count)"
    }

    static func text(_ order: OSDPTextOrder) -> String {
        let isTemporary = order.control == .temporary || order.control == .temporaryWrapped
        let time = isTemporary ? "for \(order.seconds) s" : "for good"
        let text = String(decoding: order.text, as: UTF8.self)
        return "reader \(order.reader) row \(order.row) column \(order.column): \(text.debugDescription) \(time)"
    }

    static func text(_ line: OSDPLine) -> String { "address \(line.address), \(line.speed) bit/s" }

    /// A time in tenths of a second as seconds; `ever` for zero.
    static func seconds(_ tenths: UInt16) -> String { tenths == 0 ? "ever" : "\(tenths / 10).\(tenths % 10) s" }

    static func text(_ reason: OSDPNotice.Reason) -> String {
        switch reason {
        case .silence: "the panel is silent"
        case .wrongMAC: "a MAC is wrong"
        case .commandInClear: "a command came in clear"
        case .newHandshake: "a handshake began"
        case .installationEnded: "the installation window closed"
        }
    }

    /// The name of a command's code.
    static func name(command code: UInt8) -> String {
        OSDPCommand.Code(rawValue: code)?.name ?? "0x" + Hexadecimal.text([code])
    }

    /// The name of a reply's code.
    static func name(reply code: UInt8) -> String {
        OSDPReply.Code(rawValue: code)?.name ?? "0x" + Hexadecimal.text([code])
    }
}

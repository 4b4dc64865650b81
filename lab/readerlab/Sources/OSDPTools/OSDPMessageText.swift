// SPDX-License-Identifier: Apache-2.0

import OSDP
import Octets

/// The fields of a message in words. Keys are never printed.
enum OSDPMessageText {
    /// The fields of an observation; unreadable data as octets.
    static func fields(_ observation: OSDPObservation) -> String {
        switch observation.message {
        case .command(let command): fields(command)
        case .reply(let reply): fields(reply)
        case .encrypted: "encrypted"
        case .unreadable(let fault): unreadable(fault, observation)
        case nil: ""
        }
    }

    private static func unreadable(_ fault: OSDPFault, _ observation: OSDPObservation) -> String {
        let reason = "unreadable: \(text(fault))"
        if observation.mayHoldKey { return reason + ", not shown: it may be a key" }
        guard let data = observation.frame?.data, !data.isEmpty else { return reason }
        return reason + ": " + Hexadecimal.text(data)
    }

    private static func fields(_ command: OSDPCommand) -> String {
        switch command {
        case .poll, .identify, .capabilities, .localStatus, .inputStatus, .outputStatus, .readerStatus, .abort: ""
        case .outputs(let orders): orders.map { OSDPWords.text($0) }.joined(separator: "; ")
        case .lights(let orders): orders.map { OSDPWords.text($0) }.joined(separator: "; ")
        case .buzzers(let orders): orders.map { OSDPWords.text($0) }.joined(separator: "; ")
        case .text(let order): OSDPWords.text(order)
        case .setLine(let line): OSDPWords.text(line)
        case .setKey: "a new key"
        case .challenge(let random): "random \(Hexadecimal.text(random))"
        case .serverCryptogram(let cryptogram): "cryptogram \(Hexadecimal.text(cryptogram))"
        case .receiveSize(let size): "\(size) octets"
        case .file(let part): "file type \(part.type), \(part.data.count) octets at \(part.offset) of \(part.total)"
        case .manufacturer(let data): text(data)
        case .extendedWrite(let mode, let data): "mode \(mode) \(Hexadecimal.text(data))"
        case .keepActive(let milliseconds): "\(milliseconds) ms"
        case .other(.generalAuthenticate, let data), .other(.challengeAuthenticate, let data): part(data)
        case .other(_, let data): Hexadecimal.text(data)
        }
    }

    /// A part of a message that is longer than a frame (5.10): two octets each for total, place and count, then data.
    private static func part(_ data: [UInt8]) -> String {
        guard data.count >= 6 else { return Hexadecimal.text(data) }
        let fields = [0, 2, 4].map { Int(data[$0]) | Int(data[$0 + 1]) << 8 }
        return "\(fields[2]) octets at \(fields[1]) of \(fields[0]): \(Hexadecimal.text(data[6...]))"
    }

    private static func fields(_ reply: OSDPReply) -> String {
        switch reply {
        case .acknowledged, .busy: ""
        case .refused(let refusal, let details):
            refusal.text + (details.isEmpty ? "" : ", details \(Hexadecimal.text(details))")
        case .identity(let identity):
            "vendor \(Hexadecimal.text(identity.vendor)) model \(identity.model).\(identity.version) serial "
                + "\(identity.serial) firmware \(identity.firmware.map { "\($0)" }.joined(separator: "."))"
        case .capabilities(let list):
            list.map { "\(OSDPWords.name(function: $0.function)) \($0.compliance)/\($0.count)" }
                .joined(separator: ", ")
        case .localStatus(let isTampered, let hasPowerFailure):
            "tamper \(state(isTampered)), power failure \(state(hasPowerFailure))"
        case .inputStatus(let states): states.map(\.text).joined(separator: ", ")
        case .outputStatus(let states): states.map(state).joined(separator: ", ")
        case .readerStatus(let states): states.map { OSDPWords.text(readerState: $0) }.joined(separator: ", ")
        case .card(let card): "reader \(card.reader): \(card.bitCount) bits \(Hexadecimal.text(card.octets))"
        case .keypad(let reader, let keys): "reader \(reader): \(keys.count) keys"
        case .line(let line): OSDPWords.text(line)
        case .clientCryptogram(let identifier, let random, let cryptogram):
            "identifier \(Hexadecimal.text(identifier)) random \(Hexadecimal.text(random)) cryptogram "
                + Hexadecimal.text(cryptogram)
        case .initialMAC(let mac): Hexadecimal.text(mac)
        case .fileStatus(let status): "\(OSDPWords.text(status.result)), wait \(status.delay) ms"
        case .manufacturer(let data): text(data)
        case .other(.pivData, let data), .other(.generalAuthenticate, let data),
            .other(.challengeAuthenticate, let data), .other(.extendedIdentity, let data):
            part(data)
        case .other(_, let data): Hexadecimal.text(data)
        }
    }

    private static func state(_ isOn: Bool) -> String { isOn ? "on" : "off" }

    private static func text(_ message: OSDPManufacturerData) -> String {
        "vendor \(Hexadecimal.text(message.vendor)) \(Hexadecimal.text(message.data))"
    }

    private static func text(_ fault: OSDPFault) -> String {
        switch fault {
        case .start: "no start"
        case .length: "its length"
        case .check: "its check"
        case .contents: "its header"
        case .securityBlock: "its security block"
        case .authentication: "its MAC"
        case .code: "an unknown code"
        case .size: "too few or too many octets"
        case .value: "a value without a meaning"
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import OSDP
import Octets

/// The fields of a message in words. A key is never written.
enum OSDPMessageText {
    static func fields(_ message: OSDPObservation.Message) -> String {
        switch message {
        case .command(let command): fields(command)
        case .reply(let reply): fields(reply)
        case .encrypted: "encrypted"
        case .unreadable(let fault): "unreadable: \(text(fault))"
        }
    }

    private static func fields(_ command: OSDPCommand) -> String {
        switch command {
        case .poll, .identify, .capabilities, .localStatus, .inputStatus, .outputStatus, .readerStatus, .abort: ""
        case .outputs(let orders): orders.map { OSDPWords.text($0) }.joined(separator: "; ")
        case .lights(let orders): orders.map { OSDPWords.text($0) }.joined(separator: "; ")
        case .buzzer(let order): OSDPWords.text(order)
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
        }
    }

    private static func fields(_ reply: OSDPReply) -> String {
        switch reply {
        case .acknowledged, .busy: ""
        case .refused(let refusal): refusal.text
        case .identity(let identity):
            "vendor \(Hexadecimal.text(identity.vendor)) model \(identity.model).\(identity.version) serial "
                + "\(identity.serial) firmware \(identity.firmware.map { "\($0)" }.joined(separator: "."))"
        case .capabilities(let list):
            list.map { "\(name($0.function)) \($0.compliance)/\($0.count)" }.joined(separator: ", ")
        case .localStatus(let isTampered, let hasPowerFailure):
            "tamper \(state(isTampered)), power failure \(state(hasPowerFailure))"
        case .inputStatus(let states), .outputStatus(let states): states.map(state).joined(separator: " ")
        case .readerStatus(let states): states.map { "\($0)" }.joined(separator: " ")
        case .card(let card): "reader \(card.reader): \(card.bitCount) bits \(Hexadecimal.text(card.octets))"
        case .keypad(let reader, let keys): "reader \(reader): \(keys.count) keys"
        case .line(let line): OSDPWords.text(line)
        case .clientCryptogram(let identifier, let random, let cryptogram):
            "identifier \(Hexadecimal.text(identifier)) random \(Hexadecimal.text(random)) cryptogram "
                + Hexadecimal.text(cryptogram)
        case .initialMAC(let mac): Hexadecimal.text(mac)
        case .fileStatus(let status): "\(status.result), wait \(status.delay) ms"
        case .manufacturer(let data): text(data)
        }
    }

    private static func state(_ isOn: Bool) -> String { isOn ? "on" : "off" }

    private static func name(_ function: UInt8) -> String {
        OSDPCapability.Function(rawValue: function).map { "\($0)" } ?? "\(function)"
    }

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

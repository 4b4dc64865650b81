// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// The commands of a host that polls (PN532 user manual UM0701-02, 7.2 and 7.3).
extension PN532Chip {
    private enum Code {
        static let diagnose: UInt8 = 0x00
        static let firmwareVersion: UInt8 = 0x02
        static let generalStatus: UInt8 = 0x04
        static let readRegister: UInt8 = 0x06
        static let writeRegister: UInt8 = 0x08
        static let serialBaudRate: UInt8 = 0x10
        static let parameters: UInt8 = 0x12
        static let configureSAM: UInt8 = 0x14
        static let powerDown: UInt8 = 0x16
        static let configureField: UInt8 = 0x32
        static let exchange: UInt8 = 0x40
        static let through: UInt8 = 0x42
        static let deselect: UInt8 = 0x44
        static let list: UInt8 = 0x4A
        static let release: UInt8 = 0x52
        static let initializeAsTarget: UInt8 = 0x8C
    }

    /// The first octet of a frame of enhanced contactless polling.
    private static let pollingFrame: UInt8 = 0x6A
    /// R(NAK), by which a host looks whether the card is present (ISO/IEC 14443-4, 7.5.6.2), and R(ACK).
    private static let presence: [UInt8] = [0xB2], present: UInt8 = 0xA3
    /// The largest n of a time-out of 100 µs · 2^(n − 1) (7.3.1).
    private static let largestTimeout: UInt8 = 16

    mutating func run(_ code: UInt8, _ data: [UInt8], at now: Instant) {
        switch code {
        case Code.diagnose: answer(code, data.first == 0 ? data : [0])
        // PN532, version 1.6, all technologies.
        case Code.firmwareVersion: answer(code, [0x32, 0x01, 0x06, 0x07])
        case Code.generalStatus: answer(code, [0, 0, 0, 0, 0])
        case Code.readRegister: readRegisters(data)
        case Code.writeRegister: writeRegisters(data)
        case Code.serialBaudRate, Code.parameters, Code.configureSAM: answer(code)
        case Code.powerDown:
            switchFieldOff()
            answer(code, [Status.ok])
        case Code.configureField: configureField(data)
        case Code.list: list(data)
        case Code.exchange: exchange(data, at: now)
        case Code.through: through(data, at: now)
        case Code.deselect, Code.release: letGo(code, data)
        case Code.initializeAsTarget: pending = Pending(code: code, deadline: nil)
        default: refuse("the command \(String(code, radix: 16)), which this chip does not have")
        }
    }

    private mutating func readRegisters(_ data: [UInt8]) {
        guard !data.isEmpty, data.count.isMultiple(of: 2) else { return refuse("ReadRegister without addresses") }
        answer(
            Code.readRegister,
            stride(from: 0, to: data.count, by: 2).map { registers[PN532Chip.address(data, $0)] ?? 0 })
    }

    private mutating func writeRegisters(_ data: [UInt8]) {
        guard !data.isEmpty, data.count.isMultiple(of: 3) else { return refuse("WriteRegister without values") }
        for place in stride(from: 0, to: data.count, by: 3) {
            registers[PN532Chip.address(data, place)] = data[place + 2]
        }
        answer(Code.writeRegister)
    }

    private static func address(_ data: [UInt8], _ place: Int) -> UInt16 {
        UInt16(data[place]) << 8 | UInt16(data[place + 1])
    }

    /// RFConfiguration, 7.3.1: item 1 the field, item 2 the time-outs.
    private mutating func configureField(_ data: [UInt8]) {
        switch (data.first, data.count) {
        case (1, 2): if data[1] & 1 == 0 { switchFieldOff() }
        case (2, 4):
            guard 1...PN532Chip.largestTimeout ~= data[3] else { return refuse("a time-out of n = \(data[3])") }
            timeout = .microseconds(100 << Int64(data[3] - 1))
        case (nil, _), (1, _), (2, _): return refuse("RFConfiguration of another length")
        default: break
        }
        answer(Code.configureField)
    }

    /// InListPassiveTarget, 7.3.5.
    private mutating func list(_ data: [UInt8]) {
        guard data.count >= 2, 1...2 ~= data[0] else { return refuse("InListPassiveTarget of other than 1 or 2 cards") }
        releaseAll()
        let technology: CardActivation.Technology? = [0x00: .a, 0x03: .b][data[1]]
        // The cascade tag stands before the first three octets of a long identifier.
        let wanted = data.dropFirst(2).enumerated().filter { !($0 == 0 && $1 == 0x88) }.map(\.element)
        let found = technology.map { technology in
            field.answering(technology, identifier: technology == .a ? wanted : [], count: Int(data[0]))
        }
        registers[PN532Chip.bitFraming] = 0
        guard let found, !found.isEmpty else {
            // REQA has 7 bits, which remain in the register.
            if technology == .a { registers[PN532Chip.bitFraming] = 7 }
            return answer(Code.list, [0])
        }
        var listed = [UInt8(found.count)]
        for (index, card) in found.enumerated() {
            targets.append(card.name)
            listed += [UInt8(index + 1)] + card.activation.listed
            outputs.append(.activated(card.name))
        }
        answer(Code.list, listed)
    }

    /// InDataExchange, 7.3.8.
    private mutating func exchange(_ data: [UInt8], at now: Instant) {
        guard let number = data.first else { return refuse("InDataExchange without a target") }
        guard number & 0x40 == 0 else { return refuse("InDataExchange in parts") }
        guard targets.indices.contains(Int(number) - 1), let card = targets[Int(number) - 1] else {
            // A card that has left: nothing answers.
            guard targets.indices.contains(Int(number) - 1) else { return answer(Code.exchange, [Status.notNow]) }
            pending = Pending(code: Code.exchange, deadline: now + timeout)
            return
        }
        send(Array(data.dropFirst()), to: card, code: Code.exchange, at: now)
    }

    /// InCommunicateThru, 7.3.9: a polling frame, or a look for the card. Other frames are not answered.
    private mutating func through(_ data: [UInt8], at now: Instant) {
        if data == PN532Chip.presence, targets.contains(where: { $0 != nil }) {
            return answer(Code.through, [Status.ok, PN532Chip.present])
        }
        if data.first == PN532Chip.pollingFrame { receivePollingFrame(data) }
        pending = Pending(code: Code.through, deadline: now + timeout)
    }

    private mutating func receivePollingFrame(_ data: [UInt8]) {
        let frame = Array(data.dropLast(2))
        if (registers[PN532Chip.bitFraming] ?? 0) & 7 != 0 {
            outputs.append(.violation("a polling frame whose last octet is cut: BitFraming is not 0"))
        } else if data.count < 4 || PN532Chip.crcA(frame) != Array(data.suffix(2)) {
            outputs.append(.violation("a polling frame with a wrong CRC_A"))
        } else {
            outputs.append(.pollingFrame(frame))
        }
    }

    /// InDeselect, 7.3.10, and InRelease, 7.3.11: S(DESELECT) or HLTA. Target 0 stands for all.
    private mutating func letGo(_ code: UInt8, _ data: [UInt8]) {
        guard let number = data.first else { return refuse("InDeselect without a target") }
        let cards = number == 0 ? targets : targets.indices.contains(Int(number) - 1) ? [targets[Int(number) - 1]] : []
        for card in cards.compactMap(\.self) {
            field.halt(card)
            release(card)
        }
        answer(code, [Status.ok])
    }

    /// CRC_A, low octet first (ISO/IEC 14443-3, annex B).
    static func crcA(_ octets: [UInt8]) -> [UInt8] {
        var crc: UInt16 = 0x6363
        for octet in octets {
            var value = octet ^ UInt8(truncatingIfNeeded: crc)
            value ^= value << 4
            crc = crc >> 8 ^ UInt16(value) << 8 ^ UInt16(value) << 3 ^ UInt16(value) >> 4
        }
        return [UInt8(truncatingIfNeeded: crc), UInt8(truncatingIfNeeded: crc >> 8)]
    }
}

// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Contactless
import Credentials
import Crypto
import Reader

/// A client of Aliro's service over Bluetooth LE that sends anything, at any time, near and far. Nothing opens but a
/// request of the listed phone, sealed by this transaction's keys; all else ends the transaction; and in the end the
/// listed phone goes through.
func fuzzAliroLink(_ input: inout FuzzInput) {
    var rig = AliroLinkRig()
    while let choice = input.next() {
        switch choice {
        case 0..<0x28: rig.send(input.block())
        case 0x28..<0x48: rig.send(AliroLinkRig.messages(&input))
        case 0x48..<0x60: rig.initiate(choice, &input)
        case 0x60..<0x90: rig.answer(choice, &input)
        case 0x90..<0xA8: rig.request(choice, &input)
        case 0xA8..<0xB0: rig.connect(set: choice & 3)
        case 0xB0..<0xB4: rig.leave()
        case 0xB4..<0xC0: rig.write(choice & 3 == 0 ? input.block() : AliroLinkPhone.version)
        case 0xC0..<0xC8: rig.open(spsm: choice & 3 == 0 ? UInt16(input.octet()) : 0x80)
        case 0xC8..<0xCC: rig.close()
        case 0xCC..<0xD8: rig.measure(choice & 1 == 0 ? -45 : Int8(bitPattern: input.octet()))
        case 0xD8..<0xF0: rig.pass(.milliseconds(Int(input.octet()) * 16))
        default: rig.passToDeadline()
        }
    }
    rig.recover()
}

/// The listed phone, and the reader's commands that it has not answered.
private struct AliroLinkClient: LinkClient {
    static let mode = AdvertisingMode.aliro
    /// The door's key.
    static let door = linkKey(7)

    var phone = AliroLinkPhone(
        AliroPhone(linkKey(8), trust: .init(point: door.publicKey), activation: CardActivation(random: (1, 2, 3))))
    var commands: [[UInt8]] = []
    /// True once the listed phone has sealed a right request to unlock on this link.
    var mayOpen = false

    mutating func receive(_ unit: [UInt8]) {
        if unit.starts(with: [0x00, 0x00]) { commands.append(unit) } else { _ = phone.respond(to: unit) }
    }

    mutating func leave() { (commands, mayOpen) = ([], false) }
}

private typealias AliroLinkRig = LinkRig<AliroLinkClient>

extension AliroLinkRig {
    fileprivate init() {
        let group = [UInt8](repeating: 1, count: 16)
        guard let identifier = AliroReader.Identifier(group: group, sub: group), let id = OSSCredentialID("PHONE00001")
        else { finding("no identifier") }
        let aliro = AliroReader(key: AliroLinkClient.door, identifier: identifier)
        let client = AliroLinkClient()
        self.init(client, maximumUnit: AliroLinkTransaction.maximumUnit) { reader in
            reader.cardList = CardList([
                ListedCard(CardEvidence(kind: .aliro, identity: client.phone.phone.point), id)
            ])
            reader.aliro = AliroDoor(reader: aliro, store: AliroStore(binding: aliro.binding))
        }
    }

    // MARK: Messages

    /// Messages of known and unknown kinds, with right and wrong lengths.
    static func messages(_ input: inout FuzzInput) -> [UInt8] {
        var unit: [UInt8] = []
        for _ in 0..<input.number(below: 6) {
            let message = AliroLinkPhone.message([input.octet() & 3, input.octet() & 7], input.block())
            unit += input.octet() & 7 == 0 ? message.dropLast() : message[...]
        }
        return unit
    }

    /// One octet of a unit is another.
    private static func changed(_ unit: [UInt8], _ input: inout FuzzInput) -> [UInt8] {
        guard !unit.isEmpty else { return unit }
        var unit = unit
        unit[input.number(below: unit.count)] ^= max(1, input.octet())
        return unit
    }

    /// The phone's first message, whole or changed.
    mutating func initiate(_ choice: UInt8, _ input: inout FuzzInput) {
        client.commands = []
        let unit = client.phone.initiate(forAction: choice & 1 == 0)
        send(choice & 2 == 0 ? unit : Self.changed(unit, &input))
    }

    /// The phone's answer to a command, whole, changed, or after a busy event.
    mutating func answer(_ choice: UInt8, _ input: inout FuzzInput) {
        guard !client.commands.isEmpty, let response = client.phone.respond(to: client.commands.removeFirst())
        else { return }
        switch choice & 7 {
        case 0: send(Self.changed(response, &input))
        case 1: send([0x02, 0x00, 0x00, 0x02, 0x00, 0x00] + response)
        default: send(response)
        }
    }

    /// A sealed request: to lock, changed, sent in the clear, or right.
    mutating func request(_ choice: UInt8, _ input: inout FuzzInput) {
        switch choice & 3 {
        case 0: if let unit = client.phone.sealed([0x02, 0x04], AliroLinkPhone.lock) { send(unit) }
        case 1: send(AliroLinkPhone.message([0x02, 0x04], AliroLinkPhone.unlock))
        case 2:
            guard let unit = client.phone.sealed([0x02, 0x04], AliroLinkPhone.unlock) else { return }
            send(Self.changed(unit, &input))
        default:
            guard let unit = client.phone.sealed([0x02, 0x04], AliroLinkPhone.unlock) else { return }
            client.mayOpen = link != nil
            send(unit)
        }
    }

    mutating func recover() {
        approach()
        let before = granted
        write(AliroLinkPhone.version)
        open(spsm: 0x80)
        send(client.phone.initiate())
        while !client.commands.isEmpty {
            guard let response = client.phone.respond(to: client.commands.removeFirst()) else { finding("no response") }
            send(response)
        }
        guard let request = client.phone.sealed([0x02, 0x04], AliroLinkPhone.unlock) else { finding("no keys") }
        client.mayOpen = true
        send(request)
        require(granted == before + 1, "a listed phone does not go through")
    }
}

// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Credentials
import Crypto
import Reader
import TestSupport

/// A client of PKOC's service over Bluetooth LE that writes anything, at any time, near and far. No input may open;
/// there is one transaction on each link; the reader's messages fit the protocol; and in the end a listed phone goes
/// through in the normal flow.
func fuzzPKOCLink(_ input: inout FuzzInput) {
    var rig = PKOCLinkRig(hasFragments: input.octet() & 1 == 1)
    while let choice = input.next() {
        switch choice {
        case 0..<0x30: rig.write(input.block())
        case 0x30..<0x60: rig.write(PKOCLinkRig.fields(&input))
        case 0x60..<0x80: rig.writeParts(rig.credential(choice, &input), 1 + input.number(below: 200))
        case 0x80..<0x90: rig.writeParts(rig.ephemeral(choice, &input), 1 + input.number(below: 200))
        case 0x90..<0xA0: rig.write(PKOCLinkRig.sealed(&input))
        case 0xA0..<0xA4: rig.writeParts(PKOCLinkRig.fields(&input), 1 + input.number(below: 40))
        case 0xA4..<0xB0: rig.connect(set: choice & 3)
        case 0xB0..<0xB8: rig.leave()
        case 0xB8..<0xC8: rig.subscribe()
        case 0xC8..<0xD8: rig.measure(choice & 1 == 0 ? -45 : Int8(bitPattern: input.octet()))
        case 0xD8..<0xE0: rig.exchangeMTU(Int(input.octet()))
        case 0xE0..<0xF0: rig.pass(.milliseconds(Int(input.octet()) * 16))
        default: rig.passToDeadline()
        }
    }
    rig.recover()
}

/// The listed phone in the normal flow.
private struct PKOCLinkClient: LinkClient {
    static let mode = AdvertisingMode.pkoc
    /// The listed phone's, its ephemeral one, and the site's.
    static let (listed, own, site) = (linkKey(7), linkKey(8), linkKey(9))
    static let identity = [UInt8](listed.publicKey.point.octets)
    static let ownPoint = [UInt8](own.publicKey.point.octets)

    let hasFragments: Bool
    /// The reader's first message; empty before.
    var hello: [UInt8] = []
    var mayOpen = false

    mutating func receive(_ part: [UInt8]) {
        require(!hasFragments || part.first == 2, "a message without the octet before it")
        let message = Array(part.dropFirst(hasFragments ? 1 : 0))
        switch message.count {
        case 78:
            require(hello.isEmpty, "a second transaction on one link")
            hello = message
        case 66, 3: break
        default: finding("a message of \(message.count) octets")
        }
    }

    mutating func leave() { (hello, mayOpen) = ([], false) }
}

private typealias PKOCLinkRig = LinkRig<PKOCLinkClient>

extension PKOCLinkRig {
    fileprivate init(hasFragments: Bool) {
        guard let id = OSSCredentialID("CARD000001") else { finding("no name") }
        self.init(PKOCLinkClient(hasFragments: hasFragments)) {
            $0.cards.hasPKOCFragments = hasFragments
        } equip: { reader in
            reader.cardList = CardList([
                ListedCard(CardEvidence(kind: .pkoc, identity: PKOCLinkClient.identity), id)
            ])
            reader.pkocSite = PKOCLinkClient.site
        }
    }

    // MARK: Messages

    private static func field(_ tag: UInt8, _ value: [UInt8]) -> [UInt8] {
        [tag, UInt8(truncatingIfNeeded: value.count)] + value
    }

    /// Fields of known and unknown tags.
    static func fields(_ input: inout FuzzInput) -> [UInt8] {
        let tags: [UInt8] = [0x01, 0x03, 0x07, 0x09, 0x0C, 0x40, 0x02, 0x04, 0x80]
        var fields: [UInt8] = []
        for _ in 0..<input.number(below: 6) { fields += field(tags[input.number(below: tags.count)], input.block()) }
        return fields
    }

    private static func proof(over message: [UInt8]) -> [UInt8] {
        let signature = certain { try PKOCLinkClient.listed.rawSignature(message.span) }
        return field(0x01, PKOCLinkClient.identity) + field(0x03, signature)
    }

    /// The listed phone's key with a signature over other octets, or a changed one over the right ones.
    func credential(_ choice: UInt8, _ input: inout FuzzInput) -> [UInt8] {
        var message = client.hello.count == 78 ? Array(client.hello[9..<42]) : []
        if choice & 1 == 0 { message.append(input.octet()) }
        var proof = Self.proof(over: message)
        if choice & 1 == 1 { proof[69 + input.number(below: 64)] ^= max(1, input.octet()) }
        return proof
    }

    /// The phone's ephemeral key, whole or changed.
    func ephemeral(_ choice: UInt8, _ input: inout FuzzInput) -> [UInt8] {
        var point = PKOCLinkClient.ownPoint
        if choice & 1 == 1 { point[input.number(below: 65)] ^= max(1, input.octet()) }
        return Self.field(0x07, point)
    }

    /// Octets in the place of encrypted fields. The rig has no key for them: its ephemeral key is fresh in the reader.
    static func sealed(_ input: inout FuzzInput) -> [UInt8] { field(0x40, input.block()) }

    /// A message as a phone writes it: whole, or in parts of so many octets.
    mutating func writeParts(_ message: [UInt8], _ count: Int) {
        guard client.hasFragments else { return write(message) }
        for start in stride(from: 0, to: message.count, by: count) {
            let end = min(start + count, message.count)
            write([end == message.count ? 2 : start == 0 ? 0 : 1] + message[start..<end])
        }
    }

    mutating func recover() {
        approach()
        client.mayOpen = true
        let before = granted
        subscribe()
        require(client.hello.count == 78, "no first message")
        writeParts(Self.proof(over: Array(client.hello[9..<42])), 60)
        require(granted == before + 1, "a listed phone does not go through")
    }
}

// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Contactless
import Credentials
import Crypto
import Peripheral
import TestSupport
import Testing
import Timekeeping

@testable import Reader
@testable import ReaderTestSupport

/// A door with an Aliro reader over Bluetooth LE, and a phone that trusts it.
struct AliroVisit: ~Copyable {
    static let channel = ChannelID(endpoint: L2CAPChannelID(rawValue: 0x40), serial: 1)
    /// General error, no named reason.
    static let failure: [UInt8] = [0x02, 0x00, 0x00, 0x03, 0x01, 0x01, 0x00]

    var bench: LinkBench
    var phone: AliroLinkPhone
    /// The issuer of documents that the reader trusts.
    let issuer: P256PrivateKey

    init(isListed: Bool = true, _ change: (inout AccessConfiguration) -> Void = { _ in }) throws {
        let identifier = try #require(AliroReader.Identifier(group: AliroBench.group, sub: AliroBench.door))
        var reader = AliroReader(key: try AliroBench.key(7), identifier: identifier)
        reader.actions = AliroDoor.actions
        var store = AliroStore(binding: reader.binding)
        let scalar = AliroBench.issuerScalar
        let issuer = try P256PrivateKey(scalar: scalar.span)
        _ = store.setAnchors([AliroAnchor(issuer.publicKey)])
        let phone = try AliroBench.phone()
        var bench = try LinkBench(isListed ? [AliroBench.listed(phone)] : []) {
            $0.modes[0].mode = .aliro
            change(&$0)
        }
        bench.reader.aliro = AliroDoor(reader: reader, store: store)
        _ = bench.takeEffects()
        self.issuer = issuer
        self.bench = bench
        self.phone = AliroLinkPhone(phone)
    }

    /// A phone that has written its version and opened the channel.
    mutating func connect(_ number: UInt32 = 0, set: UInt8? = 0, dBm: Int8? = -45) -> LinkID {
        let link = bench.connect(number, set: set, dBm: dBm)
        bench.write(link, AliroLinkPhone.version)
        open(link)
        return link
    }

    mutating func open(_ link: LinkID, spsm: UInt16 = AliroLinkService.spsm) {
        bench.event(
            .channelOpened(
                link, AliroVisit.channel,
                ChannelDescription(spsm: spsm, isEnhanced: false, peerMTU: 512, mtu: 512)))
    }

    mutating func send(_ unit: [UInt8], _ link: LinkID) {
        bench.port.eventOctets = unit
        bench.event(.channelReceived(link, AliroVisit.channel, value: 0..<unit.count))
    }

    mutating func takeUnits() -> [[UInt8]] { exchange(&bench.port.units, with: []).map(\.2) }

    /// The phone answers until the reader sends no more.
    mutating func goOn(_ link: LinkID) {
        var units = takeUnits()[...]
        while let unit = units.popFirst() {
            guard let response = phone.respond(to: unit) else { continue }
            send(response, link)
            units += takeUnits()
        }
    }

    /// The phone carries a document that revokes these.
    mutating func revoke(_ points: [[UInt8]], signed: String = "2026-11-20T00:00:00Z") throws {
        try AliroVisit.revoke(points, signed: signed, by: issuer, in: &phone.phone)
    }

    static func revoke(
        _ points: [[UInt8]], signed: String = "2026-11-20T00:00:00Z", by issuer: P256PrivateKey,
        in phone: inout AliroPhone
    ) throws {
        var maker = try AliroDocumentMaker(issuer, for: nil)
        (maker.type, maker.signed) = ("aliro-r", signed)
        let entries: [EncodedItem] = try points.map { point in
            .map([(0, .octets([UInt8](try SHA256.hash(point.span))))])
        }
        maker.value = .map([(0, 1), (1, 1), (2, .array(entries))])
        phone.documents["aliro-r"] = try maker.document
        phone.signals = 0b010
        phone.signatureTimes[0x92] = Array(signed.utf8)
    }

    func revokes(_ phone: AliroPhone) -> Bool { bench.reader.aliro?.store.revokes(phone.point) == true }

    /// From the first message to the completion.
    mutating func complete(_ link: LinkID) {
        send(phone.initiate(), link)
        goOn(link)
    }

    mutating func request(_ link: LinkID, _ action: [UInt8] = AliroLinkPhone.unlock) {
        send(phone.sealed([0x02, 0x04], action) ?? [], link)
        goOn(link)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Credentials
import Crypto
import TestSupport
import Timekeeping

/// A PKOC card of version 2 that answers anything, also with an issuer's signature over it.
///
/// Only a certificate that the issuer has signed, and its key's signature over the reader's challenge, reach the
/// decision; commands fit short APDUs; a transaction has an end; and a certified card goes through at last.
func fuzzPKOCCertificate(_ input: inout FuzzInput) {
    var rig = CertificateRig()
    while let choice = input.next() {
        switch choice {
        case 0..<0x40: rig.respond()
        case 0x40..<0x60:
            let (place, bits) = (Int(input.word()), max(1, input.octet()))
            rig.respond { if !$0.isEmpty { $0[place % $0.count] ^= bits } }
        case 0x60..<0x70:
            let (kept, rest) = (Int(input.word()), input.block())
            rig.respond { $0 = $0.prefix(kept % max(1, $0.count)) + rest }
        case 0x70..<0x90: rig.respond(with: input.block() + [0x90, 0x00])
        case 0x90..<0xA0: rig.respond(with: input.block() + [0x61, input.octet()])
        case 0xA0..<0xB0: rig.respond(with: input.block())
        case 0xB0..<0xC0: rig.respond(with: [0x6A, input.octet()])
        case 0xC0..<0xD8:
            let (place, bits, rest) = (Int(input.word()), input.octet(), input.block())
            rig.sign(place, bits, rest)
        case 0xD8..<0xE0: rig.passDays(Int64(input.octet()) * 32)
        default: rig.enter()
        }
    }
    rig.recover()
}

private struct CertificateRig {
    private static let identifier = "ISSUER0000000001"
    private static let issuer = certain { try P256PrivateKey([UInt8](repeating: 0, count: 31) + [8]) }
    private static let card = certain { try P256PrivateKey([UInt8](repeating: 0, count: 31) + [7]) }
    private static let point = [UInt8](card.publicPoint.octets)
    /// 2026-11-28, within the certificate's validity.
    private static let start: Int64 = 1_795_867_200
    /// More than SELECT, two data objects and a proof have in parts of the maximum number.
    private static let maximumSteps = 300

    /// The signed part of the card's certificate, 7F4E.
    private static let body: [UInt8] =
        octets("7f4e818b5f290100421049535355455230303030303030303031") + octets("7f494d06082a8648ce3d0301078641")
        + point
        + octets("5f2010434152443030303030303030303030315f25060206000100015f2406030600010001")

    private static func certificate(_ body: [UInt8]) -> [UInt8] {
        let signature = certain { try issuer.rawSignature(body.span) }
        let content = body + octets("5f3740") + signature
        return octets("7f2182") + [UInt8(content.count >> 8), UInt8(content.count & 0xFF)] + content
    }

    private static let good = certificate(body)

    private var certificate = CertificateRig.good
    /// All that the issuer has signed.
    private var issued: Set<[UInt8]> = [CertificateRig.good]
    /// The parts of a data object that the reader has received.
    private var received: [UInt8] = []
    private var epochSeconds = CertificateRig.start
    private var random = SplitMix64(seed: 1)
    private var transaction: PKOCCertifiedTransaction?
    private var step = CardStep.end(.concluded)
    private var steps = 0

    mutating func enter() {
        guard let issuer = PKOCIssuer(Self.identifier, key: Self.issuer.publicKey) else { finding("no issuer") }
        steps = 0
        let moment = Moment(instant: .origin, epochSeconds: epochSeconds)
        transaction = PKOCCertifiedTransaction(issuers: [issuer], at: moment, random: &random)
        look { $0.start() }
    }

    mutating func passDays(_ days: Int64) { epochSeconds = Self.start + days * 86_400 }

    /// The issuer signs a changed body, or one that ends otherwise.
    mutating func sign(_ place: Int, _ bits: UInt8, _ rest: [UInt8]) {
        var body = Self.body
        if bits != 0 { body[place % body.count] ^= bits } else { body = body.prefix(place % body.count) + rest }
        certificate = Self.certificate(body)
        issued.insert(certificate)
    }

    /// The card's own response, changed.
    mutating func respond(_ alter: (inout [UInt8]) -> Void = { _ in }) {
        guard case .transmit(let command) = step else { return enter() }
        var octets = response(to: command)
        alter(&octets)
        respond(with: octets)
    }

    mutating func respond(with response: [UInt8]) {
        if transaction == nil { enter() }
        if case .transmit(let command) = step {
            received = (command[1] == 0xC0 ? received : []) + response.dropLast(2)
        }
        look { $0.receive(response.span) }
    }

    private func response(to command: [UInt8]) -> [UInt8] {
        switch command[1] {
        case 0xCA where command[3] == 0x63: octets("7f63045c0202009000")
        case 0xCA: certificate + [0x90, 0x00]
        case 0x88:
            octets("9e40") + certain { try Self.card.rawSignature(command.span.extracting(5..<37)) } + [0x90, 0x00]
        default: [0x90, 0x00]
        }
    }

    private mutating func look(_ call: (inout PKOCCertifiedTransaction) -> CardStep) {
        guard var current = transaction else { return }
        step = call(&current)
        transaction = current
        steps += 1
        require(steps < Self.maximumSteps, "a transaction without an end")
        switch step {
        case .transmit(let command):
            require((5...262).contains(command.count), "a command of \(command.count) octets")
            if command[1] == 0x88 { require(issued.contains(received), "a certificate that nobody has issued") }
        case .decide(let evidence):
            require(evidence == CardEvidence(kind: .pkoc, identity: Self.point), "an identity that has no key here")
        case .end: transaction = nil
        }
    }

    mutating func recover() {
        (certificate, epochSeconds) = (Self.good, Self.start)
        enter()
        for _ in 0..<4 { respond() }
        require(step == .decide(CardEvidence(kind: .pkoc, identity: Self.point)), "a certified card fails: \(step)")
        look { $0.conclude(.opened) }
        require(step == .end(.concluded), "no end")
    }
}

// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Credentials
import Crypto
import Octets
import Phone
import Protobuf
import Synchronization
import TestSupport
import Timekeeping

@testable import Reader
@testable import ReaderTestSupport

/// The tokens of phones in the explored worlds. All but `forged` are signed, and all are of one credential, so that one
/// entry of the blacklist calls back every one that opens.
enum Card: String, CaseIterable, Sendable {
    /// Opens for a pulse.
    case open
    /// The same, ended two and a half hours ago.
    case ended
    /// The same as `open`, signed by somebody else.
    case forged
    /// An OSS credential that opens for a pulse.
    case offline
    /// The same, ended two and a half hours ago.
    case offlineEnded
    /// An OSS credential that holds the door open, or ends that.
    case toggle
    /// A `time` command: seven hours ago.
    case timeBack
    /// A `time` command: in twenty hours.
    case timeAhead
    /// A `BL_PUSH` that calls back the credential of all that open.
    case revoke
    /// A `BL_CLEAR`.
    case pardon

    /// 2026-11-21 12:30 UTC, when each exploration begins. Whatever ends, ends at a full hour; no exploration lasts for
    /// half an hour, so that what it decides depends on the hour alone.
    static let beginning: Int64 = 1_795_262_400 + 1800

    /// True if it asks for the door to open.
    var opens: Bool {
        switch self {
        case .open, .ended, .forged, .offline, .offlineEnded, .toggle: true
        case .timeBack, .timeAhead, .revoke, .pardon: false
        }
    }

    /// The second after which it is over.
    var end: Int64 {
        switch self {
        case .ended, .offlineEnded: Card.beginning - 9000
        default: CivilTime(year: 2030, month: 1, day: 1).epochSeconds
        }
    }

    fileprivate func token(_ issuer: TokenIssuer, _ stranger: TokenIssuer) throws -> [UInt8] {
        switch self {
        case .open, .ended: try command(.open, issuer)
        case .forged: try command(.open, stranger)
        case .timeBack:
            try command(.setTime, issuer, octets(of: SystemTimeUnix(epoch: UInt32(Card.beginning - 25_200))))
        case .timeAhead:
            try command(.setTime, issuer, octets(of: SystemTimeUnix(epoch: UInt32(Card.beginning + 72_000))))
        case .revoke:
            try command(
                .blacklistPush, issuer, octets(of: BlacklistEntries(entries: [StoredCommandTests.entry("CRED000001")])))
        case .pardon: try command(.blacklistClear, issuer)
        case .offline: try files("0001 08", issuer)
        case .offlineEnded: try files("0001 08", issuer)
        case .toggle: try files("0001 0c", issuer)
        }
    }

    private func octets(of message: some ProtobufMessage) -> [UInt8] { StoredCommandTests.octets(message) }

    private func command(_ name: CommandName, _ issuer: TokenIssuer, _ data: [UInt8] = []) throws -> [UInt8] {
        let validity = TokenValidity(
            from: CivilTime(year: 2020, month: 1, day: 1), through: CivilTime(epochSeconds: end))
        return try issuer.commandToken(
            credentialID: opens ? "CRED000001" : "MAINT00001", command: name, data: data, validity: validity)
    }

    private func files(_ door: String, _ issuer: TokenIssuer) throws -> [UInt8] {
        var files = CredentialFiles()
        let last = CivilTime(epochSeconds: end)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        files.set(
            end: "\(last.year)" + two(last.month) + two(last.day) + two(last.hour) + two(last.minute), doors: [door])
        files.blacklist = TestSupport.octets("00")
        return try issuer.standardOfflineToken(files.message())
    }
}

/// The frames by which a phone shows each card, recorded once: with the reader's random octets the same in each
/// exchange, they are good in each. Sessions and tokens are the product's own; of the keys' work only the answers are
/// kept.
struct Wallet: Sendable {
    /// The frames of a phone before and after the reader's half of the handshake.
    struct Exchange: Sendable {
        var handshake: [[UInt8]] = []
        var request: [[UInt8]] = []
    }

    let identity: ReaderIdentity
    let exchanges: [Card: Exchange]
    let badges: [Badge: any BadgeModel]
    /// The listed cards, with the credential of the tokens.
    let listed: [ListedCard]

    /// Records all cards.
    init() throws {
        let terminal = DemoIdentity.terminalScalar
        let key = try P256PrivateKey(scalar: terminal.span)
        identity = try ReaderIdentity(
            deviceID: DemoIdentity.deviceID, terminalKey: RememberedKey(key),
            signatureKey: RememberedSignatures(DemoKeys.signature().publicKey))
        let (issuer, stranger) = (try TokenIssuer.demo(), TokenIssuer(signatureKey: try P256PrivateKey.generate()))
        var exchanges: [Card: Exchange] = [:]
        for card in Card.allCases {
            exchanges[card] = try Wallet.record(card.token(issuer, stranger), identity, key.publicKey)
        }
        self.exchanges = exchanges
        badges = try Badge.recorded(exchanges)
        listed = try badges.filter { [.listed, .ended].contains($0.key.nature) && $0.key.kind != .phone }.map {
            ListedCard(
                $0.value.evidence, try OSSCredentialID("CRED000001") ?? { throw StatusCode.test }(),
                validUntil: $0.key.nature == .ended ? CivilTime(epochSeconds: Card.ended.end) : nil)
        }
    }

    private static func record(
        _ token: [UInt8], _ identity: ReaderIdentity, _ terminal: P256PublicKey
    ) throws -> Exchange {
        var exchange = Exchange()
        var session = AccessSession()
        var phone = PhoneSession()
        var (random, phoneRandom) = (CountingRandom(), CountingRandom(next: 77))
        var frame: [UInt8] = []
        guard phone.start(token: token.span, terminal: terminal, random: &phoneRandom) == .send else {
            throw StatusCode.test
        }
        while phone.nextFrame(limit: 244, into: &frame) { exchange.handshake.append(frame) }
        let handshake = Array(exchange.handshake.joined().dropFirst(MessageHeader.octetCount))
        _ = session.receive(.ok, handshake.span, identity: identity, clock: nil, random: &random)
        let reply = session.answer
        _ = phone.receive(reply.span, random: &phoneRandom)
        while phone.nextFrame(limit: 244, into: &frame) { exchange.request.append(frame) }
        guard !exchange.request.isEmpty else { throw StatusCode.test }
        return exchange
    }
}

/// A terminal key that does the same work once.
private final class RememberedKey: HeldPrivateKey {
    private let key: P256PrivateKey
    private let secrets = Mutex<[[UInt8]: [UInt8]]>([:])
    private let signatures = Mutex<[[UInt8]: [UInt8]]>([:])

    init(_ key: P256PrivateKey) { self.key = key }

    var publicKey: P256PublicKey { key.publicKey }

    func sharedSecret(with point: Span<UInt8>) throws(CryptoError) -> InlineArray<32, UInt8> {
        let name = copy(point)
        if let known = secrets.withLock({ $0[name] }) { return InlineArray { known[$0] } }
        let secret = try key.sharedSecret(with: point)
        let octets = secret.indices.map { secret[$0] }
        secrets.withLock { $0[name] = octets }
        return secret
    }

    func sign(_ message: Span<UInt8>, into signature: inout [UInt8]) throws(CryptoError) {
        let name = copy(message)
        if let known = signatures.withLock({ $0[name] }) { return signature += known }
        var made: [UInt8] = []
        try key.sign(message, into: &made)
        signature += made
        let octets = made
        signatures.withLock { $0[name] = octets }
    }
}

/// A signature key that checks the same once.
private final class RememberedSignatures: SignatureKey {
    private let key: P256PublicKey
    private let known = Mutex<[[UInt8]: Bool]>([:])

    init(_ key: P256PublicKey) { self.key = key }

    var point: P256Point { key.point }

    func isValid(signature: Span<UInt8>, for message: Span<UInt8>) -> Bool {
        let name = copy(signature) + copy(message)
        if let known = known.withLock({ $0[name] }) { return known }
        let isValid = key.isValid(signature: signature, for: message)
        known.withLock { $0[name] = isValid }
        return isValid
    }
}

private func copy(_ span: Span<UInt8>) -> [UInt8] {
    var octets: [UInt8] = []
    octets.append(span)
    return octets
}

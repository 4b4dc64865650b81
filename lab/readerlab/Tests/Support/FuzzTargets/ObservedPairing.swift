// SPDX-License-Identifier: Apache-2.0

import Crypto
import Peripheral

/// A pairing as somebody sees it who reads both directions, has the central's private key, and looks over the user's
/// shoulder. It computes what either side has to prove, with the toolbox and not with the code under test, and so also
/// what a sound central sends next.
struct ObservedPairing {
    let request: PairingFeatures
    let response: PairingFeatures
    let initiator: BluetoothAddress
    let responder: BluetoothAddress
    /// The out-of-band data exchanged before the pairing began.
    let received: PeerOutOfBandData?
    let published: OutOfBandData?
    /// The peer that had proved to be itself when the pairing began, and whether an operator looked on.
    let proven: BluetoothAddress?
    let isInWindow: Bool

    var passkey: UInt32?
    /// The user's answer, if there was a question.
    var isSame: Bool?
    var isCompared = false
    /// The key that the link is to be encrypted with, once the central has proved that it has it.
    private(set) var key: Value128?
    var isEncrypted = false
    /// The identity that the central hands out.
    private(set) var identity: BluetoothAddress?
    private(set) var keysGiven = 0

    private var peerX: Value256?
    private var ownX: Value256?
    private var shared: Value256?
    private var confirms = 0
    private var randoms = 0
    private var confirm = Value128.zero
    private var ownConfirm = Value128.zero
    private var random = Value128.zero
    private var ownRandom = Value128.zero
    private var check: Value128?

    /// The digits that the central shows for the user to enter.
    static let shownPasskey: UInt32 = 19_655

    init(
        request: PairingFeatures, response: PairingFeatures, initiator: BluetoothAddress, responder: BluetoothAddress,
        received: PeerOutOfBandData?, published: OutOfBandData?, proven: BluetoothAddress?, isInWindow: Bool
    ) {
        self.request = request
        self.response = response
        self.initiator = initiator
        self.responder = responder
        self.received = received
        self.published = published
        self.proven = proven
        self.isInWindow = isInWindow
    }

    var isSecure: Bool {
        request.requirements.contains(.secureConnections) && response.requirements.contains(.secureConnections)
    }

    var isOutOfBand: Bool {
        isSecure
            ? request.hasOutOfBandData || response.hasOutOfBandData
            : request.hasOutOfBandData && response.hasOutOfBandData
    }

    /// True if a step was done that an attacker in the middle could not do.
    var isAuthenticated: Bool { isOutOfBand || passkey != nil || isSame == true }

    var keySize: Int { min(Int(request.maximumKeySize), Int(response.maximumKeySize)) }

    // MARK: - Both directions

    /// The central sent this while the pairing went on.
    mutating func delivered(_ pdu: SecurityPDU) {
        switch pdu {
        case .publicKey(let x, _): if peerX == nil { peerX = x }
        case .confirm(let value):
            confirm = value
            confirms += 1
        case .random(let value):
            random = value
            randoms += 1
        case .keyCheck(let value): check = value
        case .identityAddress(let address):
            identity = address
            keysGiven += 1
        case .encryptionInformation, .centralIdentification, .identityInformation: keysGiven += 1
        default: break
        }
    }

    /// The peripheral sent this, and has to have had the right to.
    mutating func answered(_ pdu: SecurityPDU) {
        switch pdu {
        case .publicKey(let x, let y):
            require(isSecure && peerX != nil && ownX == nil, "a public key that belongs nowhere")
            require(x != peerX, "the central's own key is taken")
            ownX = x
            if peerX == CentralKeys.x { shared = CentralKeys.shared(x, y) }
        case .confirm(let value): ownConfirm = value
        case .random(let value): opened(value)
        case .keyCheck(let value): proved(value)
        case .encryptionInformation, .centralIdentification, .identityInformation, .identityAddress:
            require(isEncrypted, "a key is handed out before the link is encrypted")
            if case .encryptionInformation = pdu { require(!isSecure, "a long-term key is handed out") }
        default: finding("the peripheral sends \(pdu.code)")
        }
    }

    /// The peripheral has opened its commitment: it must have been one, and the central's must have been right.
    private mutating func opened(_ value: Value128) {
        ownRandom = value
        guard isSecure else {
            require(certain { try c1(random) } == confirm, "a wrong confirm value is taken")
            require(certain { try c1(value) } == ownConfirm, "the peripheral's confirm value is wrong")
            let short = certain { try SecurityToolbox.s1(temporaryKey, responder: value, initiator: random) }
            key = shortened(short)
            return
        }
        guard let peerX, let ownX else { finding("a nonce before the public keys") }
        if isOutOfBand { return }
        let bit = passkey.map { 0x80 | UInt8(truncatingIfNeeded: $0 >> UInt32(max(0, randoms - 1)) & 1) } ?? 0
        if passkey != nil {
            let expected = certain { try SecurityToolbox.f4(peerX, ownX, random, bit) }
            require(expected == confirm, "a wrong bit of the passkey is taken")
            require(confirms == randoms && randoms <= 20, "\(confirms) confirm values and \(randoms) nonces")
        }
        let expected = certain { try SecurityToolbox.f4(ownX, peerX, value, bit) }
        require(expected == ownConfirm, "the peripheral's confirm value is wrong")
    }

    /// The peripheral has sent its check, so the central's was taken.
    private mutating func proved(_ value: Value128) {
        guard let shared, let check else { finding("a check is taken of a central that has no key") }
        require(!isCompared || isSame == true, "a check is taken before the user said yes")
        if passkey != nil { require(randoms == 20, "a check is taken after \(randoms) rounds") }
        let keys = certain { try SecurityToolbox.f5(shared, random, ownRandom, initiator, responder) }
        require(certain { try checkValue(keys.macKey) } == check, "a wrong check is taken")
        let own = certain {
            try SecurityToolbox.f6(
                keys.macKey, ownRandom, random, r.initiator, capability: response, responder, initiator)
        }
        require(own == value, "the peripheral's check is wrong")
        key = shortened(keys.longTermKey)
    }

    /// The number that the peripheral has to show for comparison.
    var number: UInt32? {
        guard let peerX, let ownX else { return nil }
        return certain { try SecurityToolbox.g2(peerX, ownX, random, ownRandom) } % 1_000_000
    }

    // MARK: - A sound central

    /// The next PDU of a sound central; nil if it waits. `nonce` is its own random number.
    func next(nonce: Value128, identity: CentralKeys.Identity) -> SecurityPDU? {
        if isEncrypted { return nextKey(identity) }
        guard key == nil else { return nil }
        guard isSecure else {
            if confirms == 0 { return .confirm(certain { try c1(nonce) }) }
            return randoms == 0 ? .random(nonce) : nil
        }
        guard let peerX, let ownX else { return .publicKey(x: CentralKeys.x, y: CentralKeys.y) }
        if usesPasskey, randoms < 20 {
            guard confirms == randoms else { return .random(nonce) }
            let bit = 0x80 | UInt8(truncatingIfNeeded: (passkey ?? ObservedPairing.shownPasskey) >> UInt32(randoms) & 1)
            return .confirm(certain { try SecurityToolbox.f4(peerX, ownX, nonce, bit) })
        }
        if randoms == 0 { return .random(nonce) }
        guard let shared, check == nil else { return nil }
        let keys = certain { try SecurityToolbox.f5(shared, random, ownRandom, initiator, responder) }
        return .keyCheck(certain { try checkValue(keys.macKey) })
    }

    /// The user was shown digits or asked for them.
    var usesPasskey = false

    private func nextKey(_ given: CentralKeys.Identity) -> SecurityPDU? {
        var keys: [SecurityPDU] = []
        if !isSecure, response.initiatorKeys.contains(.encryption) {
            keys.append(.encryptionInformation(CentralKeys.x.low))
            keys.append(.centralIdentification(LTKIdentifier(diversifier: 7, random: 7)))
        }
        if response.initiatorKeys.contains(.identity) {
            keys.append(.identityInformation(given.resolvingKey))
            keys.append(.identityAddress(given.address))
        }
        return keysGiven < keys.count ? keys[keysGiven] : nil
    }

    // MARK: - Computing

    private var temporaryKey: Value128 {
        if isOutOfBand, case .legacy(let key) = received { return key }
        var key = Value128.zero
        let passkey = passkey ?? (usesPasskey ? ObservedPairing.shownPasskey : 0)
        for index in 0..<4 { key.octets[15 - index] = UInt8(truncatingIfNeeded: passkey >> UInt32(index * 8)) }
        return key
    }

    private func c1(_ random: Value128) throws(CryptoError) -> Value128 {
        try SecurityToolbox.c1(
            temporaryKey, random, request: request, response: response, initiator: initiator, responder: responder)
    }

    private var r: (initiator: Value128, responder: Value128) {
        guard isOutOfBand else { return (temporaryKey, temporaryKey) }
        var initiator = Value128.zero
        if response.hasOutOfBandData, case .secureConnections(let data) = received { initiator = data.random }
        return (initiator, request.hasOutOfBandData ? published?.random ?? .zero : .zero)
    }

    private func checkValue(_ macKey: Value128) throws(CryptoError) -> Value128 {
        try SecurityToolbox.f6(macKey, random, ownRandom, r.responder, capability: request, initiator, responder)
    }

    private func shortened(_ key: Value128) -> Value128 {
        var key = key
        for index in 0..<max(0, 16 - keySize) { key.octets[index] = 0 }
        return key
    }
}

/// The central of the recorded pairings (`smp_transcripts.json`), and identities for it to claim.
enum CentralKeys {
    struct Identity {
        var address: BluetoothAddress
        var resolvingKey: Value128
    }

    private static let key = certain {
        let scalar = FuzzKeys.octets("55188b3d32f6bb9a900afcfbeed4e72a59cb9ac2f19d7cfb6b4fdd49f47fc5fd")
        return try P256PrivateKey(scalar: scalar.span)
    }
    static let x = Value256(InlineArray { key.publicPoint.octets[1 + $0] })
    static let y = Value256(InlineArray { key.publicPoint.octets[33 + $0] })

    /// The first is that of the recorded pairings, the last the peripheral's own.
    static let identities: [Identity] =
        [0xC0C1_C2C3_C4C5, 0xC100_0000_0001, 0xC200_0000_0002].enumerated().map { index, value in
            Identity(
                address: BluetoothAddress(kind: .random, value: value),
                resolvingKey: Value128(InlineArray(repeating: UInt8(0x11 + index))))
        } + [Identity(address: own.address, resolvingKey: own.resolvingKey)]

    static let own = SecurityIdentity(
        address: BluetoothAddress(kind: .random, value: 0xF0F1_F2F3_F4F5),
        resolvingKey: Value128(InlineArray(repeating: 0x22)))

    /// The key agreed on with a point of the peripheral, which is a sound one.
    static func shared(_ x: Value256, _ y: Value256) -> Value256 {
        var point: [UInt8] = [0x04]
        for index in 0..<32 { point.append(x.octets[index]) }
        for index in 0..<32 { point.append(y.octets[index]) }
        return certain { Value256(try key.sharedSecret(with: point.span)) }
    }
}

extension Value256 {
    /// The second half, where any 128 bits will do.
    var low: Value128 { Value128(InlineArray { octets[16 + $0] }) }
}

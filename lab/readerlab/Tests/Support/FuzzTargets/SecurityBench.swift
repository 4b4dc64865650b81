// SPDX-License-Identifier: Apache-2.0

import Crypto
import Peripheral
import Timekeeping

/// A Security Manager, and a witness of every promise that it makes.
struct SecurityBench: ~Copyable, TimedRig {
    static let slots = 3
    /// The most that one input may lead to on one link: the encryption of a legacy pairing whose bond is then refused
    /// changes the level, hands out four PDUs, fails with two actions, and closes the link with two.
    static let mostActions = 9

    let store = FuzzBondStore()
    private var manager: SecurityManager
    private var policy: SecurityPolicy
    private let random: ReplayedRandom
    var now = Instant.origin
    private var security = (0..<SecurityBench.slots).map { _ in SecurityLink() }
    private var links = (0..<SecurityBench.slots).map { _ in Link() }
    private var published: OutOfBandData?
    private var received: PeerOutOfBandData?
    private var windowEnd: Instant?
    private var nonce: UInt8 = 0
    /// The bonds there were after the last input.
    private var known: [Bond] = []
    /// Every text that was asked of something that holds a key.
    private var texts = ""

    static let own = BluetoothAddress(kind: .random, value: 0xF0F1_F2F3_F4F5)

    /// The out-of-band data of the central.
    static let centralOutOfBand = certain {
        let random = Value128(InlineArray(repeating: 0x33))
        return OutOfBandData(
            confirm: try SecurityToolbox.f4(CentralKeys.x, CentralKeys.x, random, 0), random: random)
    }

    /// The known state of one link.
    private struct Link {
        enum Given { case bond, pairing }
        enum Question { case compare, passkey }

        var peer: BluetoothAddress?
        var level = LinkSecurityLevel()
        var given: Given?
        var pairing: ObservedPairing?
        var request: PairingFeatures?
        var question: Question?
        var isSilenced = false
        /// The pairing that was complete with the last input, and what was said of it.
        var complete: ObservedPairing?
        var ending: SecurityAction?
    }

    init(policy: SecurityPolicy, random: ReplayedRandom) {
        self.policy = policy
        self.random = random
        manager = SecurityManager(
            policy: policy, identity: CentralKeys.own, store: store, random: random)
    }

    // MARK: - Inputs

    mutating func open(_ slot: Int, peer: BluetoothAddress) {
        close(slot)
        manager.open(&security[slot], peer: peer, own: SecurityBench.own)
        links[slot].peer = peer
        links[slot].level.isBonded = security[slot].bondedPeer != nil
        see(slot)
    }

    mutating func close(_ slot: Int) {
        manager.close(&security[slot], at: now)
        links[slot] = Link()
        see(slot)
    }

    /// A PDU of the central, sound or not.
    mutating func receive(_ octets: [UInt8], _ slot: Int) {
        if let pdu = try? SecurityPDU.parse(octets.span) {
            var written: [UInt8] = []
            pdu.append(to: &written)
            require(written == octets, "read and written, a PDU is another one")
            if links[slot].pairing == nil, case .pairingRequest(let features) = pdu {
                links[slot].request = features
            } else {
                links[slot].pairing?.delivered(pdu)
            }
        }
        manager.receive(octets.span, on: &security[slot], at: now)
        see(slot)
        links[slot].request = nil
    }

    /// Gives the next PDU of a sound central to the manager, in one place changed or not.
    mutating func proceed(_ slot: Int, changing place: Int = 0, by change: UInt8 = 0, _ input: inout FuzzInput) {
        guard let pdu = next(slot, &input) else { return }
        var octets: [UInt8] = []
        pdu.append(to: &octets)
        octets[place % octets.count] ^= change
        receive(octets, slot)
    }

    /// A sound central goes on until it waits for somebody else, or the pairing is over.
    mutating func pursue(_ slot: Int, _ input: inout FuzzInput) {
        // A passkey takes twenty rounds of two PDUs; around them are no more than eight.
        for _ in 0..<48 {
            guard let pdu = next(slot, &input) else { return }
            var octets: [UInt8] = []
            pdu.append(to: &octets)
            receive(octets, slot)
            if links[slot].pairing == nil { return }
        }
    }

    private mutating func next(_ slot: Int, _ input: inout FuzzInput) -> SecurityPDU? {
        if let pairing = links[slot].pairing {
            let identity = CentralKeys.identities[pairing.isEncrypted ? input.number(below: 4) : 0]
            let fresh = nonce
            let pdu = pairing.next(nonce: Value128(InlineArray { UInt8($0) ^ fresh }), identity: identity)
            // A nonce is that of the commitment before it.
            if case .random = pdu { nonce = nonce &+ 1 }
            return pdu
        }
        let choice = input.octet()
        return .pairingRequest(
            PairingFeatures(
                ioCapability: IOCapability(rawValue: choice & 7) ?? .keyboardDisplay,
                hasOutOfBandData: choice & 0x18 == 0x18,
                requirements: AuthenticationRequirements(rawValue: input.octet()),
                maximumKeySize: choice & 0x20 == 0 ? 16 : 7 + choice >> 6,
                initiatorKeys: KeyDistribution(rawValue: choice & 0x80 == 0 ? 3 : 2),
                responderKeys: KeyDistribution(rawValue: 3)))
    }

    mutating func compare(_ isSame: Bool, _ slot: Int) {
        let isAsked = links[slot].question == .compare
        if isAsked { links[slot].pairing?.isSame = isSame }
        let wasAsked = manager.answerComparison(isSame, on: &security[slot], at: now)
        require(wasAsked == isAsked, "an answer to a comparison is \(wasAsked ? "" : "not ")taken")
        if isAsked { links[slot].question = nil }
        see(slot)
        if isAsked, !isSame { require(links[slot].pairing == nil, "the user said no, and the pairing goes on") }
    }

    mutating func enter(_ passkey: UInt32?, _ slot: Int) {
        let isAsked = links[slot].question == .passkey && passkey ?? 0 < 1_000_000
        if isAsked, let passkey { links[slot].pairing?.passkey = passkey }
        let wasAsked = manager.enterPasskey(passkey, on: &security[slot], at: now)
        require(wasAsked == isAsked, "a passkey is \(wasAsked ? "" : "not ")taken")
        if isAsked { links[slot].question = nil }
        see(slot)
        if isAsked, passkey == nil { require(links[slot].pairing == nil, "no passkey, and the pairing goes on") }
    }

    /// The identification of the key of the bond with the link's peer.
    func diversifier(_ slot: Int) -> LTKIdentifier {
        bond(slot)?.diversifier ?? .zero
    }

    private func bond(_ slot: Int) -> Bond? {
        guard let peer = security[slot].bondedPeer else { return nil }
        return store.bonds.first { $0.identity == peer }
    }

    mutating func requestKey(_ slot: Int, _ name: LTKIdentifier) {
        let key = manager.longTermKeyRequested(on: &security[slot], name: name)
        links[slot].given = nil
        if let key {
            require(!key.isZero && links[slot].peer != nil && !links[slot].isSilenced, "a key for nobody")
            if let pairing = links[slot].pairing {
                require(name == .zero && !pairing.isEncrypted, "a pairing's key by another name, or again")
                require(pairing.key == key, "a key that the central has not proved to have")
                links[slot].given = .pairing
            } else {
                require(bond(slot)?.longTermKey == key, "a key that is not the bond's")
                require(bond(slot)?.diversifier == name, "a bond's key by another name")
                links[slot].given = .bond
            }
        }
        see(slot)
    }

    mutating func encryption(_ slot: Int, _ status: HCIStatus, enabled: UInt8) {
        let given = status == .success && enabled == 1 ? links[slot].given : nil
        links[slot].given = nil
        if given == .pairing { links[slot].pairing?.isEncrypted = true }
        let expected = expected(slot, given)
        manager.encryptionChanged(on: &security[slot], status: status, enabled: enabled, at: now)
        see(slot, encrypting: expected)
        let isOpen = links[slot].peer != nil
        if isOpen, expected == nil { require(!links[slot].level.isEncrypted, "a level out of nothing") }
    }

    /// The level that an encryption with such a key has to lead to; nil if it has to lead to none.
    private func expected(_ slot: Int, _ given: Link.Given?) -> LinkSecurityLevel? {
        switch given {
        case .bond:
            guard links[slot].pairing == nil, let bond = bond(slot) else { return nil }
            return LinkSecurityLevel(
                isEncrypted: true, isAuthenticated: bond.isAuthenticated, isSecureConnections: bond.isSecureConnections,
                keySize: bond.keySize, isBonded: true)
        case .pairing:
            guard let pairing = links[slot].pairing else { return nil }
            return LinkSecurityLevel(
                isEncrypted: true, isAuthenticated: pairing.isAuthenticated, isSecureConnections: pairing.isSecure,
                keySize: pairing.keySize)
        case nil: return nil
        }
    }

    mutating func requestEncryption(_ slot: Int) {
        let wasSent = manager.requestEncryption(on: &security[slot], at: now)
        require(!wasSent || security[slot].bondedPeer != nil, "an unknown peer is told to pair")
        see(slot)
    }

    mutating func forget(_ identity: BluetoothAddress) {
        let before = store.bonds
        manager.forget(identity)
        require(store.bonds == before.filter { $0.identity != identity }, "another bond is forgotten")
        for slot in links.indices {
            manager.forgotten(identity, on: &security[slot])
            see(slot)
            require(security[slot].provenPeer != identity, "a link is proved by a bond that is forgotten")
        }
    }

    mutating func openWindow(seconds: Int) {
        let end = now + .seconds(seconds)
        windowEnd = end
        manager.openWindow(until: end)
    }

    mutating func closeWindow() {
        windowEnd = nil
        manager.closeWindow()
    }

    mutating func publish() {
        published = manager.publishOutOfBandData()
        if let published { text(published) }
    }

    mutating func withdraw() {
        published = nil
        manager.withdrawOutOfBandData()
    }

    mutating func receive(_ data: PeerOutOfBandData?) {
        received = data
        manager.setPeerOutOfBandData(data)
    }

    var deadline: Instant? { security.compactMap(\.deadline).min() }

    mutating func reach(_ instant: Instant) {
        for slot in links.indices {
            manager.advance(&security[slot], to: instant)
            see(slot)
        }
    }

    // MARK: - What comes of them

    /// Takes all that is to be done on the link that had an input.
    private mutating func see(_ slot: Int, encrypting expected: LinkSecurityLevel? = nil) {
        let before = links.map(\.level)
        var count = 0
        while let action = manager.nextAction() {
            require(links[slot].peer != nil, "an action for a link that is not there")
            count += 1
            perform(action, slot)
        }
        require(count <= SecurityBench.mostActions, "\(count) actions follow one input")
        for index in links.indices {
            let level = security[index].level
            require(level == links[index].level, "a level of which nothing was told")
            require(
                security[index].isPairing == (links[index].pairing != nil), "a pairing without beginning or end")
            check(level, before[index], index == slot ? expected : nil)
            if let proven = security[index].provenPeer {
                require(level.isEncrypted && security[index].bondedPeer == proven, "\(proven) is not proved")
            }
            if links[index].pairing == nil { links[index].question = nil }
        }
        checkBonds()
        for index in links.indices { links[index].complete = nil }
    }

    /// A level rises by an encryption event alone, and to what its key is worth.
    private func check(_ level: LinkSecurityLevel, _ before: LinkSecurityLevel, _ expected: LinkSecurityLevel?) {
        guard level.isEncrypted else {
            return require(
                level == LinkSecurityLevel(isBonded: level.isBonded), "a link that is not encrypted has a level")
        }
        var known = expected ?? before
        known.isBonded = level.isBonded
        require(level == known, "the level is \(level), not \(known)")
        require(level.keySize >= policy.minimumKeySize, "a key of \(level.keySize) octets")
        require(policy.secureConnections != .only || level.isSecureConnections, "a link with a key of legacy pairing")
    }

    private mutating func perform(_ kind: SecurityAction, _ slot: Int) {
        switch kind {
        case .send(let pdu):
            require(!links[slot].isSilenced, "a channel that is shut speaks")
            sent(pdu, slot)
        case .displayPasskey(let passkey):
            require(passkey < 1_000_000, "a passkey of more than six digits")
            links[slot].pairing?.passkey = passkey
            links[slot].pairing?.usesPasskey = true
        case .requestPasskey:
            links[slot].question = .passkey
            links[slot].pairing?.usesPasskey = true
        case .compare(let number):
            require(number == links[slot].pairing?.number, "a number that the central does not show")
            links[slot].question = .compare
            links[slot].pairing?.isCompared = true
        case .levelChanged(let level):
            require(level != links[slot].level, "a change to the same level")
            links[slot].level = level
        case .bondRemoved(let identity):
            require(!store.bonds.contains { $0.identity == identity }, "a bond made room and is still there")
            require(!security.contains { $0.bondedPeer == identity }, "the bond of a connected peer made room")
        case .paired:
            require(links[slot].pairing?.isEncrypted == true, "paired without encryption")
            links[slot].ending = kind
            links[slot].complete = links[slot].pairing
            links[slot].pairing = nil
        case .failed(let failure):
            failed(failure, slot)
        case .disconnect: break
        }
    }

    private mutating func sent(_ pdu: SecurityPDU, _ slot: Int) {
        switch pdu {
        case .pairingResponse(let response):
            guard let request = links[slot].request, let peer = links[slot].peer, links[slot].pairing == nil else {
                finding("a Pairing Response to nothing")
            }
            let isInWindow = windowEnd.map { now < $0 } ?? false
            check(request, response, isInWindow: isInWindow, slot)
            links[slot].pairing = ObservedPairing(
                request: request, response: response, initiator: peer, responder: SecurityBench.own,
                received: received, published: published, proven: security[slot].provenPeer,
                isInWindow: isInWindow)
            if links[slot].pairing?.isOutOfBand == true { received = nil }
        case .failed: break
        case .securityRequest: require(security[slot].bondedPeer != nil, "an unknown peer is told to pair")
        default:
            if case .encryptionInformation = pdu { text(pdu) }
            guard links[slot].pairing != nil else { finding("\(pdu.code) without a pairing") }
            links[slot].pairing?.answered(pdu)
        }
    }

    /// Requires that the policy allows the agreement.
    private func check(_ request: PairingFeatures, _ response: PairingFeatures, isInWindow: Bool, _ slot: Int) {
        require(response.initiatorKeys.isSubset(of: request.initiatorKeys), "keys that were not offered")
        require(response.responderKeys.isSubset(of: request.responderKeys), "keys that were not asked for")
        let agreed = response.initiatorKeys.union(response.responderKeys)
        require(agreed.isSubset(of: [.encryption, .identity]), "a link key or a signing key is agreed to")
        require(Int(request.maximumKeySize) >= policy.minimumKeySize, "a short key is agreed to")
        let isSecure = request.requirements.contains(.secureConnections)
        require(isSecure || policy.secureConnections != .only, "legacy pairing is agreed to")
        let isProven = security[slot].provenPeer != nil
        switch policy.admission {
        case .noPeers: finding("nobody may pair, and somebody does")
        case .withinWindow: require(isInWindow || isProven, "a pairing outside the window")
        case .unknownPeers:
            require(
                isInWindow || isProven || security[slot].bondedPeer == nil, "a bonded peer pairs without proof")
        }
    }

    private mutating func failed(_ failure: PairingFailure, _ slot: Int) {
        switch failure {
        case .refused, .bondKept(_, .pairingNotSupported):
            return require(links[slot].pairing == nil, "what goes on is refused")
        default: break
        }
        require(links[slot].pairing != nil, "a pairing fails that was not there")
        links[slot].pairing = nil
        links[slot].given = nil
        if failure == .timedOut { links[slot].isSilenced = true }
    }

    // MARK: - Bonds and keys

    /// A bond comes of a pairing, takes nobody's place, and is never followed by a weaker one.
    private mutating func checkBonds() {
        let bonds = store.bonds
        guard bonds != known else { return }
        for bond in bonds {
            require(bonds.count { $0.identity == bond.identity } == 1, "two bonds of one identity")
            require(bond.identity != CentralKeys.own.address, "a bond with the peripheral's own identity")
            require(!bond.longTermKey.isZero, "a bond without a key")
            if let key = bond.resolvingKey {
                require(bonds.count { $0.resolvingKey == key } == 1, "two identities with one key")
            }
            let old = known.first { $0.identity == bond.identity }
            guard old != bond else { continue }
            guard let pairing = links.compactMap(\.complete).first else { finding("a bond that nobody paired for") }
            require(bond.longTermKey == pairing.key || !pairing.isSecure, "a bond with another key")
            require(bond.isAuthenticated == pairing.isAuthenticated, "a bond is worth something else than its pairing")
            guard let old else { continue }
            require(pairing.isInWindow || pairing.proven == bond.identity, "somebody takes a bonded peer's place")
            require(bond.isAuthenticated || !old.isAuthenticated, "an authenticated bond is replaced by another")
            require(bond.isSecureConnections || !old.isSecureConnections, "a bond is replaced by a legacy one")
            require(bond.keySize >= old.keySize, "a bond is replaced by a shorter one")
        }
        known = bonds
    }

    private mutating func text(_ value: Any) {
        texts += "\(value)" + String(reflecting: value)
        dump(value, to: &texts)
    }

    /// No text says a key, in hexadecimal or as a list of octets.
    mutating func checkSecrecy() {
        for bond in store.bonds { text(bond) }
        guard !texts.isEmpty else { return }
        var secrets = store.bonds.map(\.longTermKey) + store.bonds.compactMap(\.resolvingKey)
        if let published { secrets.append(published.random) }
        for secret in secrets {
            var octets: [UInt8] = []
            secret.append(leastSignificantFirstTo: &octets)
            for octets in [octets, octets.reversed()] {
                let digits = octets.map { String(UInt16($0) | 0x100, radix: 16).dropFirst() }.joined()
                let list = octets.prefix(6).map { String($0) }.joined(separator: ", ")
                require(!texts.lowercased().contains(digits), "a key in a text")
                require(!texts.contains(list), "a key in a text, as a list")
            }
        }
    }

    // MARK: - The end

    /// A sound central pairs with a sound policy, and comes back to be who it was.
    mutating func recover() {
        for slot in links.indices { close(slot) }
        for bond in store.bonds { forget(bond.identity) }
        closeWindow()
        withdraw()
        receive(nil)
        store.fault = nil
        random.recover()
        policy = SecurityPolicy()
        manager.policy = policy
        let identity = CentralKeys.Identity(
            address: BluetoothAddress(kind: .random, value: 0xC300_0000_0003),
            resolvingKey: Value128(InlineArray(repeating: 0x77)))
        open(0, peer: identity.address)
        let features = PairingFeatures(
            ioCapability: .noInputNoOutput, requirements: [.bonding, .secureConnections], initiatorKeys: [.identity],
            responderKeys: [.identity])
        send(.pairingRequest(features))
        for _ in 0..<3 { send(links[0].pairing?.next(nonce: identity.resolvingKey, identity: identity)) }
        requestKey(0, .zero)
        encryption(0, .success, enabled: 1)
        for _ in 0..<2 { send(links[0].pairing?.next(nonce: identity.resolvingKey, identity: identity)) }
        require(links[0].ending == .paired(storeError: nil), "a sound central cannot pair")
        require(security[0].provenPeer == identity.address, "a sound central is not known")
        open(0, peer: identity.address)
        require(!links[0].level.isEncrypted, "who comes back is trusted at once")
        requestKey(0, .zero)
        encryption(0, .success, enabled: 1)
        require(security[0].provenPeer == identity.address, "a bonded central is not known again")
    }

    private mutating func send(_ pdu: SecurityPDU?) {
        guard let pdu else { finding("a sound central does not know what to say") }
        var octets: [UInt8] = []
        pdu.append(to: &octets)
        receive(octets, 0)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Crypto
import Peripheral
import TestSupport

/// A Security Manager with three links: sound and unsound centrals, a controller that asks for keys and tells of
/// encryption, users, an operator, time. Nobody gets a level without an encryption event after a key from here, and
/// nobody a key without the proof of its pairing. At the end a sound central pairs, and comes back.
///
/// The first two octets choose the policy; a block after them is what the source of randomness gives first, so that a
/// recorded pairing can be played.
func fuzzSecurity(_ input: inout FuzzInput) {
    var bench = SecurityBench(
        policy: policy(input.octet(), input.octet()), random: ReplayedRandom(input.block()))
    while let choice = input.next() { step(choice, &bench, &input) }
    bench.checkSecrecy()
    bench.recover()
}

private func step(_ choice: UInt8, _ bench: inout SecurityBench, _ input: inout FuzzInput) {
    let slot = Int(choice & 3) % SecurityBench.slots
    switch choice {
    case 0..<0x10: bench.proceed(slot, &input)
    case 0x10..<0x20: bench.proceed(slot, changing: Int(input.octet()), by: input.octet(), &input)
    case 0x20..<0x30: bench.receive(input.block(), slot)
    case 0x30..<0x38: bench.compare(choice & 4 == 0, slot)
    case 0x38..<0x3C: bench.enter(ObservedPairing.shownPasskey, slot)
    case 0x3C..<0x40:
        let digits = UInt32(input.word()) << 5
        bench.enter(digits == 0 ? nil : digits, slot)
    case 0x40..<0x48: bench.requestKey(slot, .zero)
    case 0x48..<0x4C: bench.requestKey(slot, bench.diversifier(slot))
    case 0x4C..<0x50:
        bench.requestKey(slot, LTKIdentifier(diversifier: input.word(), random: UInt64(input.octet())))
    case 0x50..<0x58: bench.encryption(slot, .success, enabled: 1)
    case 0x58..<0x60: bench.encryption(slot, HCIStatus(rawValue: input.octet()), enabled: input.octet())
    case 0x60..<0x70: bench.open(slot, peer: address(&input))
    case 0x70..<0x74: bench.close(slot)
    case 0x74..<0x78: bench.requestEncryption(slot)
    case 0x78..<0x7C: bench.forget(CentralKeys.identities[input.number(below: 4)].address)
    case 0x7C: bench.openWindow(seconds: Int(input.octet()))
    case 0x7D: bench.closeWindow()
    case 0x80..<0xA0: bench.pass(.milliseconds(Int(choice & 0x1F) * Int(input.octet()) * 10))
    case 0xA0: bench.publish()
    case 0xA1: bench.withdraw()
    case 0xA2: bench.receive(.secureConnections(SecurityBench.centralOutOfBand))
    case 0xA3: bench.receive(.legacy(temporaryKey: Value128(InlineArray(repeating: 0x44))))
    case 0xA4: bench.receive(nil)
    case 0xA8..<0xB0:
        bench.store.fault = [nil, .full, .notWritten][Int(choice & 3) % 3]
        bench.store.hidesFault = choice & 4 != 0
    case 0xB0..<0xC0: bench.pursue(slot, &input)
    case 0xC0..<0xD0:
        bench.requestKey(slot, bench.diversifier(slot))
        bench.encryption(slot, .success, enabled: 1)
    default: bench.receive(input.block(), slot)
    }
}

private func policy(_ first: UInt8, _ second: UInt8) -> SecurityPolicy {
    var policy = SecurityPolicy()
    policy.secureConnections = [.preferred, .only, .never, .preferred][Int(first & 3)]
    policy.minimumKeySize = first & 4 == 0 ? 7 : 16
    policy.admission = [.unknownPeers, .unknownPeers, .withinWindow, .noPeers][Int(first >> 3 & 3)]
    policy.requestsAuthentication = first & 0x20 != 0
    policy.requiresAuthentication = first & 0xC0 == 0xC0
    policy.ioCapability = IOCapability(rawValue: second & 7) ?? .keyboardDisplay
    policy.requiredModel = second & 0x18 == 0x18 ? AssociationModel.allCases[Int(second >> 5) % 5] : nil
    policy.keepsBonds = second & 0x18 != 0x10
    policy.freeAttempts = second & 0x18 == 0x08 ? 3 : .max
    return policy
}

/// The addresses of a central on the air: an identity, a private address of it, or an unknown one.
private func address(_ input: inout FuzzInput) -> BluetoothAddress {
    let choice = input.octet()
    let identity = CentralKeys.identities[Int(choice & 3)]
    switch choice >> 2 & 7 {
    case 0...3: return identity.address
    case 4, 5:
        return certain {
            try IdentityResolution.privateAddress(resolvingKey: identity.resolvingKey, bits: UInt32(choice >> 5) + 2)
        }
    case 6: return BluetoothAddress(kind: .randomIdentity, value: identity.address.value)
    default: return BluetoothAddress(kind: .random, value: UInt64(choice >> 5))
    }
}

/// Octets that were set before, which no working source may give, and then those of `CountingRandom`.
final class ReplayedRandom: RandomSource {
    private var script: [UInt8]
    private var rest = CountingRandom()

    init(_ script: [UInt8]) {
        self.script = script.reversed()
    }

    /// Works from now on.
    func recover() { script.removeAll() }

    func fill(_ octets: inout MutableSpan<UInt8>) {
        for index in octets.indices {
            if let octet = script.popLast() {
                octets[index] = octet
            } else {
                var one: [1 of UInt8] = [0]
                var span = one.mutableSpan
                rest.fill(&span)
                octets[index] = one[0]
            }
        }
    }
}

/// A store whose disk may fail.
final class FuzzBondStore: BondStore {
    var bonds: [Bond] = []
    let capacity = 3
    var fault: BondStoreError?
    /// True if a fault shows only when a bond is saved.
    var hidesFault = false

    func storageError() -> BondStoreError? { hidesFault ? nil : fault }

    func save(_ bond: Bond, evicting evicted: [BluetoothAddress]) throws(BondStoreError) {
        if let fault { throw fault }
        bonds = try bonds.saving(bond, evicting: evicted, capacity: capacity)
    }

    func markUsed(_ identity: BluetoothAddress) { bonds.markUsed(identity) }

    func remove(_ identity: BluetoothAddress) { bonds.removeAll { $0.identity == identity } }
}

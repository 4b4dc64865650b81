// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Reader

/// The key of the policies that this target seals.
private let policyKey = certain {
    guard let key = AuditKey([UInt8](repeating: 7, count: AuditKey.count)) else { throw PolicyError.invalid }
    return key
}

/// A policy's file, sealed or as it is: what is read is what could have been written, octet for octet, and without the
/// key nothing is read. Then two copies and a witness of any generations: no verdict takes one that is older than what
/// any of the three, or the log, tells of.
func fuzzPolicy(_ input: inout FuzzInput) {
    let choice = input.octet()
    if choice & 1 == 0 {
        fuzzVerdict(&input)
    } else {
        fuzzDocument(input.rest())
    }
}

private func fuzzDocument(_ octets: [UInt8]) {
    require(SealedPolicy(octets, key: policyKey) == nil, "a policy without the key")
    require(PolicyCount(octets, key: policyKey) == nil, "a witness without the key")
    guard let document = try? PolicyDocument(decoding: octets.span) else { return }
    require(document.octets == octets, "read and written, the policy is another")
    let sealed = certain { try SealedPolicy(document, key: policyKey) }
    require(SealedPolicy(sealed.octets, key: policyKey) == sealed, "a policy that cannot be read back")
    for row in document.blacklist { require((1...10).contains(row.credential.utf8.count), "a name that is none") }
}

private func fuzzVerdict(_ input: inout FuzzInput) {
    let logged = UInt64(input.octet() & 7)
    func sealed(_ octet: UInt8) -> SealedPolicy {
        var document = PolicyDocument(generation: UInt64(octet & 7))
        if octet & 8 != 0 { certain { try document.apply(.setting("n", [octet])) } }
        return certain { try SealedPolicy(document, key: policyKey) }
    }
    func copy(_ octet: UInt8) -> FoundPolicy.Copy {
        octet & 0x80 != 0 ? .missing : octet & 0x40 != 0 ? .damaged : .sound(sealed(octet))
    }
    let copies = [copy(input.octet()), copy(input.octet())]
    let octet = input.octet()
    let count: FoundPolicy.Count =
        octet & 0x80 != 0 ? .missing : octet & 0x40 != 0 ? .damaged : .sound(PolicyCount(sealed(octet)))
    let found = FoundPolicy(copies: copies, count: count)
    switch found.verdict(logged: logged) {
    case .none: require(found.isAbsent && logged == 0, "a first start that is none")
    case .refused: break
    case .known(let policy, _):
        let generation = policy.document.generation
        require(generation >= logged && generation == found.highestGeneration, "an older policy than there was")
        guard case .sound(let count) = count else {
            return require(count == .damaged && logged > 0 && generation == logged, "a policy without a witness")
        }
        require(
            count.witnesses(policy) || generation == count.generation + 1, "a policy that was never the one to hold")
    }
}

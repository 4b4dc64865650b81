// SPDX-License-Identifier: Apache-2.0

import Crypto
import Peripheral

/// A file of bonds, with a digest that fits or as it is: what is read is what could have been written, octet for octet,
/// and shows no key. The first octet tells whether the digest is put right.
func fuzzBonds(_ input: inout FuzzInput) {
    let isSealed = input.octet() & 1 == 0
    var octets = input.rest()
    if isSealed {
        let digest = certain { try SHA256.hash(octets.span) }
        for index in digest.indices { octets.append(digest[index]) }
    }
    let records: BondRecords
    do throws(BondRecordsError) {
        records = try BondRecords(octets.span)
    } catch {
        require(!isSealed || error != .noDigest, "there is no digest")
        return
    }
    require(certain { try records.encoded() } == octets, "read and written, the bonds are others")
    for bond in records.bonds {
        require(!bond.longTermKey.isZero && (7...16).contains(bond.keySize), "a bond with a key that is none")
        require(records.bonds.count { $0.identity == bond.identity } == 1, "two bonds of one identity")
    }
    for state in records.clientStates {
        require(records.bonds.contains { $0.identity == state.identity }, "a state without its bond")
        require(state.octets.count <= BondRecords.maximumStateCount, "a state of \(state.octets.count) octets")
    }
    var text = "\(records)"
    dump(records, to: &text)
    require(text.count < 200, "a text that says more than how many there are")
}

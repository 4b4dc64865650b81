// SPDX-License-Identifier: Apache-2.0

import Contactless
import Testing

/// The numbered checks of a reader, and the faults by which a phone tries them.
@Suite struct AliroFaultChecks {
    /// The faults of each check that a phone can violate.
    static let faults: [Int: [String]] = [
        16: ["extra-extension"], 17: ["extra-extension"], 19: ["old-version"], 20: ["extra-auth0"],
        21: ["cut-auth0", "long-auth0", "compressed-auth0"], 22: ["extra-auth1"],
        23: ["no-key", "no-signature", "no-signals", "cut-auth1", "twice-auth1", "compressed-auth1"],
        24: ["wrong-signature", "other-signer"],
        25: ["changed-ciphertext", "changed-tag", "empty-auth1", "changed-envelope", "empty-envelope"],
        26: ["key-slot"], 27: ["other-cryptogram"], 28: ["off-curve"],
        29: ["odd-versions", "other-type", "cut-select", "long-select", "other-name"],
        30: [
            "word-select", "word-auth0", "word-auth1", "word-documents", "word-envelope", "word-exchange", "wrong-end",
        ],
        31: [
            "endless-auth0", "endless-auth1", "endless-envelope", "too-long-auth1", "leaves-select", "leaves-auth0",
            "leaves-auth1", "leaves-documents", "leaves-exchange",
        ],
        32: ["no-issuer", "other-issuer"], 33: ["certificate-signature"], 34: ["certificate-expired"],
        35: ["certificate-later"], 36: ["wrong-document", "issued-signature", "other-algorithm"],
        37: ["wrong-digest", "issued-digest"], 38: ["expired"], 39: ["too-early"], 40: ["old-iteration"],
        41: ["needs-time"], 42: ["no-document"], 43: ["no-element", "other-element"], 44: ["other-signed-type"],
        45: ["other-document"], 46: ["other-device", "no-device"], 47: ["element-version"], 48: ["no-rule"],
        49: ["allowed-later"], 50: ["denied-now"], 51: ["unknown-recurrence"], 52: ["reader-rule"],
        53: ["critical-extension"], 54: ["revocation-version"],
        55: ["duplicate-key", "deep-document", "long-document", "trailing-octet", "cut-document"],
        66: ["replayed-auth1"], 67: ["reflected-auth1", "reflected-envelope"],
    ]

    /// The reason why a phone cannot violate the other checks.
    static let others: [(numbers: [Int], reason: String)] = [
        (Array(1...9) + [70, 71, 72, 73, 74], "a right phone's transaction, which has to succeed"),
        ([10], "a message of the reader"),
        (Array(11...15) + [18], "a right document, which has to be accepted"),
        (Array(56...65), "Bluetooth LE: this phone has NFC alone"),
        ([68, 69], "a state of the reader's store"),
        ([75, 76], "the reader's own computation"),
    ]

    /// The final status (tag 97) of `readerd` for each document that it refuses after ENVELOPE; the others end by
    /// CONTROL FLOW, or leave.
    static let statuses: [String: [UInt8]] = [
        "changed-envelope": [0x00, 0x07], "reflected-envelope": [0x00, 0x07], "no-document": [0x00, 0x25],
        "no-element": [0x00, 0x25], "no-issuer": [0x00, 0x07], "other-issuer": [0x00, 0x07],
        "wrong-document": [0x00, 0x07], "other-algorithm": [0x00, 0x07], "wrong-digest": [0x00, 0x07],
        "other-document": [0x00, 0x25], "cut-document": [0x00, 0x06], "trailing-octet": [0x00, 0x06],
        "duplicate-key": [0x00, 0x06], "deep-document": [0x00, 0x06], "long-document": [0x00, 0x06],
        "empty-envelope": [0x00, 0x06], "certificate-signature": [0x00, 0x07], "certificate-expired": [0x00, 0x07],
        "certificate-later": [0x00, 0x07], "issued-signature": [0x00, 0x07], "issued-digest": [0x00, 0x07],
        "expired": [0x00, 0x07], "too-early": [0x00, 0x07], "old-iteration": [0x00, 0x07],
        "other-signed-type": [0x00, 0x07], "other-device": [0x00, 0x07], "no-device": [0x00, 0x07],
        "other-element": [0x00, 0x25], "element-version": [0x00, 0x07], "no-rule": [0x00, 0x25],
        "allowed-later": [0x00, 0x25], "denied-now": [0x00, 0x25], "unknown-recurrence": [0x00, 0x06],
        "reader-rule": [0x00, 0x25], "critical-extension": [0x00, 0x25], "revocation-version": [0x00, 0x07],
    ]

    @Test("Each of the 76 checks has a fault, or a reason why a phone has none; each fault has a check")
    func complete() {
        let (violated, others) = (Set(Self.faults.keys), Self.others.flatMap(\.numbers))
        #expect(violated.isDisjoint(with: others) && Set(others).count == others.count)
        #expect(violated.union(others) == Set(1...76))
        let names = Set(AliroPhoneFault.all.map(\.name))
        #expect(Set(Self.faults.values.joined()).subtracting(names) == [], "no such fault")
        #expect(names.subtracting(Self.faults.values.joined()) == [], "a fault without a check")
        #expect(Set(Self.statuses.keys).isSubset(of: names))
    }
}

// SPDX-License-Identifier: Apache-2.0

/// Scenarios with cards, and phones that play one.
extension ScenarioLibrary {
    static let cards = [
        Entry(
            name: "every-key",
            json: """
                {
                  "about": "One door, every key: a phone over the air, phones and cards in the NFC field, and two that prove nothing.",
                  "seconds": 40,
                  "reader": {"pulse-s": 1},
                  "phones": [
                    {"name": "over the air", "path": [{"at-ms": 500, "dbm": -45}], "expect": "opened"}
                  ],
                  "cards": [
                    {"name": "PKOC card", "kind": "pkoc", "credential": {"id": "CARD000001"},
                     "present": [{"at-ms": 6000, "for-ms": 1000}], "expect": "opened", "within-ms": 1000},
                    {"name": "DESFire card", "kind": "desfire", "credential": {"id": "CARD000002"},
                     "present": [{"at-ms": 9000, "for-ms": 1000}], "expect": "opened", "within-ms": 1000},
                    {"name": "Aliro phone", "kind": "aliro", "credential": {"id": "CARD000003"}, "waits-for-frame": true,
                     "path": [{"at-ms": 12000, "metres": 4}, {"at-ms": 15000, "metres": 0.01}, {"at-ms": 16000, "metres": 0.01},
                              {"at-ms": 18000, "metres": 3}, {"at-ms": 21000, "metres": 0.01}, {"at-ms": 22000, "metres": 0.01},
                              {"at-ms": 24000, "metres": 4}], "expect": "opened"},
                    {"name": "phone as card", "kind": "phone", "credential": {"id": "CRED000002"},
                     "present": [{"at-ms": 27000, "for-ms": 1500}], "expect": "opened", "within-ms": 1000},
                    {"name": "stranger", "kind": "pkoc", "credential": {"id": "CARD000004", "signed-by": "stranger"},
                     "present": [{"at-ms": 31000, "for-ms": 1000}], "expect": "denied", "reason": "not listed"},
                    {"name": "transit card", "kind": "identifier", "present": [{"at-ms": 34000, "for-ms": 1000}],
                     "expect": "refused", "reason": "identifier-only"}
                  ],
                  "expect": {"openings": 6}
                }
                """),
        Entry(
            name: "field-faults",
            json: """
                {
                  "about": "Cards and phones that are forged, replayed, late, revoked, two at once, or leave in the middle.",
                  "seconds": 62,
                  "reader": {"pulse-s": 1},
                  "phones": [],
                  "cards": [
                    {"name": "forged", "kind": "pkoc", "credential": {"id": "CARD000001"}, "fault": "changed-proof",
                     "present": [{"at-ms": 1000, "for-ms": 800}], "expect": "refused", "reason": "invalid-proof"},
                    {"name": "replayed", "kind": "desfire", "credential": {"id": "CARD000002"}, "fault": "replayed-proof",
                     "present": [{"at-ms": 4000, "for-ms": 800}, {"at-ms": 7000, "for-ms": 800}], "expect": "opened"},
                    {"name": "other site", "kind": "desfire", "credential": {"id": "CARD000003", "signed-by": "stranger"},
                     "present": [{"at-ms": 10000, "for-ms": 800}], "expect": "refused", "reason": "invalid-proof"},
                    {"name": "wrong signature", "kind": "aliro", "credential": {"id": "CARD000004"},
                     "fault": "wrong-signature", "present": [{"at-ms": 13000, "for-ms": 800}], "expect": "refused",
                     "reason": "invalid-proof"},
                    {"name": "slow", "kind": "pkoc", "credential": {"id": "CARD000005"}, "answer-ms": 2000,
                     "present": [{"at-ms": 16000, "for-ms": 4000}], "expect": "refused", "reason": "card-left"},
                    {"name": "hasty", "kind": "aliro", "credential": {"id": "CARD000006"},
                     "present": [{"at-ms": 22000, "leaves-during": 4}], "expect": "refused", "reason": "card-left"},
                    {"name": "transit card", "kind": "identifier", "present": [{"at-ms": 26000, "for-ms": 1500}],
                     "expect": "refused", "reason": "identifier-only"},
                    {"name": "same wallet", "kind": "pkoc", "credential": {"id": "CARD000007"},
                     "present": [{"at-ms": 26000, "for-ms": 1500}], "expect": "opened"},
                    {"name": "first", "kind": "pkoc", "credential": {"id": "CARD000008"},
                     "present": [{"at-ms": 30000, "for-ms": 1500}], "expect": "opened"},
                    {"name": "second", "kind": "aliro", "credential": {"id": "CARD000009"},
                     "present": [{"at-ms": 30000, "for-ms": 1500}], "expect": "unseen"},
                    {"name": "revoked", "kind": "aliro", "credential": {"id": "CARD000010"},
                     "present": [{"at-ms": 35000, "for-ms": 800}], "expect": "denied", "reason": "blacklisted"},
                    {"name": "expired", "kind": "pkoc", "credential": {"id": "CARD000011", "through": "2026-11-19"},
                     "present": [{"at-ms": 38000, "for-ms": 800}], "expect": "denied", "reason": "outside its validity"},
                    {"name": "stranger", "kind": "phone", "credential": {"id": "CRED000002", "signed-by": "stranger"},
                     "present": [{"at-ms": 41000, "for-ms": 800}], "expect": "denied", "status": -12},
                    {"name": "in lockdown", "kind": "desfire", "credential": {"id": "CARD000012"},
                     "present": [{"at-ms": 45000, "for-ms": 800}], "expect": "denied", "reason": "lockdown"},
                    {"name": "twice", "kind": "phone", "credential": {"id": "CRED000003"},
                     "present": [{"at-ms": 49000, "leaves-after": 2}, {"at-ms": 55000, "for-ms": 1000}], "expect": "opened"}
                  ],
                  "events": [{"after-ms": 34000, "do": "blacklist CARD000010"}, {"after-ms": 44000, "do": "lockdown on"},
                             {"after-ms": 47000, "do": "lockdown off"}],
                  "expect": {"openings": 4, "told": ["card lost: card-left", "card refused: identifier-only"]}
                }
                """),
    ]
}

// SPDX-License-Identifier: Apache-2.0

/// The scenarios that come with the lab, as files.
public enum ScenarioLibrary {
    /// A scenario with its name.
    public struct Entry: Sendable {
        /// The name, as it is typed.
        public let name: String
        /// The file.
        public let json: String
    }

    /// The scenario with this name.
    public static func entry(_ name: String) -> Entry? { all.first { $0.name == name } }

    /// All scenarios.
    public static let all = people + cards

    private static let people = [
        Entry(
            name: "near-and-far",
            json: """
                {
                  "about": "One person walks up to the door, another stays across the street.",
                  "phones": [
                    {"name": "near", "path": [{"at-ms": 0, "metres": 12}, {"at-ms": 8000, "metres": 0.4}],
                     "connects-at-dbm": -75, "expect": "opened", "within-ms": 15000},
                    {"name": "across", "path": [{"at-ms": 0, "metres": 40}], "expect": "not-opened"}
                  ],
                  "expect": {"openings": 1}
                }
                """),
        Entry(
            name: "passer-by",
            json: """
                {
                  "about": "A person walks past at four metres, and does not want to enter: the door stays shut.",
                  "phones": [
                    {"name": "passer", "path": [{"at-ms": 0, "metres": 15}, {"at-ms": 9000, "metres": 4},
                     {"at-ms": 18000, "metres": 15}], "level-at-1m": -55, "exponent": 2.4, "expect": "any"}
                  ]
                }
                """),
        Entry(
            name: "pocket",
            json: """
                {
                  "about": "The same way with the phone in the hand and in a pocket: the body costs 7.5 dB.",
                  "seconds": 40,
                  "phones": [
                    {"name": "hand", "path": [{"at-ms": 0, "metres": 6}, {"at-ms": 5000, "metres": 0.5}],
                     "carry": "hand", "expect": "opened"},
                    {"name": "pocket", "path": [{"at-ms": 18000, "metres": 6}, {"at-ms": 23000, "metres": 0.5}],
                     "carry": "pocket", "expect": "any"}
                  ]
                }
                """),
        Entry(
            name: "path-loss",
            json: """
                {
                  "about": "A loud phone ten metres away is as strong as a near one: the path loss distinguishes them.",
                  "reader": {"controller": "power-control", "max-path-loss-db": 50},
                  "phones": [
                    {"name": "loud", "path": [{"at-ms": 500, "metres": 10}], "transmit-power-dbm": 20,
                     "expect": "refused"},
                    {"name": "near", "path": [{"at-ms": 9000, "metres": 0.3}], "transmit-power-dbm": 4,
                     "expect": "opened", "within-ms": 4000},
                    {"name": "silent", "credential": {"id": "CRED000002"}, "path": [{"at-ms": 18000, "metres": 0.3}],
                     "expect": "refused"}
                  ],
                  "expect": {"openings": 1, "told": ["path loss above the limit", "no transmit power of the phone"]}
                }
                """),
        Entry(
            name: "two-at-once",
            json: """
                {
                  "about": "Two people arrive together: both learn that it is open, and it opens once.",
                  "phones": [
                    {"name": "anna", "path": [{"at-ms": 500, "dbm": -45}], "expect": "opened", "within-ms": 3000},
                    {"name": "ben", "credential": {"id": "CRED000002"},
                     "path": [{"at-ms": 500, "dbm": -48}], "expect": "opened", "within-ms": 3000}
                  ],
                  "expect": {"openings": 1}
                }
                """),
        Entry(
            name: "full-pool",
            json: """
                {
                  "about": "Three phones just too far hold every link again and again; a fourth at the door still opens.",
                  "seconds": 20,
                  "phones": [
                    {"name": "far 1", "path": [{"at-ms": 0, "dbm": -70}], "expect": "not-opened"},
                    {"name": "far 2", "path": [{"at-ms": 50, "dbm": -70}], "expect": "not-opened"},
                    {"name": "far 3", "path": [{"at-ms": 100, "dbm": -70}], "expect": "not-opened"},
                    {"name": "near", "path": [{"at-ms": 6000, "dbm": -45}], "expect": "opened", "within-ms": 4000}
                  ],
                  "expect": {"openings": 1}
                }
                """),
        Entry(
            name: "revoked",
            json: """
                {
                  "about": "A credential that is on the reader's blacklist, and a stranger's: neither opens.",
                  "phones": [
                    {"name": "former", "credential": {"id": "CRED000009"}, "path": [{"at-ms": 500, "dbm": -45}],
                     "attempts": 2, "expect": "denied"},
                    {"name": "stranger", "credential": {"signed-by": "stranger"},
                     "path": [{"at-ms": 4000, "dbm": -45}], "attempts": 2, "expect": "denied"}
                  ],
                  "events": [{"after-ms": 0, "do": "blacklist CRED000009"}],
                  "expect": {"openings": 0}
                }
                """),
        Entry(
            name: "over-midnight",
            json: """
                {
                  "about": "A shift ends at midnight: its credential opens before, and is denied after.",
                  "start": "2026-11-20T23:59",
                  "seconds": 90,
                  "phones": [
                    {"name": "in time", "credential": {"from": "2026-11-20T18:00", "through": "2026-11-21T00:00"},
                     "path": [{"at-ms": 40000, "dbm": -45}], "attempts": 1, "expect": "opened"},
                    {"name": "late", "credential": {"from": "2026-11-20T18:00", "through": "2026-11-21T00:00"},
                     "path": [{"at-ms": 63000, "dbm": -45}], "attempts": 1, "expect": "denied"}
                  ],
                  "expect": {"openings": 1}
                }
                """),
        Entry(
            name: "morning-rush",
            json: """
                {
                  "about": "Ten people within twenty seconds at one door; everyone learns that it is open.",
                  "seconds": 40,
                  "reader": {"pulse-s": 1},
                  "phones": [
                \((0..<10).map(rushing).joined(separator: ",\n"))
                  ]
                }
                """),
        Entry(
            name: "ten-doors",
            json: """
                {
                  "about": "A morning rush of forty people at ten entrances with walls between: each opens at the own one.",
                  "seconds": 40,
                  "walls": [
                \((0..<9).map(partition).joined(separator: ",\n"))
                  ],
                  "readers": [
                \((0..<10).map(door).joined(separator: ",\n"))
                  ],
                  "phones": [
                \((0..<40).map(arriving).joined(separator: ",\n"))
                  ]
                }
                """),
        Entry(
            name: "next-room",
            json: """
                {
                  "about": "Two rooms and a wall: a phone close to the next room's reader does not open its door.",
                  "readers": [
                    {"name": "office", "at": [0, 0], "openings": 1}, {"name": "store", "at": [4, 0], "openings": 0}
                  ],
                  "walls": [{"from": [2, -5], "to": [2, 5], "db": 25}],
                  "phones": [
                    {"name": "clerk", "phone": "iphone-foreground", "connects-at-dbm": -60,
                     "path": [{"at-ms": 0, "at": [1, 6]}, {"at-ms": 5000, "at": [1, 0.3]}],
                     "expect": "opened", "within-ms": 15000}
                  ],
                  "events": [{"after-ms": 20000, "do": "lockdown on", "reader": "store"}],
                  "expect": {"openings": 1}
                }
                """),
        Entry(
            name: "relay",
            json: """
                {
                  "about": "A thief's relay beside the reader repeats a phone that is far away: it PASSES. Signal strength \
                cannot tell.",
                  "phones": [
                    {"name": "relayed", "path": [{"at-ms": 1000, "dbm": -42}], "expect": "opened"}
                  ],
                  "expect": {"openings": 1}
                }
                """),
        Entry(
            name: "power-cut",
            json: """
                {
                  "about": "The power fails while the door is released: the lock falls shut, and after it a phone opens.",
                  "phones": [
                    {"name": "before", "path": [{"at-ms": 500, "dbm": -45}], "expect": "opened"},
                    {"name": "after", "path": [{"at-ms": 6000, "dbm": -45}], "expect": "opened"}
                  ],
                  "events": [{"after-ms": 3000, "do": "power off"}, {"after-ms": 8000, "do": "power on"}],
                  "expect": {"openings": 2}
                }
                """),
        Entry(
            name: "dead-controller",
            json: """
                {
                  "about": "The radio fails and is replaced: meanwhile only the exit button opens.",
                  "phones": [
                    {"name": "waiting", "path": [{"at-ms": 2000, "dbm": -45}], "expect": "opened", "within-ms": 12000}
                  ],
                  "events": [{"after-ms": 1000, "do": "controller dead"}, {"after-ms": 3000, "do": "exit on"},
                             {"after-ms": 3200, "do": "exit off"}, {"after-ms": 10000, "do": "controller working"}],
                  "expect": {"openings": 2, "told": ["exit requested"]}
                }
                """),
        Entry(
            name: "lost-clock",
            json: """
                {
                  "about": "The reader's clock is lost: no validity can be checked, so no phone opens until it is set.",
                  "phones": [
                    {"name": "early", "path": [{"at-ms": 2000, "dbm": -45}], "attempts": 2, "expect": "not-opened"},
                    {"name": "later", "credential": {"id": "CRED000002"},
                     "path": [{"at-ms": 9000, "dbm": -45}], "expect": "opened", "within-ms": 4000}
                  ],
                  "events": [{"after-ms": 1000, "do": "clock unset"}, {"after-ms": 8000, "do": "clock set"}],
                  "expect": {"openings": 1}
                }
                """),
        Entry(
            name: "stuck-contact",
            json: """
                {
                  "about": "The door contact sticks open after an opening: an alarm, and phones open as before.",
                  "seconds": 60,
                  "phones": [
                    {"name": "first", "path": [{"at-ms": 500, "dbm": -45}], "expect": "opened"},
                    {"name": "second", "path": [{"at-ms": 45000, "dbm": -45}], "expect": "opened"}
                  ],
                  "events": [{"after-ms": 0, "do": "door closed"}, {"after-ms": 2500, "do": "door open"}],
                  "expect": {"openings": 2, "told": ["alarm: held open too long"]}
                }
                """),
        Entry(
            name: "forced",
            json: """
                {
                  "about": "The door opens without a grant: an alarm. A lockdown then refuses all credentials.",
                  "phones": [
                    {"name": "good", "path": [{"at-ms": 6000, "dbm": -45}], "attempts": 2, "expect": "denied"}
                  ],
                  "events": [{"after-ms": 0, "do": "door closed"}, {"after-ms": 3000, "do": "door open"},
                             {"after-ms": 5000, "do": "lockdown on"}],
                  "expect": {"openings": 0, "told": ["alarm: door forced", "lockdown: access is refused"]}
                }
                """),
        Entry(
            name: "fire",
            json: """
                {
                  "about": "A fire alarm during a lockdown: the door is free until it ends, then the lockdown holds again.",
                  "phones": [
                    {"name": "good", "path": [{"at-ms": 20000, "dbm": -45}], "attempts": 1, "expect": "denied"}
                  ],
                  "events": [{"after-ms": 1000, "do": "lockdown on"}, {"after-ms": 5000, "do": "fire on"},
                             {"after-ms": 15000, "do": "fire off"}],
                  "expect": {"openings": 1, "told": ["fire input active"]}
                }
                """),
        Entry(
            name: "interference",
            json: """
                {
                  "about": "Nothing is received for four seconds while a phone connects: it opens after that.",
                  "phones": [
                    {"name": "patient", "path": [{"at-ms": 500, "dbm": -45}], "expect": "opened", "within-ms": 15000}
                  ],
                  "events": [{"after-ms": 700, "do": "loss 100"}, {"after-ms": 4700, "do": "loss 0"}],
                  "expect": {"openings": 1}
                }
                """),
        Entry(
            name: "access-point",
            json: """
                {
                  "about": "A Wi-Fi access point near the reader takes a third of the time in bursts: all are let in.",
                  "seconds": 40,
                  "phones": [
                    {"name": "iphone", "phone": "iphone-foreground", "path": [{"at-ms": 1000, "dbm": -45}],
                     "expect": "opened", "within-ms": 10000},
                    {"name": "android", "phone": "android-foreground", "credential": {"id": "CRED000002"},
                     "path": [{"at-ms": 14000, "dbm": -45}], "expect": "opened", "within-ms": 10000}
                  ],
                  "events": [{"after-ms": 0, "do": "interference 33"}, {"after-ms": 30000, "do": "interference 0"}],
                  "expect": {"openings": 2}
                }
                """),
        Entry(
            name: "tampered",
            json: """
                {
                  "about": "The housing is opened at a reader that blocks then: an operator opens no more than a phone does.",
                  "reader": {"tamper": "block"},
                  "phones": [
                    {"name": "good", "path": [{"at-ms": 500, "dbm": -45}], "expect": "opened"},
                    {"name": "after", "path": [{"at-ms": 9000, "dbm": -45}], "attempts": 1, "expect": "denied"}
                  ],
                  "events": [{"after-ms": 7000, "do": "tamper on"}, {"after-ms": 12000, "do": "open"}],
                  "expect": {"openings": 1, "told": ["alarm: housing opened"]}
                }
                """),
        Entry(
            name: "visitor",
            json: """
                {
                  "about": "A visitor without a phone: the porter opens, and the visitor's own exit opens the second time.",
                  "phones": [],
                  "events": [{"after-ms": 2000, "do": "open"}, {"after-ms": 15000, "do": "exit on"},
                             {"after-ms": 15500, "do": "exit off"}],
                  "expect": {"openings": 2}
                }
                """),
    ]

    /// A door of a row of ten, ten metres apart.
    private static func door(_ number: Int) -> String {
        """
            {"name": "door \(number + 1)", "at": [\(10 * number - 45), 0], "pulse-s": 1}
        """
    }

    /// The wall between two of them.
    private static func partition(_ number: Int) -> String {
        let place = 10 * number - 40
        return """
                {"from": [\(place), -2], "to": [\(place), 12], "db": 20}
            """
    }

    /// A person of forty, who walks straight up to a door.
    private static func arriving(_ number: Int) -> String {
        let (door, turn) = (10 * (number % 10) - 45, number / 10)
        let start = 6000 * turn + 200 * (number % 10)
        let phone = number % 2 == 0 ? "iphone-foreground" : "android-foreground"
        return """
                {"name": "person \(number + 1)", "phone": "\(phone)", "connects-at-dbm": -60,
                 "path": [{"at-ms": \(start), "at": [\(door), 7]}, {"at-ms": \(start + 5000), "at": [\(door), 0.4]}],
                 "expect": "opened", "reader": "door \(number % 10 + 1)"}
            """
    }

    /// A person of the morning rush.
    private static func rushing(_ number: Int) -> String {
        let start = 2000 * number
        return """
                {"name": "person \(number + 1)", "credential": {"id": "CRED00000\(number)"},
                 "path": [{"at-ms": \(start), "metres": 5}, {"at-ms": \(start + 4000), "metres": 0.3},
                          {"at-ms": \(start + 9000), "metres": 0.3}, {"at-ms": \(start + 12000), "metres": 30}],
                 "expect": "opened"}
            """
    }
}

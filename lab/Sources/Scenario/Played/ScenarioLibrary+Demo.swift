// SPDX-License-Identifier: Apache-2.0

extension ScenarioLibrary {
    /// A door with people around it, to be moved: `readerlab web demo`. It has no end.
    public static let demo = Entry(
        name: "demo",
        json: """
            {
              "about": "A door and four people. Drag one to the reader, or behind a wall.",
              "seconds": 86400,
              "reader": {"pulse-s": 3},
              "walls": [
                {"from": [-4.5, 0.3], "to": [0.4, 0.3], "db": 15}, {"from": [1.4, 0.3], "to": [4.5, 0.3], "db": 15},
                {"from": [-4.5, 0.3], "to": [-4.5, 4], "db": 15}, {"from": [-4.5, 4], "to": [4.5, 4], "db": 15},
                {"from": [4.5, 0.3], "to": [4.5, 4], "db": 15}, {"from": [-2, -1.4], "to": [-0.5, -1.4], "db": 25}
              ],
              "phones": [
                {"name": "Anna", "path": [{"at-ms": 200, "at": [1, -7]}], "level-at-1m": -55, "exponent": 2.4,
                 "connects-at-dbm": -78, "again-s": 3},
                {"name": "Ben", "credential": {"id": "CRED000002"}, "carry": "pocket",
                 "path": [{"at-ms": 700, "at": [-3.5, -6]}], "level-at-1m": -55, "exponent": 2.4,
                 "connects-at-dbm": -78, "again-s": 3},
                {"name": "Guest", "credential": {"id": "GUEST1", "signed-by": "stranger"},
                 "path": [{"at-ms": 1200, "at": [3.7, -5]}], "level-at-1m": -55, "exponent": 2.4,
                 "connects-at-dbm": -78, "again-s": 3},
                {"name": "Cleo", "credential": {"id": "CRED000003"}, "path": [{"at-ms": 1700, "at": [-3, 3]}],
                 "level-at-1m": -55, "exponent": 2.4, "connects-at-dbm": -78, "again-s": 3}
              ]
            }
            """)
}

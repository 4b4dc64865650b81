// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Configuration

@Suite struct NearestNameTests {
    private let keys = SettingKey.all.map(\.name)

    @Test(arguments: [
        ("door.puls-s", "door.pulse-s"), ("door.pulse_s", "door.pulse-s"), ("Door.Pulse-S", "door.pulse-s"),
        ("pulse-s", "door.pulse-s"), ("door.rex", "gpio.rex"), ("hcl", "hci"), ("links.maximum", "links.max"),
        ("proximity.threshold-db", "proximity.threshold-dbm"),
        ("proximity.on-touch.sample", "proximity.on-touch.samples"),
    ])
    func finds(slip: String, meant: String) {
        #expect(NearestName.find(slip, in: keys) == meant)
    }

    @Test(arguments: ["", "site", "colour", "door.bell-melody", "x.y.z"])
    func doesNotGuess(name: String) {
        #expect(NearestName.find(name, in: keys) == nil)
    }

    @Test func distance() {
        #expect(NearestName.distance("", "") == 0)
        #expect(NearestName.distance("", "abc") == 3)
        #expect(NearestName.distance("abc", "") == 3)
        #expect(NearestName.distance("kitten", "sitting") == 3)
        #expect(NearestName.distance("abc", "acb") == 2)
    }
}

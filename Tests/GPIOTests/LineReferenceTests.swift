// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GPIO

@Suite struct LineReferenceTests {
    @Test(arguments: [
        ("gpiochip0:17", LineReference.Place.offset(chip: 0, line: 17)),
        ("/dev/gpiochip12:0", .offset(chip: 12, line: 0)),
        ("gpiochip4294967295:4294967295", .offset(chip: .max, line: .max)),
        ("RELAY", .name("RELAY")),
        ("P8:10", .name("P8:10")),
        ("17A", .name("17A")),
        ("GPIO17", .name("GPIO17")),
        ("[ethernet]", .name("[ethernet]")),
        ("a b", .name("a b")),
        ("chip0:17", .name("chip0:17")),
        (String(repeating: "x", count: 31), .name(String(repeating: "x", count: 31))),
    ])
    func reads(text: String, place: LineReference.Place) throws {
        let reference = try LineReference(text)
        #expect(reference.place == place)
        // The description parses to the same line.
        #expect(try LineReference(reference.description) == reference)
    }

    @Test(arguments: [
        ("", LineReferenceError.empty),
        ("gpiochip0", .offsetMissing("gpiochip0")),
        ("gpiochip0:", .notAnOffset("gpiochip0:")),
        ("gpiochip0:x", .notAnOffset("gpiochip0:x")),
        ("gpiochip0:1x", .notAnOffset("gpiochip0:1x")),
        ("gpiochip0:+1", .notAnOffset("gpiochip0:+1")),
        ("gpiochip0:-1", .notAnOffset("gpiochip0:-1")),
        ("gpiochip0: 1", .notAnOffset("gpiochip0: 1")),
        ("gpiochip0:1:2", .notAnOffset("gpiochip0:1:2")),
        ("gpiochip0:4294967296", .notAnOffset("gpiochip0:4294967296")),
        ("gpiochip:1", .notAChip("gpiochip:1")),
        ("gpiochip4294967296:1", .notAChip("gpiochip4294967296:1")),
        ("gpiochipX:1", .notAChip("gpiochipX:1")),
        ("/dev/gpio0:1", .notAChip("/dev/gpio0:1")),
        ("17", .chipMissing("17")),
        ("0", .chipMissing("0")),
        ("007", .chipMissing("007")),
        ("99999999999999999999", .chipMissing("99999999999999999999")),
        ("0:17", .chipMissing("0:17")),
        (":17", .chipMissing(":17")),
        (":", .chipMissing(":")),
        (" RELAY", .forbiddenCharacter),
        ("RELAY ", .forbiddenCharacter),
        (String(repeating: "x", count: 32), .nameTooLong(String(repeating: "x", count: 32))),
    ])
    func refuses(text: String, error: LineReferenceError) {
        #expect(throws: error) { try LineReference(text) }
        #expect(!error.description.contains("\n"))
    }

    @Test func refusesControlCharacters() {
        // Not arguments of the test, because arguments appear in its log.
        for text in ["RE\u{0}LAY", "RE\nLAY", "RE\u{7F}LAY", "\tRELAY"] {
            #expect(throws: LineReferenceError.forbiddenCharacter) { try LineReference(text) }
        }
    }
}

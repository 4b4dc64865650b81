// SPDX-License-Identifier: Apache-2.0

import JSON
import Testing

@Suite struct JSONObjectTests {
    @Test func membersKeepTheirOrder() {
        var inner = JSONObject()
        inner.add("z", -1)
        var object = JSONObject()
        #expect(object.text == "{}")
        object.add("b", "text")
        object.add("a", true)
        object.add("n", inner)
        object.add("l", json: "[1,null]")
        #expect(object.text == #"{"b":"text","a":true,"n":{"z":-1},"l":[1,null]}"#)
    }

    @Test func aLiteralLeavesOutWhatIsNil() {
        let absent: String? = nil
        let inner: JSONObject = ["z": -1]
        let object: JSONObject = [
            "b": "text", "x": absent, "a": [true], "n": inner, "o": absent.orNull, "e": JSONLiteral("[]"),
        ]
        #expect(object.text == #"{"b":"text","a":[true],"n":{"z":-1},"o":null,"e":[]}"#)
    }

    /// Any text is read back unchanged, and is one line.
    @Test func textsComeBack() throws {
        for text in ["", "\"\\/", "\u{0}\u{1}\n\r\t\u{1F}", "\u{7F}\u{85}\u{9F}", "\u{2028}\u{2029}", "é€😀"] {
            let written = JSONObject.quoted(text)
            #expect(!written.contains { $0.isNewline })
            #expect(try JSONParser.parse(Array(written.utf8)).content == .string(text))
        }
        // What controls a terminal, or hides text in it: C1, directions, joiners, what has no width.
        for scalar: Unicode.Scalar in ["\u{9B}", "\u{61C}", "\u{200B}", "\u{200F}", "\u{202E}", "\u{2066}", "\u{FEFF}"]
        {
            let digits = String(scalar.value, radix: 16)
            let zeros = String(repeating: "0", count: 4 - digits.count)
            #expect(JSONObject.quoted("\(scalar)") == "\"\\u\(zeros)\(digits)\"")
        }
        #expect(JSONObject.quoted("a\u{7}\"") == #""a\u0007\"""#)
    }
}

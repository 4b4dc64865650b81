// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import JSON
import System
import TestSupport
import Testing

@testable import readerd

/// Commands that ask a reader which is in foreign hands: nothing that it says controls the terminal of who asks.
@Suite struct HostileReaderTests {
    private static let escapes = "\u{1B}[2J\u{9B}2J\u{202E}\u{2028}\u{7}"

    /// The output of a command that is answered with this line.
    private func outcome(_ arguments: [String], answer: String) throws -> ProgramOutcome {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/s"
        let listener = try ControlListener.listen(at: path)
        let descriptor = listener.descriptor
        startThread {
            guard becomes(descriptor, POLLIN) else { return }
            let client = readerd_accept(descriptor)
            guard becomes(client, POLLIN) else { return }
            let line = Array((answer + "\n").utf8)
            _ = readerd_send(client, line, line.count)
            close(client)
        }
        return withExtendedLifetime(listener) { Program.outcome(of: arguments + ["--control", path]) }
    }

    private func expectHarmless(_ outcome: ProgramOutcome, location: SourceLocation = #_sourceLocation) {
        #expect(!(outcome.printed + outcome.complaints).isEmpty, sourceLocation: location)
        for text in outcome.printed + outcome.complaints {
            #expect(!text.unicodeScalars.contains { $0 != "\n" && ($0.value < 0x20 || 0x7F...0x9F ~= $0.value) })
            #expect(!text.unicodeScalars.contains { [0x202E, 0x2028].contains($0.value) }, sourceLocation: location)
        }
    }

    @Test func metricsAreText() throws {
        // C0 controls are escaped in JSON, and the text of the metrics is not.
        let text = #"# HELP x \u001b[2J\#(Self.escapes.dropFirst(4).filter { $0 != "\u{7}" })"# + #"\nx 1\n"#
        let outcome = try outcome(["metrics"], answer: #"{"ok":true,"metrics":"\#(text)"}"#)
        #expect(outcome.code == 0 && outcome.printed.first?.hasSuffix("\nx 1") == true)
        expectHarmless(outcome)
    }

    @Test func objectsAreEscapedAsJSONDoes() throws {
        let answer = #"{"ok":true,"device":"\#("\u{9B}2J\u{202E}\u{2028}")"}"#
        for command in ["status", "quiet", "unlock"] {
            let outcome = try outcome([command, "--json"], answer: answer)
            expectHarmless(outcome)
            let parsed = try JSONParser.parse(Array((outcome.printed.first ?? "").utf8))
            #expect(parsed["device"]?.text == "\u{9B}2J\u{202E}\u{2028}", "the same text")
        }
    }

    @Test func tablesAndReasonsAreText() throws {
        let text = JSONObject.quoted("\u{1B}[2J\u{9B}\u{202E}")
        expectHarmless(
            try outcome(["status"], answer: #"{"ok":true,"device":\#(text),"faults":[{"code":\#(text)}]}"#))
        expectHarmless(try outcome(["quiet"], answer: #"{"ok":true,"quiet":false,"disturbs":[\#(text)]}"#))
        expectHarmless(try outcome(["unlock"], answer: #"{"ok":false,"refused":\#(text),"why":\#(text)}"#))
    }

    /// A configuration, a path and an option with escapes.
    @Test func filesAndArgumentsAreText() throws {
        let directory = try TemporaryDirectory()
        try directory.write("c.toml", "\"\u{9B}2J\u{202E}\" = 1\n[\"\u{2028}x\"]\n")
        expectHarmless(Program.outcome(of: ["check-config", directory.path + "/c.toml"]))
        expectHarmless(Program.outcome(of: ["check-config", directory.path + "/\u{1B}[2J.toml"]))
        expectHarmless(Program.outcome(of: ["status", "--\u{1B}[2J"]))
        expectHarmless(Program.outcome(of: ["events", "--state", directory.path + "/\u{1B}[2J"]))
    }
}

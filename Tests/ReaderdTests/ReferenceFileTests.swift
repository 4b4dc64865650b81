// SPDX-License-Identifier: Apache-2.0

import Configuration
import Glibc
import Testing

@testable import readerd

@Suite(.serialized) struct ReferenceFileTests {
    /// `docs/readerd.toml` of this package.
    static let path: String = {
        // #filePath is …/Tests/ReaderdTests/ReferenceFileTests.swift
        let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
        return parts.joined(separator: "/") + "/docs/readerd.toml"
    }()

    private func file() throws -> String {
        let contents = try #require(try FileContents.read(Self.path, maximumCount: SettingsFile.maximumCount))
        return String(decoding: contents.octets, as: UTF8.self)
    }

    @Test func isWhatTheTableOfKeysSays() throws {
        if getenv("READERD_WRITE_REFERENCE") != nil {
            let stream = try #require(fopen(Self.path, "w"))
            fputs(ReferenceFile.text, stream)
            fclose(stream)
        }
        #expect(
            try file() == ReferenceFile.text,
            "write it anew with: READERD_WRITE_REFERENCE=1 swift test --filter ReferenceFileTests")
    }

    /// `docs/readerd.schema.json`
    @Test func theSchemaIsWhatTheTableOfKeysSays() throws {
        let path = String(Self.path.dropLast("toml".count)) + "schema.json"
        if getenv("READERD_WRITE_REFERENCE") != nil {
            let stream = try #require(fopen(path, "w"))
            fputs(ReferenceSchema.text, stream)
            fclose(stream)
        }
        let contents = try #require(try FileContents.read(path, maximumCount: SettingsFile.maximumCount))
        #expect(
            String(decoding: contents.octets, as: UTF8.self) == ReferenceSchema.text,
            "write it anew with: READERD_WRITE_REFERENCE=1 swift test --filter ReferenceFileTests")
    }

    /// The bounds of the schema are the decoder's; a value that is no number has its type from the decoder.
    @Test func theSchemasTypesAndBoundsAreTheDecoders() {
        func isTaken(_ key: SettingKey, _ value: String) -> Bool {
            !SettingsFile.decode(Array("\(key.name) = \(value)".utf8).span).diagnostics.contains {
                $0.severity == .fault && $0.key == key.name && $0.text.contains("needs \(key.takes)")
            }
        }
        for key in SettingKey.all {
            let value = key.written(ReaderSettings()) ?? key.example
            if case .some((let least, let most)) = ReferenceSchema.bounds(key.takes) {
                #expect(isTaken(key, "\(least)") && isTaken(key, "\(most)"), "\(key.name)")
                #expect(!isTaken(key, "\(least - 1)") && !isTaken(key, "\(most + 1)"), "\(key.name)")
            } else {
                // A key that takes a number says its bounds.
                #expect(["t", "f", "\"", "["].contains(value.first), "\(key.name) takes \(key.takes)")
            }
            for (first, other) in [("tf", "7"), ("\"", "true"), ("[", "\"x\""), ("0123456789-", "\"x\"")]
            where value.first.map(first.contains) ?? false { #expect(!isTaken(key, other), "\(key.name)") }
            guard key.takes.hasPrefix("\"") else { continue }
            for choice in ReferenceSchema.choices(key.takes) { #expect(isTaken(key, choice), "\(key.name)") }
            #expect(!isTaken(key, "\"none of them\""), "\(key.name)")
        }
    }

    @Test func isTheDefaultsAndHasNoFault() throws {
        let decoded = SettingsFile.decode(Array(try file().utf8).span)
        #expect(decoded.settings == ReaderSettings())
        #expect(decoded.diagnostics == [])
    }

    @Test func hasEveryKeyAndNoOther() throws {
        // A commented key begins right after the mark; prose has a space there.
        let lines = try file().split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.hasPrefix("#") && !line.hasPrefix("# ") ? String(line.dropFirst()) : String(line)
        }
        let entries = try TOMLDocument.entries(of: Array(lines.joined(separator: "\n").utf8).span).get()
        let paths = entries.filter { $0.index == nil && $0.value != .table }.map(\.path)
        #expect(paths.sorted() == SettingKey.all.map(\.name).sorted())
        #expect(Set(paths).count == paths.count)
    }

    @Test func everyExampleIsAValueOfItsKey() {
        for key in SettingKey.all where key.written(ReaderSettings()) == nil {
            let decoded = SettingsFile.decode(Array("\(key.name) = \(key.example)".utf8).span)
            #expect(!decoded.hasFaults, "\(key.name)")
            #expect(key.written(decoded.settings) == key.example)
        }
    }

    @Test func everyKeyHasAMeaning() {
        for key in SettingKey.all {
            #expect(key.meaning.hasSuffix(".") && !key.takes.isEmpty, "\(key.name)")
        }
    }
}

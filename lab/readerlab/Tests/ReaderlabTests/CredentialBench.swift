// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BuiltPrograms
import Glibc
import TestSupport
import Testing

@testable import BackEnd
@testable import readerlab

/// A directory with a backend's files, and the readers' state directories beside them.
final class CredentialBench {
    private let directory: TemporaryDirectory
    var path: String { directory.path }

    init() throws {
        directory = try TemporaryDirectory()
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    func write(_ name: String, _ octets: [UInt8]) throws {
        try directory.write(name, octets, mode: 0o600)
    }

    func text(_ name: String) throws -> String {
        String(decoding: try directory.octets(of: name), as: UTF8.self)
    }

    /// Runs a command of `readerlab credentials`; returns its lines.
    @discardableResult
    func run<Command: CredentialCommand>(_ type: Command.Type, _ arguments: String...) throws -> [String] {
        try run(type, arguments)
    }

    @discardableResult
    func run<Command: CredentialCommand>(_ type: Command.Type, _ arguments: [String]) throws -> [String] {
        try Command.parse(arguments).perform()
    }

    /// The message of the error that `body` throws, or nil.
    func failure(_ body: () throws -> Void) -> String? { thrown(body).map { "\($0)" } }

    /// Runs `readerd provision` on the reader's state directory; its output is kept as NAME.json.
    func provision(_ reader: String, _ arguments: String..., door: Int? = nil) throws {
        let place = door.map { ["--site-id", "1", "--door-id", "\($0)"] } ?? []
        let words =
            [
                "\(try BuiltPrograms.folder())/readerd", "provision", "--state", file(reader), "--json",
            ] + place + arguments
        let command = words.map { "'\($0)'" }.joined(separator: " ")
        try #require(system("\(command) >'\(file(reader)).json'") == 0, "\(command)")
    }

    func makeSite() throws {
        try run(NewSiteCommand.self, "--site", file("site.json"), "--id", "1", "--name", "Office")
    }

    /// Adds a reader, and keeps the printed signature key as NAME.pem.
    @discardableResult
    func addReader(_ reader: String, withKey: Bool = true) throws -> [String] {
        let key = withKey ? ["--public-key", file("\(reader).json")] : []
        let lines = try run(AddReaderCommand.self, [reader, "--site", file("site.json")] + key)
        try write("\(reader).pem", Array(lines.joined(separator: "\n").utf8))
        return lines
    }

    /// Makes a token for `tokn`, valid for all of 2026; returns its file, which replaces an earlier one.
    @discardableResult
    func commandToken(_ reader: String, _ arguments: String...) throws -> String {
        unlink(file("\(reader).token"))
        try run(
            CommandTokenCommand.self,
            [
                "--site", file("site.json"), "--reader", reader, "--credential", "ALICE00001", "--from", "2026-01-01",
                "--to", "2026-12-31", "--out", file("\(reader).token"),
            ] + arguments)
        return file("\(reader).token")
    }

    /// Makes a credential; returns its file.
    func offlineToken(_ reader: String, _ arguments: [String]) throws -> String {
        unlink(file("\(reader).token"))
        try run(
            OfflineTokenCommand.self,
            [
                "--site", file("site.json"), "--reader", reader, "--credential", "ALICE00001", "--to", "2026-12-31",
                "--out", file("\(reader).token"),
            ] + arguments)
        return file("\(reader).token")
    }

    /// Makes the bundle for a phone with these tokens, phone.json.
    @discardableResult
    func bundle(_ tokens: [String]) throws -> PhoneBundle {
        unlink(file("phone.json"))
        try run(
            PhoneBundleCommand.self,
            ["--site", file("site.json"), "--out", file("phone.json")] + tokens.flatMap { ["--token", $0] })
        return try CredentialStore.bundle(file("phone.json"))
    }
}

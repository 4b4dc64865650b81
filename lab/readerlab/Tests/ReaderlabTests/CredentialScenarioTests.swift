// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Configuration
import Crypto
import Peripheral
import Phone
import Protobuf
import Proximity
import Reader
import Scenario
import Testing
import Timekeeping
import VirtualRadio

@testable import BackEnd
@testable import readerlab

/// From a new reader to a phone that opens its door: `readerd provision`, `readerlab credentials`, and the virtual air,
/// whose clock starts at Saturday, 21 November 2026, 12:00.
@Suite struct CredentialScenarioTests {
    private let bench: CredentialBench

    init() throws {
        bench = try CredentialBench()
        try bench.makeSite()
        try bench.provision("front", door: 7)
        try bench.addReader("front")
        try bench.provision("front", "--add-signature-key", bench.file("front.pem"))
    }

    /// The outcome for a phone that stands at the door with the first token of the bundle.
    private struct Visit {
        var lockWasOpened: Bool
        var failure: PhoneFailure?
        var result: OssAccessResult?
        var violations: [String]
    }

    /// Brings a phone with the bundle to the reader, which runs with the identity in its state directory.
    private func visit(_ reader: String, _ bundle: PhoneBundle, groups: [String] = []) throws -> Visit {
        let provisioned = try ProvisionedReader(state: bench.file(reader))
        let identity = provisioned.identity
        #expect(!identity.isDemo)
        var settings = ReaderSettings()
        settings.credentials.groups = groups.compactMap { GroupLine($0) }
        (settings.reader.siteID, settings.reader.doorID) = (provisioned.siteID, provisioned.doorID)
        var configuration = AccessConfiguration(modes: [
            .init(mode: .access, address: .randomStatic(from: 0x0123_4567_89AC), gate: .init())
        ])
        configuration.version.buildTime = UInt32(VirtualSite.epochAtStart)
        configuration.credentials = settings.credentialPolicy
        let site = try VirtualSite(seed: 1, configuration: configuration, identity: identity)
        let known = try #require(bundle.readers.first { $0.deviceID == identity.deviceID } ?? bundle.readers.first)
        var phone = AccessPhoneConfiguration(
            service: configuration.identifiers.accessService, token: try #require(known.tokens.first?.octets),
            terminal: try #require(known.publicKey()))
        phone.attempts = 1
        site.add(PhonePlan("phone", phone, .standing(from: .milliseconds(100), -45)))
        site.run(until: .seconds(4))
        var visit = Visit(
            lockWasOpened: site.readers[0].lines.edges(of: .lock).contains { $0.level }, violations: site.violations)
        for (_, _, notice) in site.phoneNotices {
            switch notice {
            case .completed(let data):
                visit.result = (try? OssAccessEventsResult(decodingDelimited: data.span))?.accessResult
            case .failed(let failure): visit.failure = failure
            default: break
            }
        }
        #expect(visit.violations == [])
        return visit
    }

    @Test func aCommandTokenOpens() throws {
        let visit = try visit("front", bench.bundle([bench.commandToken("front")]))
        #expect(visit.lockWasOpened && visit.failure == nil)
    }

    @Test func anOfflineCredentialOpensItsDoorInItsTime() throws {
        let cases: [([String], Bool, scheduleMismatch: Bool)] = [
            ([], true, false),
            (["--from", "2026-11-21T12:00", "--door", "7 sat 09:00-13:00"], true, false),
            (["--door", "7 mon-fri 07:00-19:00"], false, true),
            (["--door", "8"], false, false),
            (["--group", "12 sat,sun 00:00-24:00"], true, false),
            (["--group", "13"], false, false),
            (["--group", "0"], true, false),
            (["--group", "0 mon-fri 07:00-19:00"], false, true),
            (["--from", "2026-11-21T12:01"], false, false),
        ]
        for (arguments, opens, mismatch) in cases {
            let token = try bench.offlineToken("front", arguments)
            let visit = try visit("front", bench.bundle([token]), groups: ["12"])
            #expect(visit.lockWasOpened == opens && visit.failure == nil, "\(arguments)")
            #expect(visit.result?.accessGranted == opens, "\(arguments)")
            #expect(visit.result?.scheduleMissmatch == mismatch, "\(arguments)")
        }
    }

    /// A separate signature key: a token for one reader opens no other.
    @Test func aTokenForAnotherReaderDoesNotOpen() throws {
        try bench.provision("back", door: 7)
        try bench.addReader("back")
        try bench.provision("back", "--add-signature-key", bench.file("back.pem"))
        var bundle = try bench.bundle([bench.commandToken("front"), bench.commandToken("back")])
        #expect(bundle.readers.map(\.name) == ["front", "back"])
        let (front, back) = (bundle.readers[0].tokens, bundle.readers[1].tokens)
        #expect(try visit("front", bundle).lockWasOpened && visit("back", bundle).lockWasOpened)
        (bundle.readers[0].tokens, bundle.readers[1].tokens) = (back, front)
        for reader in ["front", "back"] {
            let visit = try visit(reader, bundle)
            #expect(!visit.lockWasOpened && visit.failure?.terminal == .signature)
        }
    }

    @Test func anOldSignatureKeyCountsUntilItsDate() throws {
        let old = try bench.bundle([bench.commandToken("front")])
        let lines = try bench.run(RotateReaderCommand.self, "front", "--site", bench.file("site.json"))
        try bench.write("new.pem", Array(lines.joined(separator: "\n").utf8))
        let new = try bench.bundle([bench.commandToken("front")])
        #expect(try visit("front", new).failure?.terminal == .signature, "the reader does not know it yet")
        try bench.provision(
            "front", "--add-signature-key", bench.file("new.pem"), "--old-key-until", "2026-11-21T12:00")
        #expect(try visit("front", old).lockWasOpened && visit("front", new).lockWasOpened)

        try bench.write("third.pem", Array(try rotated().utf8))
        try bench.provision(
            "front", "--add-signature-key", bench.file("third.pem"), "--old-key-until", "2026-11-21T11:59")
        let late = try visit("front", new)
        #expect(!late.lockWasOpened && late.failure?.terminal == .signature)
        #expect(try visit("front", bench.bundle([bench.commandToken("front")])).lockWasOpened)
    }

    private func rotated() throws -> String {
        try bench.run(RotateReaderCommand.self, "front", "--site", bench.file("site.json")).joined(separator: "\n")
    }

    /// Phones identify a reader by its key: one with a new key is unknown to them until they receive a new bundle.
    @Test func aNewTerminalKeyIsTakenOverByTheNextBundle() throws {
        let token = try bench.commandToken("front")
        let old = try bench.bundle([token])
        try bench.provision("front", "--rotate-terminal-key")
        let visitBefore = try visit("front", old)
        #expect(!visitBefore.lockWasOpened && visitBefore.failure == PhoneFailure(.signature))
        try bench.run(
            UpdateReaderCommand.self, "front", "--site", bench.file("site.json"), "--public-key",
            bench.file("front.json"))
        #expect(try visit("front", bench.bundle([token])).lockWasOpened)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Contactless
import Credentials
import Crypto
import TestSupport
import Testing
import Timekeeping

/// The Aliro reader that fails against the phone of this library, and the phone that fails against it.
@Suite struct AliroTrialReaderTests {
    private static let moment = Moment(instant: .origin, epochSeconds: 1_795_867_200)

    private let reader: AliroReader
    private let store: AliroStore
    private let key: P256PrivateKey

    init() throws {
        let identifier = try #require(
            AliroReader.Identifier(group: .init(repeating: 0xA6, count: 16), sub: .init(repeating: 0x56, count: 16)))
        reader = AliroReader(key: try P256PrivateKey.generate(), identifier: identifier)
        key = try P256PrivateKey.generate()
        var store = AliroStore(binding: reader.binding)
        let isAdded = store.add(AliroCredential(key.publicKey))
        try #require(isAdded)
        self.store = store
    }

    /// One transaction of a reader and a phone with these faults.
    private func tap(
        _ fault: AliroReaderFault?, phone phoneFault: AliroPhoneFault? = nil, knowsPhone: Bool = true
    ) throws -> (AliroTrialReader.Result, AliroPhone) {
        var random = SplitMix64(seed: 5)
        let store = knowsPhone ? store : AliroStore(binding: reader.binding)
        var trial = try AliroTrialReader(
            reader, store: store, fault: fault, at: AliroTrialReaderTests.moment, random: &random)
        let point = reader.key.publicPoint.octets
        let trust = try #require(
            AliroPhone.Trust(group: reader.identifier.group, point: try P256PublicKey(point: point.span)))
        var phone = AliroPhone(key, trust: trust, activation: CardActivation(random: (1, 2, 3)), fault: phoneFault)
        var command = trial.start()
        for _ in 0..<200 {
            guard let next = command else { break }
            if let response = phone.respond(to: next, random: &random) {
                command = trial.receive(response)
            } else {
                trial.lost()
                command = nil
            }
        }
        #expect(command == nil)
        return (trial.result, phone)
    }

    @Test("A right reader and a right phone")
    func right() throws {
        let (result, phone) = try tap(nil)
        #expect(result.findings == [] && result.refusal == nil && !result.hasFailed)
        let point = key.publicPoint.octets
        #expect(result.identity == point.indices.map { point[$0] })
        #expect(phone.tap.isGranted && phone.findings == [])
    }

    @Test("A phone that is not listed is refused without a finding")
    func stranger() throws {
        let (result, phone) = try tap(nil, knowsPhone: false)
        #expect(result.refusal == .unknown && result.findings == [])
        #expect(phone.tap.status == [0x00, 0x01])
    }

    @Test("A right phone has no finding with any fault of the reader", arguments: AliroReaderFault.all.map(\.name))
    func faults(_ name: String) throws {
        let fault = try #require(AliroReaderFault.named(name))
        let (result, _) = try tap(fault)
        #expect(result.hasFailed)
        #expect(result.findings == [], "\(fault.action)")
        switch fault.reaction {
        case .goesOn: #expect(result.identity != nil && result.refusal == nil)
        case .refuses(let word):
            #expect(result.word.map { String($0, radix: 16, uppercase: true) } == word, "\(fault.action)")
        }
    }

    @Test("A wrong phone has a finding", arguments: AliroPhoneFault.all.map(\.name))
    func phones(_ name: String) throws {
        let fault = try #require(AliroPhoneFault.named(name))
        let (result, phone) = try tap(nil, phone: fault)
        switch fault.reaction {
        case .goesOn, .needsClock: #expect(result.findings == [] && result.identity != nil)
        // The first answer of a phone that repeats one is right.
        case .refuses, .staysShut, .hasOpened:
            if phone.tap.hasFailed { #expect(result.findings.count == 1) }
        }
    }

    @Test("A phone that goes on with a wrong reader has a finding")
    func goesOn() throws {
        var random = SplitMix64(seed: 5)
        let fault = try #require(AliroReaderFault.named("other-application"))
        var trial = try AliroTrialReader(
            reader, store: store, fault: fault, at: AliroTrialReaderTests.moment, random: &random)
        _ = trial.start()
        let control = trial.receive(octets("9000"))
        #expect(control.map { hex($0) } == "803c000006410100420100")
        #expect(trial.receive(octets("9000")) == nil)
        #expect(trial.result.findings == ["the phone goes on with a reader that selects an unknown application"])
        #expect(trial.result.word == 0x9000)
    }

    @Test("A phone that sends no status word, or nothing, has a finding")
    func silence() throws {
        var random = SplitMix64(seed: 5)
        var trial = try AliroTrialReader(reader, store: store, at: AliroTrialReaderTests.moment, random: &random)
        _ = trial.start()
        #expect(trial.receive([0x90]) == nil)
        #expect(trial.result.findings == ["a response without a status word"])
        trial = try AliroTrialReader(reader, store: store, at: AliroTrialReaderTests.moment, random: &random)
        _ = trial.start()
        trial.lost()
        #expect(trial.result.findings == ["the phone does not respond to SELECT"])
    }

    @Test("Names are unique")
    func names() {
        #expect(Set(AliroReaderFault.all.map(\.name)).count == AliroReaderFault.all.count)
        #expect(AliroReaderFault.named("none") == nil)
    }
}

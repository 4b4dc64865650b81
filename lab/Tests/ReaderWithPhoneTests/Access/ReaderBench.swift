// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Crypto
import Peripheral
import Phone
import TestSupport
import Testing
import Timekeeping

@testable import Reader
@testable import ReaderTestSupport

/// A reader on a fake host, and what a test does with it; the time is the test's.
struct ReaderBench: ~Copyable {
    var reader: AccessReader
    var port = FakePort()
    var random = CountingRandom()
    var now = Instant.origin
    /// 2026-11-21 12:00:00 UTC, or what the test says.
    var epochSeconds: Int64? = 1_795_262_400
    /// The latest time that the clock has shown; nil if it is the present one.
    var latestSeconds: Int64?
    let table: AccessTable
    var notices: [ReaderNotice] = []

    static let controller = ControllerDescription(
        hciVersion: 0x0D, manufacturer: 0, extendedAdvertising: true, advertisingSets: 4, readsRSSI: true,
        aclDataLength: 251, aclPackets: 8)

    init(
        door: DoorConfiguration = DoorConfiguration(), _ change: (inout AccessConfiguration) -> Void = { _ in },
        controller: ControllerDescription? = nil
    ) throws {
        var configuration = AccessConfiguration(modes: [
            .init(mode: .onTouch, address: .randomStatic(from: 1), gate: .init()),
            .init(mode: .access, address: .randomStatic(from: 2), gate: .init()),
            .init(mode: .classic, address: .randomStatic(from: 3), gate: nil),
        ])
        change(&configuration)
        let identity = try ReaderIdentity.demo()
        table = try .demo(configuration)
        reader = AccessReader(
            configuration: configuration, identity: identity, table: table, door: door)
        reader.startDoor(at: now)
        reader.doorActions = []
        event(.ready(controller ?? ReaderBench.controller))
    }

    mutating func event(_ event: HostEvent) {
        let moment = Moment(instant: now, epochSeconds: epochSeconds, latestSeconds: latestSeconds)
        reader.receive(event, port: &port, random: &random, at: moment)
        collect()
    }

    /// Lets time pass until `milliseconds`, calling the reader whenever it wants.
    mutating func pass(until milliseconds: Int) {
        let end = Instant.origin + .milliseconds(milliseconds)
        while let deadline = reader.nextDeadline, deadline <= end {
            now = max(now, deadline)
            reader.advance(to: Moment(instant: now, epochSeconds: epochSeconds), port: &port)
        }
        now = end
        collect()
    }

    /// A phone connects to the advertising set; its address is made of `phone`.
    mutating func connect(_ slot: Int, generation: UInt32, set: UInt8? = 2, phone: UInt64 = 100) -> LinkID {
        let link = LinkID(slot: slot, generation: generation)
        event(
            .connected(
                link,
                LinkDescription(
                    peer: .randomStatic(from: phone), advertisingSet: set, interval: .milliseconds(25))))
        return link
    }

    /// Three readings of the same strength.
    mutating func measure(_ link: LinkID, _ dBm: Int8) {
        for _ in 0..<3 { event(.rssi(link, .value(dBm))) }
    }

    mutating func write(_ link: LinkID, _ frame: [UInt8], service: Int = 0) {
        port.eventOctets = frame
        event(.written(link, table.services[service].rx, value: 0..<frame.count))
    }

    private mutating func collect() {
        while let notice = reader.nextNotice() { notices.append(notice) }
    }

    /// The notices since the last call.
    mutating func takeNotices() -> [ReaderNotice] {
        defer { notices = [] }
        return notices
    }

    /// Runs one exchange of a phone on the link: what the phone made of it.
    mutating func exchange(_ link: LinkID, token: [UInt8], service: Int = 0) throws -> PhoneStep {
        var phone = PhoneSession()
        var step = phone.start(token: token.span, terminal: try DemoKeys.terminal(), random: &random)
        var frame: [UInt8] = []
        for _ in 0..<8 {
            guard step == .send else { return step }
            while phone.nextFrame(limit: port.mtu - 3, into: &frame) { write(link, frame, service: service) }
            let answers = port.notified
            port.notified = []
            if answers.isEmpty { return step }
            for (_, _, answer) in answers { step = phone.receive(answer.span, random: &random) }
        }
        return step
    }

    static func token(
        _ command: CommandName, from: Int = 2020, through: Int = 2030, key: P256PrivateKey? = nil
    ) throws -> [UInt8] {
        let issuer = try key.map { TokenIssuer(signatureKey: $0) } ?? TokenIssuer.demo()
        let validity = TokenValidity(
            from: CivilTime(year: from, month: 1, day: 1), through: CivilTime(year: through, month: 1, day: 1))
        return try issuer.commandToken(credentialID: "CRED000001", command: command, validity: validity)
    }
}

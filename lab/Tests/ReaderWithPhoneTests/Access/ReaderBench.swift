// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Crypto
import Peripheral
import Phone
import Proximity
import TestSupport
import Testing
import Timekeeping
import VirtualTime

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

    var moment: Moment { Moment(instant: now, epochSeconds: epochSeconds, latestSeconds: latestSeconds) }

    mutating func event(_ event: HostEvent) {
        reader.receive(event, port: &port, random: &random, at: moment)
        collect()
    }

    /// Lets time pass until `milliseconds`, calling the reader whenever it wants; the wall clock stands still.
    mutating func pass(until milliseconds: Int) {
        let end = Instant.origin + .milliseconds(milliseconds)
        now = elapse(from: now, to: end, deadline: { reader.nextDeadline }) {
            now = $0
            reader.advance(to: moment, port: &port)
        }
        collect()
    }

    /// Lets time pass, calling the reader whenever it wants; the wall clock goes along.
    mutating func run(_ duration: Duration) {
        let wall = VirtualWall(epochSeconds, at: now)
        let end = elapse(from: now, to: now + duration, deadline: { reader.nextDeadline }) {
            (now, epochSeconds) = ($0, wall.moment($0).epochSeconds)
            reader.advance(to: moment, port: &port)
        }
        (now, epochSeconds) = (end, wall.moment(end).epochSeconds)
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

    /// The disk has the record of an opening, or has not: what is opened, and what the phone is answered.
    mutating func decide(_ token: OpeningToken, _ status: StatusCode) {
        reader.decideOpening(token, status, port: &port, at: moment)
    }

    mutating func collect() { notices += all { reader.nextNotice() } }

    /// The notices since the last call.
    mutating func takeNotices() -> [ReaderNotice] { Swift.exchange(&notices, with: []) }

    /// Runs one exchange of a phone on the link: what the phone made of it.
    mutating func exchange(_ link: LinkID, token: [UInt8], service: Int = 0) throws -> PhoneStep {
        var phone = PhoneSession()
        var step = phone.start(token: token.span, terminal: try DemoKeys.terminal(), random: &random)
        for _ in 0..<8 {
            guard step == .send else { return step }
            for frame in allPackets({ phone.nextFrame(limit: port.mtu - 3, into: &$0) }) {
                write(link, frame, service: service)
            }
            let answers = Swift.exchange(&port.notified, with: [])
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

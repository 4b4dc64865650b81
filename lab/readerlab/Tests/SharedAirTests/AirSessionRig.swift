// SPDX-License-Identifier: Apache-2.0

import Console
import TestSupport
import Timekeeping
import VirtualRadio
import VirtualTime

@testable import SharedAir

/// An air with a reader and a phone on a virtual clock, whose hosts are the octets that a test sends.
final class AirSessionRig {
    static let reader = 0
    static let phone = 1

    let session: AirSession
    private(set) var now = Instant(nanoseconds: 5_000_000_000)
    /// The octets that hosts have taken, by place.
    var taken: [[UInt8]] = [[], []]

    init(_ plans: [PlacePlan] = PlacePlan.usual) {
        session = AirSession(plans, seed: 1, start: now)
        taken = plans.map { _ in [] }
    }

    /// Sends octets as the host of a place, which takes what there is for it.
    func send(_ octets: [UInt8], from place: Int, takes: Bool = true) {
        session.receive(octets.span, at: place, now: now)
        if takes { drain(place) }
    }

    func drain(_ place: Int) { session.takePackets(from: place, room: .max, into: &taken[place]) }

    /// Runs the air, with hosts that take what there is.
    func run(_ duration: Duration) {
        now = elapse(from: now, to: now + duration, deadline: { session.nextDeadline }) {
            session.advance(to: $0)
            for place in session.places.indices { drain(place) }
        }
        session.advance(to: now)
    }

    /// The lines so far, without their times.
    func lines() -> [String] {
        all { session.nextNotice() }.map { "\($0.place ?? "air"): \($0.sentence)" }
    }

    /// Carries out a line; the lines of the answer.
    func order(_ line: String) throws -> [String] {
        session.execute(try AirOrder(line: line, places: session.names), at: now).lines
    }

    /// Both hosts come; the reader advertises every 20 ms, and the phone connects to it with an interval of 30 ms and a
    /// supervision time-out of 1 s (Core 5.4, Vol 4, Part E, 7.8.5, 7.8.9, 7.8.12).
    func connect() {
        for place in [AirSessionRig.reader, AirSessionRig.phone] {
            _ = session.enter(place, at: now)
            send([0x01, 0x03, 0x0C, 0x00], from: place)
        }
        send([0x01, 0x06, 0x20, 0x0F, 0x20, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0], from: AirSessionRig.reader)
        send([0x01, 0x0A, 0x20, 0x01, 0x01], from: AirSessionRig.reader)
        send(
            [0x01, 0x0D, 0x20, 0x19, 0x10, 0, 0x10, 0, 0, 0, 0x01, 0x53, 0, 0x5E, 0, 0, 0]
                + [24, 0, 24, 0, 0, 0, 100, 0, 0, 0, 0, 0], from: AirSessionRig.phone)
        run(.milliseconds(100))
    }
}

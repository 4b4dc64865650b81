// SPDX-License-Identifier: Apache-2.0

public import HostLoop
public import Timekeeping
public import VirtualRadio

/// A host on the virtual air, with its controller.
public protocol AirParty: AnyObject {
    /// The next time at which `advance` is needed.
    var nextDeadline: Instant? { get }
    /// Performs everything that is due.
    func advance(to now: Instant)
    /// Exchanges packets between host and controller; returns whether there were any.
    func settle(at now: Instant) -> Bool
}

extension Air {
    /// Lets time pass for these parties, or until `isOver` after a step; returns whether it was.
    @discardableResult
    public func run(_ duration: Duration, _ parties: [any AirParty], until isOver: () -> Bool = { false }) -> Bool {
        run(
            until: now + duration,
            deadline: { parties.reduce(nil) { Instant.earlier($0, $1.nextDeadline) } },
            step: {
                for party in parties { party.advance(to: now) }
                settle(parties)
                return isOver()
            })
    }

    /// Exchanges packets until no party has any.
    public func settle(_ parties: [any AirParty]) {
        var moves = true
        while moves {
            moves = false
            for party in parties where party.settle(at: now) { moves = true }
        }
    }
}

/// A party whose host is a value.
public final class HostedParty<Host: HostedDevice & ~Copyable>: AirParty {
    /// The host.
    public var host: Host
    /// Its controller.
    public let controller: VirtualController
    /// True if the packets of the host get lost on their way to the controller.
    public var losesPackets = false

    /// Joins a host that is not started to its controller.
    public init(_ host: consuming Host, _ controller: VirtualController) {
        self.host = host
        self.controller = controller
    }

    /// That of the host.
    public var nextDeadline: Instant? { host.nextDeadline }

    /// Calls the host if it is due.
    public func advance(to now: Instant) {
        if let due = host.nextDeadline, due <= now { host.advance(to: now) }
    }

    /// Exchanges packets with the controller.
    public func settle(at now: Instant) -> Bool {
        if losesPackets {
            var packet: [UInt8] = []
            while host.popPacket(into: &packet) {}
        }
        return controller.exchange(
            pop: { !losesPackets && host.popPacket(into: &$0) }, receive: { host.receive($0, at: now) })
    }
}

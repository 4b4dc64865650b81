// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral
import Reader
import Timekeeping

/// Stands for the host: records what the reader asks of it. The real one is tested in PeripheralTests, and both
/// together in ScenarioTests.
struct FakePort: ReaderPort {
    enum Request: Equatable {
        case disconnect(LinkID, LinkEndReason)
        case readRSSI(LinkID)
        case readTransmitPower(LinkID)
        case advertise(Bool)
        case closeChannel(LinkID, ChannelID)
    }

    var requests: [Request] = []
    /// The notified values: link, characteristic, value.
    var notified: [(LinkID, AttributeHandle, [UInt8])] = []
    /// The sent SDUs.
    var units: [(LinkID, ChannelID, [UInt8])] = []
    /// True while the host has no room for a unit.
    var isBusy = false
    var mtu = 247
    /// The outcomes of the next notifications; accepted when empty.
    var outcomes: [NotificationOutcome] = []
    var eventOctets: [UInt8] = []
    /// Links whose last RSSI read was not answered.
    var outstanding: Set<LinkID> = []

    mutating func disconnect(_ link: LinkID, _ reason: LinkEndReason, at now: Instant) {
        requests.append(.disconnect(link, reason))
    }

    mutating func readRSSI(_ link: LinkID, at now: Instant) -> Bool {
        guard outstanding.insert(link).inserted else { return false }
        requests.append(.readRSSI(link))
        return true
    }

    mutating func readTransmitPower(_ link: LinkID, at now: Instant) { requests.append(.readTransmitPower(link)) }

    mutating func notify(
        _ link: LinkID, _ attribute: AttributeHandle, _ value: Span<UInt8>, at now: Instant
    ) -> NotificationOutcome {
        let outcome = outcomes.isEmpty ? .accepted : outcomes.removeFirst()
        if outcome == .accepted {
            var octets: [UInt8] = []
            octets.append(value)
            notified.append((link, attribute, octets))
        }
        return outcome
    }

    func attMTU(_ link: LinkID) -> Int { mtu }

    mutating func send(
        _ link: LinkID, _ channel: ChannelID, _ unit: Span<UInt8>, at now: Instant
    ) -> ChannelSendOutcome {
        guard !isBusy else { return .busy }
        var octets: [UInt8] = []
        octets.append(unit)
        units.append((link, channel, octets))
        return .accepted
    }

    mutating func closeChannel(_ link: LinkID, _ channel: ChannelID, at now: Instant) {
        requests.append(.closeChannel(link, channel))
    }

    mutating func setAdvertising(enabled: Bool, at now: Instant) {
        requests.append(.advertise(enabled))
    }

    /// The requests since the last call.
    mutating func takeRequests() -> [Request] { exchange(&requests, with: []) }
}

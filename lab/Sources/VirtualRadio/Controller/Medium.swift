// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Timekeeping

/// The air as a controller sees it: time, numbers, and the notices that the controller gives.
protocol Medium: AnyObject {
    var now: Instant { get }

    /// A unique number, for runs of advertisers, scanners and tests.
    func nextNumber() -> UInt64

    /// Schedules an occurrence.
    func add(_ occurrence: Occurrence, at time: Instant)

    /// Schedules the next packets of a controller's transmitter test.
    func scheduleTest(_ controller: VirtualController)

    /// Sends the packets of all tests up to now.
    func transmitPendingTestPackets()

    /// Records that a controller has packets for its host.
    func wake(_ controller: VirtualController)

    /// Reports the end of a link at a controller; without a reason after a reset.
    func linkEnded(_ link: UInt64, at controller: VirtualController, reason: HCIStatus?)

    /// Captures a packet between a controller and its host.
    func capture(_ packet: Span<UInt8>, of controller: VirtualController, isReceived: Bool)

    /// The data channels in use by a link; nil for an unknown link.
    func channelMap(ofLink link: UInt64) -> ChannelMap?
}

/// A scheduled event on the air, which is ignored if its subject no longer exists.
enum Occurrence: Equatable {
    /// The next advertising event, or the end, of the advertiser's run with this number.
    case advertising(controller: Int, run: UInt64)
    /// The next connection event of a link, or the time-out of either end.
    case link(UInt64)
    /// The end of a scan of limited duration.
    case scanEnd(controller: Int, run: UInt64)
    /// The next packets of the transmitter test with this number.
    case test(controller: Int, run: UInt64)
}

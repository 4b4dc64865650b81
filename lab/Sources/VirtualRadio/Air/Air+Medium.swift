// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Timekeeping

extension Air: Medium {
    func add(_ occurrence: Occurrence, at time: Instant) { schedule.add(occurrence, at: time) }

    func wake(_ controller: VirtualController) {
        controller.isAwake = true
        awake.append(controller.index)
    }

    func nextNumber() -> UInt64 {
        numbers += 1
        return numbers
    }

    func linkEnded(_ link: UInt64, at controller: VirtualController, reason: HCIStatus?) {
        report(.ended(link, at: controller, reason: reason))
    }

    func capture(_ packet: Span<UInt8>, of controller: VirtualController, isReceived: Bool) {
        capture?.host(packet, of: controller, isReceived: isReceived, at: now)
    }

    func channelMap(ofLink link: UInt64) -> ChannelMap? { links[link]?.channelMap }
}

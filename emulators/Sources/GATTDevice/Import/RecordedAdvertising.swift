// SPDX-License-Identifier: Apache-2.0

import Peripheral

/// The packets that a device advertises in a capture, in the order of their first appearance.
struct RecordedAdvertising {
    /// A packet, with the scan response that belongs to it.
    struct Packet: Equatable {
        var kind: AdvertisingSet.Kind
        var data: [UInt8]
        var scanResponse: [UInt8] = []
        /// Nil if the capture does not show it.
        var interval: Duration?
    }

    /// The packets that a device can play.
    private(set) var packets: [Packet] = []
    /// The number of further packets, beyond the maximum of sets.
    private(set) var left = 0
    /// True if there were packets of extended advertising or directed ones, which cannot be played.
    private(set) var hasOthers = false
    /// The index of the last reported packet, to which a scan response belongs.
    private var last: Int?

    /// A packet reported by a controller, or configured at one.
    mutating func add(_ packet: Packet) {
        guard max(packet.data.count, packet.scanResponse.count) <= AdvertisingSet.maximumDataCount else {
            return hasOthers = true
        }
        if let known = packets.firstIndex(where: { $0.kind == packet.kind && $0.data == packet.data }) {
            last = known
            if !packet.scanResponse.isEmpty { packets[known].scanResponse = packet.scanResponse }
            return
        }
        guard packets.count < DeviceAdvertising.maximumSets else {
            last = nil
            return left += 1
        }
        packets.append(packet)
        last = packets.count - 1
    }

    /// A scan response. The first one of a packet is kept.
    mutating func respond(_ data: [UInt8]) {
        guard data.count <= AdvertisingSet.maximumDataCount else { return hasOthers = true }
        guard let last, packets[last].kind != .nonConnectable, packets[last].scanResponse.isEmpty else { return }
        packets[last].scanResponse = data
    }

    /// A packet that cannot be played.
    mutating func addOther() { hasOthers = true }

    /// The name in the packets; nil if they have none (Assigned Numbers, 2.3: 0x08, 0x09).
    var name: String? {
        for packet in packets {
            for data in [packet.data, packet.scanResponse] {
                var index = 0
                while index + 1 < data.count, data[index] > 1 {
                    let end = min(index + 1 + Int(data[index]), data.count)
                    if data[index + 1] == 0x08 || data[index + 1] == 0x09 {
                        return String(validating: data[(index + 2)..<end], as: UTF8.self)
                    }
                    index = end
                }
            }
        }
        return nil
    }
}

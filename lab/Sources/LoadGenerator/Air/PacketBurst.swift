// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral

/// Packets for the host in order, in reused memory.
struct PacketBurst {
    /// The end of a packet, and the link whose request it completes.
    struct Mark: Equatable {
        var end: Int
        /// The link; negative if no response is awaited.
        var link: Int
    }

    private(set) var octets: [UInt8] = []
    private(set) var marks: [Mark] = []

    var isEmpty: Bool { marks.isEmpty }

    /// Appends the packet that `write` appends. `link` is the link on which a response is awaited.
    mutating func append(link: Int = -1, _ write: (inout [UInt8]) -> Void) {
        write(&octets)
        marks.append(Mark(end: octets.count, link: link))
    }

    /// Appends an event; its ranges refer to `source`.
    mutating func append(_ event: HCIEvent, _ source: [UInt8] = []) {
        append { event.append(to: &$0, source.span) }
    }

    mutating func removeAll() {
        octets.removeAll(keepingCapacity: true)
        marks.removeAll(keepingCapacity: true)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterTLV

/// A record for resuming a session without certificates: the shared secret, and the peer that it authenticates.
struct ResumptionRecord: Sendable {
    /// The octets of a resumption identifier.
    static let idCount = 16

    var id: [UInt8]
    let secret: SessionSecret
    let fabric: FabricIndex
    let node: NodeID
    let tags: [CASEAuthenticatedTag]
}

/// The records of peers for resumption, bounded for each fabric: no fabric evicts another's.
struct ResumptionTable: Sendable {
    /// The maximum number of records of a fabric, one per peer. It exceeds the number of a fabric's sessions, so that a
    /// peer that returns after a long time can resume.
    static let limitPerFabric = 8

    /// The records, oldest first.
    private var records: [ResumptionRecord] = []

    /// The record of an identifier.
    func record(_ id: [UInt8]) -> ResumptionRecord? {
        records.first { constantTimeEqual($0.id.span, id.span) }
    }

    /// Adds the record of a peer, and removes its earlier record.
    mutating func insert(_ record: ResumptionRecord) {
        records.removeAll { $0.fabric == record.fabric && $0.node == record.node }
        if records.count(where: { $0.fabric == record.fabric }) >= ResumptionTable.limitPerFabric,
            let oldest = records.firstIndex(where: { $0.fabric == record.fabric })
        {
            records.remove(at: oldest)
        }
        records.append(record)
    }

    /// Removes the records of a fabric.
    mutating func remove(_ fabric: FabricIndex) { records.removeAll { $0.fabric == fabric } }
}

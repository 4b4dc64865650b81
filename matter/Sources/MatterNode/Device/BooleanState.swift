// SPDX-License-Identifier: Apache-2.0

import MatterInteraction
import MatterTLV
import Timekeeping

/// Boolean State (Matter Application Clusters 1.7) of a contact: true if closed.
extension NodeModel {
    static let booleanStateDeclaration = ClusterDeclaration(
        .booleanState, revision: 1, attributes: [AttributeDeclaration(0)],
        events: [EventDeclaration(0, priority: .info)])

    func readBooleanState(_ attribute: AttributeID, _ writer: inout TLVWriter, _ tag: TLVTag) -> Bool {
        guard attribute == 0 else { return false }
        writer.bool(isContactClosed, as: tag)
        return true
    }

    mutating func setContact(_ isClosed: Bool, at now: Instant) {
        guard isContactClosed != isClosed else { return }
        isContactClosed = isClosed
        changed(.device, .booleanState, 0)
        record(.device, .booleanState, 0, at: now) { $0.bool(isClosed, as: 0) }
    }
}

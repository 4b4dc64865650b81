// SPDX-License-Identifier: Apache-2.0

import MatterInteraction
import MatterTLV

/// Descriptor (Matter Core 9.5).
extension NodeModel {
    static let descriptorDeclaration = ClusterDeclaration(
        .descriptor, revision: 2,
        attributes: [
            AttributeDeclaration(0, isList: true, isFixed: true), AttributeDeclaration(1, isList: true, isFixed: true),
            AttributeDeclaration(2, isList: true, isFixed: true), AttributeDeclaration(3, isList: true),
        ])

    func readDescriptor(_ path: AttributePath, _ writer: inout TLVWriter, _ tag: TLVTag) -> Bool {
        guard let endpoint = endpoints.first(where: { $0.number == path.endpoint }) else { return false }
        switch path.attribute {
        case 0:
            writer.array(as: tag) { list in
                for type in endpoint.deviceTypes {
                    list.structure(as: .anonymous) { entry in
                        entry.unsigned(type.id.rawValue, as: 0)
                        entry.unsigned(type.revision, as: 1)
                    }
                }
            }
        case 1:
            writer.array(as: tag) { list in
                for cluster in endpoint.clusters { list.unsigned(cluster.id.rawValue, as: .anonymous) }
            }
        case 2: writer.array(as: tag) { _ in }
        case 3:
            writer.array(as: tag) { list in
                guard endpoint.number == .root else { return }
                for other in endpoints where other.number != .root {
                    list.unsigned(other.number.rawValue, as: .anonymous)
                }
            }
        default: return false
        }
        return true
    }
}

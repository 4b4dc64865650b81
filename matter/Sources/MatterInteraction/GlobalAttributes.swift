// SPDX-License-Identifier: Apache-2.0

import MatterTLV

extension ClusterDeclaration {
    /// The attributes that every cluster has, after its own.
    private static let globalAttributes: [AttributeDeclaration] = [
        AttributeDeclaration(.generatedCommandList, isList: true, isFixed: true),
        AttributeDeclaration(.acceptedCommandList, isList: true, isFixed: true),
        AttributeDeclaration(.attributeList, isList: true, isFixed: true),
        AttributeDeclaration(.featureMap, isFixed: true),
        AttributeDeclaration(.clusterRevision, isFixed: true),
    ]

    /// The number of attributes with the global ones.
    var attributeCount: Int { attributes.count + ClusterDeclaration.globalAttributes.count }

    /// The attribute at `position`, 0 to `attributeCount` - 1.
    func attribute(at position: Int) -> AttributeDeclaration {
        position < attributes.count
            ? attributes[position] : ClusterDeclaration.globalAttributes[position - attributes.count]
    }

    /// The declaration of an attribute, also of a global one.
    func declaration(of id: AttributeID) -> AttributeDeclaration? {
        attributes.first { $0.id == id } ?? ClusterDeclaration.globalAttributes.first { $0.id == id }
    }

    /// Writes the value of a global attribute.
    ///
    /// - Returns: false if `id` is not a global attribute.
    func writeGlobal(_ id: AttributeID, into writer: inout TLVWriter, as tag: TLVTag) -> Bool {
        switch id {
        case .generatedCommandList:
            writer.identifiers(Set(commands.compactMap(\.response)).sorted(), as: tag)
        case .acceptedCommandList: writer.identifiers(commands.map(\.id).sorted(), as: tag)
        case .attributeList:
            writer.identifiers((attributes + ClusterDeclaration.globalAttributes).map(\.id).sorted(), as: tag)
        case .featureMap: writer.unsigned(features, as: tag)
        case .clusterRevision: writer.unsigned(revision, as: tag)
        default: return false
        }
        return true
    }
}

extension TLVWriter {
    fileprivate mutating func identifiers(_ identifiers: [some MatterIdentifier], as tag: TLVTag) {
        array(as: tag) { list in
            for identifier in identifiers { list.unsigned(identifier.rawValue, as: .anonymous) }
        }
    }
}

extension DataModel {
    /// The endpoint and its cluster.
    ///
    /// - Throws: UNSUPPORTED_ENDPOINT or UNSUPPORTED_CLUSTER.
    func find(
        _ number: EndpointNumber, _ cluster: ClusterID
    ) throws(StatusInformation) -> (endpoint: EndpointDeclaration, cluster: ClusterDeclaration) {
        guard let endpoint = endpoints.first(where: { $0.number == number }) else {
            throw StatusInformation(.unsupportedEndpoint)
        }
        guard let cluster = endpoint.clusters.first(where: { $0.id == cluster }) else {
            throw StatusInformation(.unsupportedCluster)
        }
        return (endpoint, cluster)
    }
}

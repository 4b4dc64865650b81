// SPDX-License-Identifier: Apache-2.0

import MatterTLV

/// The parts of the data model that a wildcard omits.
struct WildcardOmissions: OptionSet, Sendable {
    let rawValue: UInt32

    static let rootNode = WildcardOmissions(rawValue: 1 << 0)
    static let globalAttributes = WildcardOmissions(rawValue: 1 << 1)
    static let attributeList = WildcardOmissions(rawValue: 1 << 2)
    static let commandLists = WildcardOmissions(rawValue: 1 << 4)
    static let customElements = WildcardOmissions(rawValue: 1 << 5)
    static let fixedAttributes = WildcardOmissions(rawValue: 1 << 6)
    static let changesOmittedAttributes = WildcardOmissions(rawValue: 1 << 7)
    static let diagnosticsClusters = WildcardOmissions(rawValue: 1 << 8)
}

/// A path of a read: one attribute, or a wildcard where a part is nil.
struct AttributeSelector: Equatable, Sendable {
    var endpoint: EndpointNumber?
    var cluster: ClusterID?
    var attribute: AttributeID?
    var omissions: WildcardOmissions = []

    /// The attribute, if no part is a wildcard.
    var path: AttributePath? {
        guard let endpoint, let cluster, let attribute else { return nil }
        return AttributePath(endpoint, cluster, attribute)
    }

    /// True for an endpoint that the wildcard selects.
    func selects(_ number: EndpointNumber) -> Bool {
        guard let endpoint else { return !(number == 0 && omissions.contains(.rootNode)) }
        return endpoint == number
    }

    /// True for a cluster that the wildcard selects.
    func selects(_ declaration: ClusterDeclaration) -> Bool {
        guard cluster == nil || cluster == declaration.id else { return false }
        return !(declaration.isDiagnostics && omissions.contains(.diagnosticsClusters))
            && !(declaration.id.rawValue >> 16 != 0 && omissions.contains(.customElements))
    }

    /// True for an attribute that the wildcard selects.
    func selects(_ declaration: AttributeDeclaration) -> Bool {
        guard attribute == nil || attribute == declaration.id else { return false }
        let id = declaration.id
        return !(id.isGlobal && omissions.contains(.globalAttributes))
            && !(id == .attributeList && omissions.contains(.attributeList))
            && !(id.isCommandList && omissions.contains(.commandLists))
            && !(id.rawValue >> 16 != 0 && omissions.contains(.customElements))
            && !(declaration.isFixed && omissions.contains(.fixedAttributes))
            && !(declaration.changesOmitted && omissions.contains(.changesOmittedAttributes))
    }

    /// True for an attribute at `path` with these declarations. Omissions concern only wildcards.
    func includes(_ path: AttributePath, _ cluster: ClusterDeclaration, _ attribute: AttributeDeclaration) -> Bool {
        self.path == path || selects(path.endpoint) && selects(cluster) && selects(attribute)
    }

    /// True if a change of `path` may concern a subscription to this selector.
    func mayInclude(_ path: AttributePath) -> Bool {
        selects(path.endpoint) && (cluster == nil || cluster == path.cluster)
            && (attribute == nil || attribute == path.attribute)
    }
}

/// A path of an event read: one event, or a wildcard where a part is nil.
struct EventSelector: Equatable, Sendable {
    var endpoint: EndpointNumber?
    var cluster: ClusterID?
    var event: EventID?
    var isUrgent = false

    /// The event, if no part is a wildcard.
    var path: EventPath? {
        guard let endpoint, let cluster, let event else { return nil }
        return EventPath(endpoint, cluster, event)
    }

    /// True if `path` is selected.
    func includes(_ path: EventPath) -> Bool {
        (endpoint == nil || endpoint == path.endpoint) && (cluster == nil || cluster == path.cluster)
            && (event == nil || event == path.event)
    }
}

/// A cluster on an endpoint.
struct ClusterPath: Hashable, Sendable {
    var endpoint: EndpointNumber
    var cluster: ClusterID
}

extension AttributeID {
    /// True for the attributes that every cluster has.
    var isGlobal: Bool { (0xFFF8...0xFFFD).contains(rawValue) }
    /// True for the lists of commands.
    var isCommandList: Bool { self == .generatedCommandList || self == .acceptedCommandList }
}

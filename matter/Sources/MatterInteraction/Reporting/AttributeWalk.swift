// SPDX-License-Identifier: Apache-2.0

import MatterTLV

/// An iteration over the attributes that the paths of a request select.
///
/// The position survives between the messages of a report. It consists of offsets into the declarations, which are
/// verified at each step, so that a model that changes meanwhile cannot trap.
struct AttributeWalk: Sendable {
    /// An attribute to report.
    struct Target: Sendable {
        var path: AttributePath
        var isList: Bool
        /// True for a path that a wildcard or a change selects, which is silently omitted if it has no value.
        var isExpanded: Bool
        var cluster: ClusterDeclaration
    }

    enum Step: Sendable {
        case value(Target)
        /// A path without wildcards that leads to no readable attribute.
        case status(AttributePath, StatusInformation)
    }

    private let selectors: [AttributeSelector]
    private let versions: [ClusterPath: UInt32]
    /// For changes, the selectors of the subscription; a path that they do not include is silently skipped.
    private let subscribed: [AttributeSelector]?

    private var selector = 0
    private var endpoint = 0
    private var cluster = 0
    private var attribute = 0
    /// The privileges on the cluster at the position.
    private var granted: GrantedPrivileges?

    /// The attributes that a request selects.
    init(_ selectors: [AttributeSelector], versions: [ClusterPath: UInt32]) {
        self.selectors = selectors
        self.versions = versions
        subscribed = nil
    }

    /// The changed attributes at `paths` that a subscription to `subscribed` includes.
    init(changed paths: [AttributePath], subscribed: [AttributeSelector]) {
        selectors = paths.map {
            AttributeSelector(endpoint: $0.endpoint, cluster: $0.cluster, attribute: $0.attribute)
        }
        versions = [:]
        self.subscribed = subscribed
    }

    /// Discards the privileges, which may change between two messages.
    mutating func reconsiderAccess() { granted = nil }

    /// The next attribute or status; nil at the end.
    mutating func next(in model: some DataModel, for accessor: Accessor) -> Step? {
        while selector < selectors.count {
            let current = selectors[selector]
            if let path = current.path {
                selector += 1
                if let step = step(to: path, in: model, for: accessor) { return step }
            } else if let target = nextTarget(of: current, in: model, for: accessor) {
                return .value(target)
            } else {
                selector += 1
                (endpoint, cluster, attribute, granted) = (0, 0, 0, nil)
            }
        }
        return nil
    }

    private func step(to path: AttributePath, in model: some DataModel, for accessor: Accessor) -> Step? {
        do throws(StatusInformation) {
            let (endpoint, cluster) = try model.find(path.endpoint, path.cluster)
            guard let declaration = cluster.declaration(of: path.attribute) else {
                throw StatusInformation(.unsupportedAttribute)
            }
            let granted = GrantedPrivileges(
                of: accessor, on: cluster.id, of: endpoint, entries: model.accessEntries)
            guard granted.include(declaration.readPrivilege) else { throw StatusInformation(.unsupportedAccess) }
            guard !isKnown(cluster.id, of: path.endpoint, in: model) else { return nil }
            if let subscribed {
                guard subscribed.contains(where: { $0.includes(path, cluster, declaration) }) else { return nil }
            }
            return .value(
                Target(path: path, isList: declaration.isList, isExpanded: subscribed != nil, cluster: cluster))
        } catch {
            return subscribed == nil ? .status(path, error) : nil
        }
    }

    private mutating func nextTarget(
        of selector: AttributeSelector, in model: some DataModel, for accessor: Accessor
    ) -> Target? {
        let endpoints = model.endpoints
        while endpoint < endpoints.count {
            let current = endpoints[endpoint]
            if selector.selects(current.number),
                let target = nextTarget(of: selector, on: current, in: model, for: accessor)
            {
                return target
            }
            endpoint += 1
            (cluster, attribute, granted) = (0, 0, nil)
        }
        return nil
    }

    private mutating func nextTarget(
        of selector: AttributeSelector, on endpoint: EndpointDeclaration, in model: some DataModel,
        for accessor: Accessor
    ) -> Target? {
        while cluster < endpoint.clusters.count {
            let current = endpoint.clusters[cluster]
            if selector.selects(current), !isKnown(current.id, of: endpoint.number, in: model) {
                let granted =
                    granted
                    ?? GrantedPrivileges(of: accessor, on: current.id, of: endpoint, entries: model.accessEntries)
                self.granted = granted
                while attribute < current.attributeCount {
                    let declaration = current.attribute(at: attribute)
                    attribute += 1
                    guard selector.selects(declaration), granted.include(declaration.readPrivilege) else { continue }
                    let path = AttributePath(endpoint.number, current.id, declaration.id)
                    return Target(path: path, isList: declaration.isList, isExpanded: true, cluster: current)
                }
            }
            cluster += 1
            (attribute, granted) = (0, nil)
        }
        return nil
    }

    /// True if a data version filter states that the peer has this version of the cluster.
    private func isKnown(_ cluster: ClusterID, of endpoint: EndpointNumber, in model: some DataModel) -> Bool {
        guard let version = versions[ClusterPath(endpoint: endpoint, cluster: cluster)] else { return false }
        return version == model.dataVersion(endpoint: endpoint, cluster: cluster)
    }
}

// SPDX-License-Identifier: Apache-2.0

import MatterInteraction
import MatterTLV
import Octets
import Timekeeping
import WiFi

/// Network Commissioning (Matter Core 11.9). One network is stored at a time.
extension NodeModel {
    private static let operationalDatasetLimit = 254
    private static let extendedPANIdentifier: UInt8 = 2

    static func networkCommissioningDeclaration(_ network: MatterConfiguration.Network) -> ClusterDeclaration {
        func attributes(_ identifiers: [AttributeID]) -> [AttributeDeclaration] {
            identifiers.map { id in
                AttributeDeclaration(
                    id, readPrivilege: [0, 1, 5, 6, 7].contains(id) ? .administer : .view,
                    writePrivilege: id == 4 ? .administer : nil, isList: id == 1 || id == 8,
                    isFixed: [0, 2, 3, 8, 9, 10].contains(id))
            }
        }
        func commands(_ identifiers: [(CommandID, CommandID)]) -> [CommandDeclaration] {
            identifiers.map { CommandDeclaration($0.0, privilege: .administer, response: $0.1) }
        }
        return switch network {
        case .wifi:
            ClusterDeclaration(
                .networkCommissioning, revision: 2, features: 1, attributes: attributes([0, 1, 2, 3, 4, 5, 6, 7, 8]),
                commands: commands([(0, 1), (2, 5), (4, 5), (6, 7), (8, 5)]))
        case .thread:
            ClusterDeclaration(
                .networkCommissioning, revision: 2, features: 2,
                attributes: attributes([0, 1, 2, 3, 4, 5, 6, 7, 9, 10]),
                commands: commands([(0, 1), (3, 5), (4, 5), (6, 7), (8, 5)]))
        case .ethernet:
            ClusterDeclaration(
                .networkCommissioning, revision: 2, features: 4, attributes: attributes([0, 1, 4, 5, 6, 7]))
        }
    }

    func readNetworkCommissioning(_ attribute: AttributeID, _ writer: inout TLVWriter, _ tag: TLVTag) -> Bool {
        switch attribute {
        case 0: writer.unsigned(UInt8(1), as: tag)
        case 1:
            writer.array(as: tag) { list in
                guard let (id, isConnected) = listedNetwork else { return }
                list.structure(as: .anonymous) { entry in
                    entry.octets(id, as: 0)
                    entry.bool(isConnected, as: 1)
                }
            }
        case 2: writer.unsigned(configuration.scanSeconds, as: tag)
        case 3: writer.unsigned(configuration.connectSeconds, as: tag)
        case 4: writer.bool(true, as: tag)
        case 5: writer.nullable(networking.lastStatus?.rawValue, as: tag)
        case 6:
            if let id = networking.lastID { writer.octets(id, as: tag) } else { writer.null(as: tag) }
        case 7:
            if let error = networking.lastError { writer.signed(error, as: tag) } else { writer.null(as: tag) }
        // 2.4 GHz and 5 GHz.
        case 8:
            writer.array(as: tag) { list in
                list.unsigned(UInt8(0), as: .anonymous)
                list.unsigned(UInt8(2), as: .anonymous)
            }
        // A full Thread device and a router; version 1.3.
        case 9: writer.unsigned(UInt16(0b1010), as: tag)
        case 10: writer.unsigned(UInt16(4), as: tag)
        default: return false
        }
        return true
    }

    private var listedNetwork: (id: [UInt8], isConnected: Bool)? {
        if case .ethernet(let name, _) = configuration.network { return (Array(name.utf8), true) }
        return state.network.map { ($0.id, networking.isConnected) }
    }

    mutating func writeNetworkCommissioning(
        _ attribute: AttributeID, _ operation: WriteOperation
    ) throws(StatusInformation) {
        // The only interface cannot be disabled, since it could not be enabled again.
        guard attribute == 4 else { throw StatusInformation(.unsupportedWrite) }
        guard try operation.value({ element throws(TLVError) in try element.bool() }) else {
            throw StatusInformation(.invalidAction)
        }
    }

    mutating func invokeNetworkCommissioning(
        _ command: CommandID, _ call: Invocation
    ) throws(StatusInformation) -> CommandOutcome {
        switch command {
        case 0: try scan(call)
        case 2:
            try change(call, breadcrumb: 2) { model, call throws(StatusInformation) in
                try model.storeWiFi(call)
            }
        case 3:
            try change(call, breadcrumb: 1) { model, call throws(StatusInformation) in
                try model.storeThread(call)
            }
        case 4:
            try change(call, breadcrumb: 1) { model, call throws(StatusInformation) in
                try model.removeNetwork(call)
            }
        case 6: try connect(call)
        case 8:
            try change(call, breadcrumb: 2) { model, call throws(StatusInformation) in
                try model.reorder(call)
            }
        default: throw StatusInformation(.unsupportedCommand)
        }
    }

    // MARK: - Stored networks

    /// Answers NetworkConfigResponse with the outcome of `body`.
    private mutating func change(
        _ call: Invocation, breadcrumb: UInt8,
        _ body: (inout NodeModel, Invocation) throws(StatusInformation) -> NetworkingStatus
    ) throws(StatusInformation) -> CommandOutcome {
        let mark = try call.fields.optionalUnsigned(breadcrumb, UInt64.self)
        var failSafe = try requireFailSafe(call.accessor)
        if failSafe.previousNetwork == nil {
            failSafe.previousNetwork = FailSafe.PreviousNetwork(network: state.network)
            self.failSafe = failSafe
        }
        let status = try body(&self, call)
        if status == .success, let mark { setBreadcrumb(mark) }
        return .response(5) { response in
            response.unsigned(status.rawValue, as: 0)
            if status == .success { response.unsigned(UInt8(0), as: 2) }
        }
    }

    private mutating func storeWiFi(_ call: Invocation) throws(StatusInformation) -> NetworkingStatus {
        let name = try call.fields.octets(0)
        let credentials = try call.fields.octets(1)
        guard (1...32).contains(name.count) else { return .outOfRange }
        // Open, WEP, a passphrase, or the key in hexadecimal digits (Matter Core 11.9.7.3.2).
        guard
            credentials.count <= 63 && (credentials.isEmpty || credentials.count == 5 || credentials.count >= 8)
                || credentials.count == 64 && credentials.allSatisfy(Hexadecimal.isDigit)
        else { return .outOfRange }
        return store(NodeState.Network(id: name, credentials: credentials))
    }

    private mutating func storeThread(_ call: Invocation) throws(StatusInformation) -> NetworkingStatus {
        let dataset = try call.fields.octets(0)
        guard dataset.count <= NodeModel.operationalDatasetLimit,
            let id = NodeModel.value(NodeModel.extendedPANIdentifier, of: dataset), id.count == 8
        else { return .outOfRange }
        return store(NodeState.Network(id: id, credentials: dataset))
    }

    private mutating func store(_ network: NodeState.Network) -> NetworkingStatus {
        if let stored = state.network, stored.id != network.id { return .boundsExceeded }
        state.network = network
        changed(.root, .networkCommissioning, 1)
        notice(.networkStored(network.id))
        return .success
    }

    private mutating func removeNetwork(_ call: Invocation) throws(StatusInformation) -> NetworkingStatus {
        guard try call.fields.octets(0) == state.network?.id else { return .networkIDNotFound }
        state.network = nil
        changed(.root, .networkCommissioning, 1)
        return .success
    }

    private func reorder(_ call: Invocation) throws(StatusInformation) -> NetworkingStatus {
        guard try call.fields.octets(0) == state.network?.id else { return .networkIDNotFound }
        return try call.fields.unsigned(1, UInt8.self) == 0 ? .success : .outOfRange
    }

    /// The value of type `type` in MeshCoP TLVs (Thread 8.10.1); nil if it is absent or the octets are malformed.
    private static func value(_ type: UInt8, of dataset: [UInt8]) -> [UInt8]? {
        var rest = dataset[...]
        var found: [UInt8]?
        while let kind = rest.popFirst() {
            guard let count = rest.popFirst(), count <= rest.count else { return nil }
            if kind == type { found = Array(rest.prefix(Int(count))) }
            rest = rest.dropFirst(Int(count))
        }
        return found
    }

    /// Handles a roll-back of the stored network, and connects to it if it has changed.
    mutating func networkRolledBack(from former: NodeState.Network?, at now: Instant) {
        if let pending = networking.pending { finish(pending, .otherConnectionFailure) }
        changed(.root, .networkCommissioning, 1)
        guard former != state.network, case .wifi = configuration.network else { return }
        networking.isConnected = false
        requests.append(.leave)
        rejoin()
    }

    /// Joins the stored network without a command: after the start, and after a loss of the connection.
    mutating func rejoin() {
        guard case .wifi = configuration.network, let network = state.network, networking.pending == nil,
            let join = NodeModel.join(network, found: nil)
        else { return }
        requests.append(.join(join))
    }
}

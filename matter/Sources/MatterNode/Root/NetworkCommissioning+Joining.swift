// SPDX-License-Identifier: Apache-2.0

import MatterInteraction
import MatterTLV
import Timekeeping
import WiFi

/// ScanNetworks and ConnectNetwork, which wait for the station.
extension NodeModel {
    /// The maximum number of results in a ScanNetworksResponse, which has to fit one message.
    private static let scanResultLimit = 12

    mutating func scan(_ call: Invocation) throws(StatusInformation) -> CommandOutcome {
        let mark = try call.fields.optionalUnsigned(1, UInt64.self)
        let name = try call.fields.optionalOctets(0)
        guard networking.pending == nil else { throw StatusInformation(.busy) }
        if let name, !(1...32).contains(name.count) { return scanResponse(.outOfRange, []) }
        if let mark { setBreadcrumb(mark) }
        guard case .wifi = configuration.network else { return scanResponse(.success, []) }
        networking.pending = .scan(call.ticket, found: [])
        networking.deadline = call.now + .seconds(Int(configuration.scanSeconds))
        networking.scanFilter = name
        requests.append(.scan(name.flatMap { WiFiName($0) }))
        return .later(call.ticket)
    }

    mutating func connect(_ call: Invocation) throws(StatusInformation) -> CommandOutcome {
        let id = try call.fields.octets(0)
        let mark = try call.fields.optionalUnsigned(1, UInt64.self)
        var failSafe = try requireFailSafe(call.accessor)
        guard networking.pending == nil else { throw StatusInformation(.busy) }
        guard let network = state.network, network.id == id else { return connectResponse(.networkIDNotFound) }
        if failSafe.previousNetwork == nil {
            failSafe.previousNetwork = FailSafe.PreviousNetwork(network: network)
            self.failSafe = failSafe
        }
        if let mark { setBreadcrumb(mark) }
        guard case .wifi = configuration.network else {
            // No radio: reached as if through a border router.
            networking.isConnected = true
            didConnect(.success)
            return connectResponse(.success)
        }
        networking.pending = .search(call.ticket, found: nil)
        networking.deadline = call.now + .seconds(Int(configuration.connectSeconds))
        requests.append(.scan(WiFiName(network.id)))
        return .later(call.ticket)
    }

    /// Handles an event of the station.
    mutating func receive(_ event: WiFiEvent, at now: Instant) {
        switch (event, networking.pending) {
        case (.found(let network), .scan(let ticket, let found)):
            guard networking.scanFilter == nil || networking.scanFilter == network.name.octets else { return }
            networking.pending = .scan(ticket, found: found + [network])
        case (.found(let network), .search(let ticket, let found)):
            guard network.name.octets == state.network?.id, network.rssi > found?.rssi ?? .min else { return }
            networking.pending = .search(ticket, found: network)
        case (.scanEnded, .scan?): endScan()
        case (.scanEnded, .search(let ticket, let found)): join(ticket, found)
        case (.joined(_, let address), let pending):
            networking.isConnected = true
            addresses.ipv4 = [address.octets]
            changed(.root, .networkCommissioning, 1)
            changed(.root, .generalDiagnostics, 0)
            if case .join? = pending { didConnect(.success) }
        case (.joinFailed(let failure), .join?): didConnect(NetworkingStatus(failure))
        case (.lost, _), (.joinFailed, _):
            networking.isConnected = false
            changed(.root, .networkCommissioning, 1)
            notice(.networkLost)
            networking.rejoinDue = now + .seconds(10)
        default: break
        }
    }

    /// Handles the station's refusal.
    mutating func refuseStation(at now: Instant) {
        switch networking.pending {
        case .scan?: endScan()
        case .search(let ticket, _): join(ticket, nil)
        case .join?: didConnect(.otherConnectionFailure)
        case nil: networking.rejoinDue = now + .seconds(10)
        }
    }

    /// Performs due actions.
    mutating func advanceNetworking(to now: Instant) {
        if let deadline = networking.deadline, deadline <= now {
            switch networking.pending {
            case .scan?: endScan()
            case .search?, .join?:
                requests.append(.leave)
                didConnect(.otherConnectionFailure)
            case nil: networking.deadline = nil
            }
        }
        if let due = networking.rejoinDue, due <= now {
            networking.rejoinDue = nil
            rejoin()
        }
    }

    private mutating func endScan() {
        guard case .scan(let ticket, let found) = networking.pending else { return }
        networking.pending = nil
        networking.deadline = nil
        requests.append(.complete(ticket, scanResponse(.success, found)))
    }

    private mutating func join(_ ticket: CommandTicket, _ found: WiFiNetwork?) {
        guard let network = state.network, let join = NodeModel.join(network, found: found) else {
            return didConnect(.unsupportedSecurity)
        }
        networking.pending = .join(ticket)
        requests.append(.join(join))
    }

    /// The join of a stored network with the security of the access point; nil if the credentials do not fit it. A
    /// network that was not found is joined with any security that the credentials fit.
    static func join(_ network: NodeState.Network, found: WiFiNetwork?) -> WiFiJoin? {
        let isOpen = network.credentials.isEmpty
        let security = found?.security ?? (isOpen ? .open : .personal)
        guard security != .wpa2Enterprise, security.wantsPassphrase != isOpen, let name = WiFiName(network.id) else {
            return nil
        }
        return WiFiJoin(
            name: name, security: security, passphrase: isOpen ? nil : WiFiPassphrase(network.credentials))
    }

    private mutating func didConnect(_ status: NetworkingStatus) {
        networking.lastStatus = status
        networking.lastID = state.network?.id
        networking.lastError = status == .success ? nil : Int32(status.rawValue)
        for attribute: AttributeID in [1, 5, 6, 7] { changed(.root, .networkCommissioning, attribute) }
        if let id = state.network?.id { notice(.networkJoined(id, status: status.rawValue)) }
        if let pending = networking.pending { finish(pending, status) }
    }

    /// Answers the waiting command.
    mutating func finish(_ pending: NetworkingState.Pending, _ status: NetworkingStatus) {
        networking.pending = nil
        networking.deadline = nil
        switch pending {
        case .scan(let ticket, let found): requests.append(.complete(ticket, scanResponse(.success, found)))
        case .search(let ticket, _), .join(let ticket): requests.append(.complete(ticket, connectResponse(status)))
        }
    }

    private mutating func connectResponse(_ status: NetworkingStatus) -> CommandOutcome {
        let isSpoiled = status != .success && interposer?.sendsUnsignedErrorValue() == true
        return .response(7) { response in
            response.unsigned(status.rawValue, as: 0)
            if status == .success {
                response.null(as: 2)
            } else if isSpoiled {
                response.unsigned(status.rawValue, as: 2)
            } else {
                response.signed(Int32(status.rawValue), as: 2)
            }
        }
    }

    private func scanResponse(_ status: NetworkingStatus, _ found: [WiFiNetwork]) -> CommandOutcome {
        let isThread = if case .thread = configuration.network { true } else { false }
        let strongest = found.filter { $0.security.bitmap != nil }.sorted { $0.rssi > $1.rssi }
        return .response(1) { response in
            response.unsigned(status.rawValue, as: 0)
            response.array(as: isThread ? 3 : 2) { list in
                for network in strongest.prefix(NodeModel.scanResultLimit) { network.write(into: &list) }
            }
        }
    }
}

extension NetworkingStatus {
    fileprivate init(_ failure: WiFiJoinFailure) {
        self =
            switch failure {
            case .authentication: .authenticationFailure
            case .networkNotFound: .networkNotFound
            case .address: .ipv6Failed
            case .timeout, .other: .otherConnectionFailure
            }
    }
}

extension WiFiSecurity {
    /// WiFiSecurityBitmap, whose bits equal the set's; nil for a security that Matter does not define.
    fileprivate var bitmap: UInt8? {
        let named = subtracting(.wpa2Enterprise)
        return named.isEmpty ? nil : named.rawValue
    }
}

extension WiFiNetwork {
    /// Writes WiFiInterfaceScanResultStruct.
    fileprivate func write(into list: inout TLVWriter) {
        let band: UInt8 =
            switch self.band {
            case .band2GHz: 0
            case .band5GHz: 2
            case .band6GHz: 3
            }
        list.structure(as: .anonymous) { entry in
            entry.unsigned(security.bitmap ?? 0, as: 0)
            entry.octets(name.octets, as: 1)
            entry.octets(address.octets, as: 2)
            entry.unsigned(UInt16(clamping: channel), as: 3)
            entry.unsigned(band, as: 4)
            entry.signed(rssi, as: 5)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Protobuf
import Timekeeping
import WiFi
import WiFiStation

/// Handling of control point requests.
extension NordicProvisioning {
    /// Answers a request. Errors are in the response; the write itself always succeeds.
    mutating func answer(_ value: Span<UInt8>, from link: LinkID, _ wifi: inout some WiFiStation, at now: Instant) {
        let request: NordicRequest
        do throws(ProtobufError) {
            request = try NordicRequest(decoding: value)
        } catch {
            report(.undecodable(link, error, count: value.count))
            let operation = isExact ? nil : NordicProvisioning.operation(in: value)
            return indicate(.undecodable, operation, .invalidMessage)
        }
        report(.requested(link, request))
        switch request.operation {
        case .getStatus: answerStatus(wifi, at: now)
        case .startScan: startScan(request.scanParameters, &wifi, at: now)
        case .stopScan:
            if !isExact { stopScan(&wifi, at: now) }
            indicate(.scanStopped, .stopScan, .success)
        case .setConfiguration: configure(request.configuration, &wifi, at: now)
        case .forgetConfiguration: forget(&wifi, at: now)
        default:
            // The firmware's response does not name the operation, so that the stock app for iOS waits indefinitely.
            indicate(.refused, isExact ? nil : request.operation ?? .reserved, .invalidArgument)
        }
    }

    /// The operation in a malformed request; `reserved` if it cannot be parsed.
    private static func operation(in value: Span<UInt8>) -> NordicOperation {
        var reader = ProtobufReader(value)
        var operation = NordicOperation.reserved
        do throws(ProtobufError) {
            while let tag = try reader.next(value) {
                if tag.field == 1, tag.wireType == .varint {
                    operation = try NordicOperation(reading: &reader, value, tag)
                } else {
                    try reader.skip(value, tag)
                }
            }
        } catch {
            // The fault that made the request malformed.
        }
        return operation
    }

    /// Sends a response to the client that wrote last.
    private mutating func indicate(
        _ step: NordicStep, _ operation: NordicOperation?, _ status: NordicStatus,
        _ deviceStatus: NordicDeviceStatus? = nil
    ) {
        guard let addressee else { return }
        var octets: [UInt8] = []
        NordicResponse(operation: operation, status: status, deviceStatus: deviceStatus).encode(into: &octets)
        var message = NordicMessage(step: step, characteristic: .controlPoint, link: addressee, octets: octets)
        if !isExact, deviceStatus != nil {
            // A client that has not exchanged a larger ATT_MTU at least receives a response.
            var shorter: [UInt8] = []
            NordicResponse(operation: operation, status: .internalError).encode(into: &shorter)
            message.shorter = shorter
        }
        act(.send(message))
    }

    // MARK: - GET_STATUS

    private mutating func answerStatus(_ wifi: some WiFiStation, at now: Instant) {
        let (status, deviceStatus) = isExact ? exactStatus(wifi) : status(wifi, at: now)
        indicate(.status, .getStatus, status, deviceStatus)
    }

    /// The status of the firmware: without a stored network, not even a state.
    private func exactStatus(_ wifi: some WiFiStation) -> (NordicStatus, NordicDeviceStatus) {
        guard let network = stored.networks.first ?? volatileNetwork else { return (.success, NordicDeviceStatus()) }
        let zero = [UInt8](repeating: 0, count: WiFiAddress.count)
        var device = NordicDeviceStatus(
            provisioned: NordicNetwork(
                name: BoundedBytes(held: network.name.octets),
                address: BoundedBytes(held: network.address?.octets ?? zero),
                channel: NordicProvisioning.anyChannel, security: network.security.exactStored))
        guard let status = try? wifi.status() else { return (.internalError, device) }
        device.state = status.isLinkUp ? .connected : .disconnected
        guard status.isLinkUp else { return (.success, device) }
        // Before the lease Zephyr's interface has the unspecified address, and its query succeeds.
        let address = status.ipv4 ?? .unspecified
        device.connection = NordicConnectionInformation(ipv4: BoundedBytes(held: address.octets))
        return (.success, device)
    }

    private func status(_ wifi: some WiFiStation, at now: Instant) -> (NordicStatus, NordicDeviceStatus) {
        var device = NordicDeviceStatus(scan: scan?.information(at: now))
        guard let status = try? wifi.status() else {
            device.provisioned = shownNetwork.map { shown($0, nil) }
            return (.internalError, device)
        }
        switch status.state {
        case .disconnected: device.state = .disconnected
        case .joining(let step): device.state = step.state
        case .connected: device.state = .connected
        }
        device.provisioned = shownNetwork.map { shown($0, status.network) }
        if status.isLinkUp, device.provisioned != nil, let address = status.ipv4 {
            device.connection = NordicConnectionInformation(ipv4: BoundedBytes(held: address.octets))
        }
        return (.success, device)
    }

    /// The network in a status: the current one, or the last.
    private var shownNetwork: WiFiJoin? { joining.current ?? volatileNetwork ?? stored.networks.first }

    /// A network that apps can process: always with a text and six octets of address, a band only if it has a number.
    private func shown(_ network: WiFiJoin, _ heard: WiFiNetwork?) -> NordicNetwork {
        let heard = heard?.name == network.name ? heard : nil
        let zero = [UInt8](repeating: 0, count: WiFiAddress.count)
        let address = heard?.address ?? network.address
        return NordicNetwork(
            name: BoundedBytes(held: network.name.shown), address: BoundedBytes(held: address?.octets ?? zero),
            band: (heard?.band ?? network.band)?.named,
            channel: heard?.channel ?? network.channel ?? NordicProvisioning.anyChannel,
            security: network.security.named)
    }

    /// The number for any channel (Zephyr's WIFI_CHANNEL_ANY).
    static let anyChannel: UInt32 = 255

    // MARK: - Scans

    private mutating func startScan(
        _ parameters: NordicScanParameters?, _ wifi: inout some WiFiStation, at now: Instant
    ) {
        var wanted = WiFiScan()
        if isExact {
            // The firmware leaves its network first, and ignores the result of that, and scans for everything.
            leave(&wifi, at: now)
        } else {
            wanted.band = WiFiBand(parameters?.band)
            wanted.isPassive = parameters?.passive ?? false
            if let period = parameters?.periodMilliseconds, period > 0 { wanted.period = .milliseconds(Int64(period)) }
        }
        do throws(WiFiRefusal) {
            try wifi.startScan(wanted, at: now)
            if !isExact {
                scan = NordicScan(
                    parameters: parameters ?? NordicScanParameters(), end: wanted.period.map { now + $0 })
            }
            indicate(.scanStarted, .startScan, .success)
        } catch {
            indicate(.scanStarted, .startScan, error.status)
        }
    }

    /// Ends a client's scan, and resumes the reporting of states.
    mutating func stopScan(_ wifi: inout some WiFiStation, at now: Instant) {
        guard scan != nil else { return }
        wifi.stopScan(at: now)
        scan = nil
    }

    // MARK: - SET_CONFIG and FORGET_CONFIG

    private mutating func configure(
        _ configuration: NordicConfiguration?, _ wifi: inout some WiFiStation, at now: Instant
    ) {
        guard let configuration, let network = configuration.network else {
            return indicate(.configured, .setConfiguration, .invalidArgument)
        }
        if isExact { return configureExactly(configuration, network, &wifi, at: now) }
        guard let wanted = WiFiJoin(configuration, network) else {
            return indicate(.configured, .setConfiguration, .invalidArgument)
        }
        // The response precedes the first state. A refused request changes nothing, not even a scan.
        do throws(WiFiRefusal) {
            try begin(.configured, wanted, isVolatile: configuration.isVolatile ?? false, by: wanted, &wifi, at: now)
            stopScan(&wifi, at: now)
            indicate(.configured, .setConfiguration, .success)
        } catch {
            indicate(.configured, .setConfiguration, error.status)
        }
    }

    /// The configuration as the firmware handles it: the network to store is set before anything is tried, and
    /// leaving may fail.
    private mutating func configureExactly(
        _ configuration: NordicConfiguration, _ network: NordicNetwork, _ wifi: inout some WiFiStation, at now: Instant
    ) {
        guard let wanted = WiFiJoin(exact: configuration, network) else { return }
        leave(&wifi, at: now)
        joining.pending = (wanted, isVolatile: configuration.isVolatile ?? false)
        do throws(WiFiRefusal) {
            try begin(
                .configured, wanted, isVolatile: configuration.isVolatile ?? false, by: again(wanted), &wifi, at: now)
            indicate(.configured, .setConfiguration, .success)
        } catch {
            indicate(.configured, .setConfiguration, error.status)
        }
    }

    private mutating func forget(_ wifi: inout some WiFiStation, at now: Instant) {
        let wasConnected = joining.current != nil
        guard leave(&wifi, at: now) else { return indicate(.forgotten, .forgetConfiguration, .internalError) }
        if !isExact { stopScan(&wifi, at: now) }
        joining.forget(keepingPending: isExact)
        if !stored.isEmpty {
            stored.removeAll()
            act(.store(stored))
        }
        volatileNetwork = nil
        report(.forgotten)
        indicate(.forgotten, .forgetConfiguration, .success)
        // The documentation requires it; the firmware omits it.
        if !isExact, wasConnected { notify(.disconnected) }
    }

    /// Leaves the network; false if that fails.
    @discardableResult
    private mutating func leave(_ wifi: inout some WiFiStation, at now: Instant) -> Bool {
        do throws(WiFiRefusal) {
            try wifi.leave(at: now)
            joining.left()
            return true
        } catch {
            return false
        }
    }
}

extension WiFiRefusal {
    /// The protocol's status.
    var status: NordicStatus {
        switch self {
        case .invalid: .invalidArgument
        case .failed: .internalError
        }
    }
}

extension WiFiName {
    /// The name as UTF-8, at most 32 octets: invalid octets become U+FFFD.
    var shown: [UInt8] {
        guard text == nil else { return octets }
        var shown: [UInt8] = []
        for scalar in String(decoding: octets, as: UTF8.self).unicodeScalars {
            let next = Array(String(scalar).utf8)
            guard shown.count + next.count <= WiFiName.maximumCount else { break }
            shown += next
        }
        return shown
    }
}

extension WiFiJoin {
    /// The join that the firmware derives from a configuration. The limits were verified with the message.
    init?(exact configuration: NordicConfiguration, _ network: NordicNetwork) {
        guard let name = network.wifiName else { return nil }
        let passphrase = configuration.passphrase.flatMap { WiFiPassphrase($0.array) }
        let security = WiFiSecurity(exact: network.security, hasPassphrase: passphrase != nil)
        // 5 GHz if requested; anything else is 2.4 GHz.
        self.init(
            name: name, address: network.wifiAddress,
            band: network.band == .ghz5 ? .band5GHz : .band2GHz, security: security,
            passphrase: security == .open ? nil : passphrase)
    }

    /// The join that a client requests; nil for an impossible one: without a name, with a passphrase that is too
    /// short, or with an unsupported security.
    init?(_ configuration: NordicConfiguration, _ network: NordicNetwork) {
        guard let name = network.wifiName, !name.octets.isEmpty,
            let passphrase = WiFiPassphrase(configuration.passphrase?.array ?? []),
            let security = WiFiSecurity(network.security, hasPassphrase: passphrase.count > 0)
        else { return nil }
        if security.wantsPassphrase {
            let fewest = security.isDisjoint(with: .wpaWPA2PSK) ? 1 : WiFiJoin.fewestOctets
            guard passphrase.count >= fewest else { return nil }
        }
        let channel = configuration.anyChannel == true || [0, NordicProvisioning.anyChannel].contains(network.channel)
        // A status shows an unknown access point as zeros, and the stock apps send back what they were shown.
        let address = network.wifiAddress.flatMap { $0.isZero ? nil : $0 }
        self.init(
            name: name, address: address, band: WiFiBand(network.band),
            channel: channel ? nil : network.channel, security: security,
            passphrase: security == .open ? nil : passphrase)
    }

    /// The minimum length of a WPA passphrase (IEEE 802.11-2020, J.4).
    private static let fewestOctets = 8
}

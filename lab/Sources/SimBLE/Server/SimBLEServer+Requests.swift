// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral
import Phone
import Timekeeping

extension SimBLEServer {
    /// The maximum length of an app's name in a notice, in characters.
    private static let nameLimit = 64

    mutating func execute(_ request: SimBLERequest, _ ticket: SimBLETicket, at now: Instant) {
        switch request {
        case .hello(let version, let application, let name): hello(version, name ?? application, ticket, at: now)
        case .centralState: answer(ticket, .centralState(state), at: now)
        case .peripheralRole: refuse(ticket, .notImplemented, "the peripheral role is not served", at: now)
        case .peripheralState(let peripheral):
            guard let address = address(peripheral, ticket, at: now) else { return }
            answer(ticket, .peripheralState(peripheral, state(of: address)), at: now)
        case _ where state != .poweredOn: refuse(ticket, .unknown, "the controller is not ready", at: now)
        case .scanStart(let services): startScan(services, ticket, at: now)
        case .scanStop: stopScan(ticket, at: now)
        case .connect(let peripheral): connect(peripheral, ticket, at: now)
        case .disconnect(let peripheral): disconnect(peripheral, ticket, at: now)
        case .discoverServices(let peripheral, let filter):
            start(peripheral, ticket, at: now) { link in
                link.start(.discoverServices, .services(ticket, filter), at: now)
                return nil
            }
        case .discoverCharacteristics(let peripheral, let service, let filter):
            start(peripheral, ticket, at: now) { link in
                guard let service = link.service(service) else { return .undiscovered }
                link.start(
                    .discoverCharacteristics(in: service.handles), .characteristics(ticket, service, filter), at: now)
                return nil
            }
        case .read(let attribute):
            start(attribute, ticket, at: now) { link, characteristic in
                link.start(.readLong(characteristic.value), .read(ticket, attribute), at: now)
                return nil
            }
        case .write(let attribute, let value, let withResponse):
            start(attribute, ticket, at: now) { link, characteristic in
                let handle = characteristic.value
                link.start(
                    withResponse ? .write(handle, value) : .writeCommand(handle, value), .write(ticket), at: now)
                return nil
            }
        case .setNotify(let attribute, let enabled):
            start(attribute, ticket, at: now) { link, characteristic in
                guard let descriptors = characteristic.descriptors else { return .unsupported }
                link.start(
                    .discoverDescriptors(in: descriptors), .descriptors(ticket, attribute, characteristic, enabled),
                    at: now)
                return nil
            }
        case .readRSSI(let peripheral): readRSSI(peripheral, ticket, at: now)
        }
    }

    // MARK: - The central

    private mutating func hello(_ version: Int64, _ name: String?, _ ticket: SimBLETicket, at now: Instant) {
        guard version == SimBLEAnswer.version else {
            let reason = "version \(version); this server has \(SimBLEAnswer.version)"
            return refuse(ticket, .operationNotSupported, reason, at: now)
        }
        if let name { report(.app(String(name.prefix(SimBLEServer.nameLimit)).printable)) }
        answer(ticket, .hello, at: now)
    }

    /// Starts a scan, or replaces the services of the present one.
    private mutating func startScan(_ services: [BluetoothUUID]?, _ ticket: SimBLETicket, at now: Instant) {
        do throws(CentralRefusal) { try central.startScanning(at: now) } catch {
            return refuse(ticket, .unknown, "the controller is not ready", at: now)
        }
        scan = SimBLEScan(services)
        report(.scanning(services))
        answer(ticket, .done(.scanStart), at: now)
    }

    private mutating func stopScan(_ ticket: SimBLETicket, at now: Instant) {
        endScan(at: now)
        answer(ticket, .done(.scanStop), at: now)
    }

    mutating func endScan(at now: Instant) {
        guard scan != nil else { return }
        scan = nil
        central.stopScanning(at: now)
        report(.scanStopped)
    }

    // MARK: - Links

    /// The address in an identifier. Refuses the request for an identifier of another origin.
    private mutating func address(
        _ peripheral: [UInt8], _ ticket: SimBLETicket, at now: Instant
    ) -> BluetoothAddress? {
        let address = PeripheralIdentifier.address(peripheral)
        if address == nil { refuse(ticket, .unknownDevice, "no identifier of this server", at: now) }
        return address
    }

    /// The link to a device, unless it is ending.
    private func link(to address: BluetoothAddress) -> LinkID? {
        links.first { $0.value.address == address && !$0.value.isEnding }?.key
    }

    /// The link to a device, for a request. Refuses the request without a link, and if as many wait for it as
    /// connections are possible: those of ended connections cannot be withdrawn from a device.
    private mutating func link(
        to address: BluetoothAddress, for ticket: SimBLETicket, at now: Instant
    ) -> LinkID? {
        guard let id = link(to: address), let link = links[id] else {
            refuse(ticket, .notConnected, "not connected", at: now)
            return nil
        }
        guard link.steps.count + link.rssi.count < SimBLEServer.maximumConnections else {
            refuse(ticket, .unknown, "too many requests wait for the device", at: now)
            return nil
        }
        return id
    }

    private func state(of address: BluetoothAddress) -> SimBLEPeripheralState {
        if link(to: address) != nil { return .connected }
        if links.values.contains(where: { $0.address == address }) { return .disconnecting }
        return attempts.contains { $0.address == address } ? .connecting : .disconnected
    }

    private mutating func connect(_ peripheral: [UInt8], _ ticket: SimBLETicket, at now: Instant) {
        guard let address = address(peripheral, ticket, at: now) else { return }
        if link(to: address) != nil { return answer(ticket, .peripheral(.connect, peripheral), at: now) }
        if let index = attempts.firstIndex(where: { $0.address == address && !$0.isCancelled }) {
            attempts[index].tickets.append(ticket)
        } else {
            attempts.append(SimBLEAttempt(address: address, tickets: [ticket]))
        }
    }

    /// Ends a link, or gives an attempt up. The answer follows when it has ended.
    private mutating func disconnect(_ peripheral: [UInt8], _ ticket: SimBLETicket, at now: Instant) {
        guard let address = address(peripheral, ticket, at: now) else { return }
        if let id = links.first(where: { $0.value.address == address })?.key {
            links[id]?.ending.append(ticket)
            end(id, at: now)
        } else if let index = attempts.firstIndex(where: { $0.address == address }) {
            attempts[index].isCancelled = true
            attempts[index].cancelling.append(ticket)
            if attempts[index].isStarted {
                central.cancelConnecting(at: now)
            } else {
                gaveUp(attempts.remove(at: index), .operationCancelled, "cancelled", at: now)
            }
        } else {
            answer(ticket, .peripheral(.disconnect, peripheral), at: now)
        }
    }

    /// Removes the requests of a closed connection, and gives up the attempts for which no other connection waits.
    mutating func withdrawRequests(of id: SimBLEConnectionID, at now: Instant) {
        for index in attempts.indices.reversed() {
            attempts[index].tickets.removeAll { $0.connection == id }
            attempts[index].cancelling.removeAll { $0.connection == id }
            guard attempts[index].tickets.isEmpty, !attempts[index].isCancelled else { continue }
            if attempts[index].isStarted {
                attempts[index].isCancelled = true
                central.cancelConnecting(at: now)
            } else {
                attempts.remove(at: index)
            }
        }
        for link in links.keys { links[link]?.ending.removeAll { $0.connection == id } }
    }

    mutating func end(_ id: LinkID, at now: Instant) {
        links[id]?.isEnding = true
        central.disconnect(id, at: now)
    }

    /// Answers the requests of an attempt that has ended without a link.
    mutating func gaveUp(_ attempt: SimBLEAttempt, _ code: SimBLECode, _ reason: String, at now: Instant) {
        let code = attempt.isCancelled ? .operationCancelled : code
        for ticket in attempt.tickets { refuse(ticket, code, reason, at: now) }
        let peripheral = PeripheralIdentifier.octets(of: attempt.address)
        for ticket in attempt.cancelling { answer(ticket, .peripheral(.disconnect, peripheral), at: now) }
    }

    private mutating func readRSSI(_ peripheral: [UInt8], _ ticket: SimBLETicket, at now: Instant) {
        guard let address = address(peripheral, ticket, at: now) else { return }
        guard let id = link(to: address, for: ticket, at: now) else { return }
        guard (try? central.readRSSI(id, at: now)) != nil else {
            return refuse(ticket, .notConnected, "not connected", at: now)
        }
        links[id]?.rssi.append(ticket)
    }

    // MARK: - Attributes

    /// The reason why a request cannot start.
    private enum Obstacle {
        case undiscovered
        case unsupported
    }

    private mutating func start(
        _ peripheral: [UInt8], _ ticket: SimBLETicket, at now: Instant,
        _ body: (inout SimBLELink) -> Obstacle?
    ) {
        guard let address = address(peripheral, ticket, at: now) else { return }
        guard let id = link(to: address, for: ticket, at: now), var link = links[id] else { return }
        let obstacle = body(&link)
        links[id] = link
        switch obstacle {
        case nil: break
        case .undiscovered?: refuse(ticket, .attributeNotFound, "not discovered on this connection", at: now)
        case .unsupported?: refuse(ticket, .requestNotSupported, "no notifications or indications", at: now)
        }
    }

    private mutating func start(
        _ attribute: SimBLEAttribute, _ ticket: SimBLETicket, at now: Instant,
        _ body: (inout SimBLELink, RemoteCharacteristic) -> Obstacle?
    ) {
        start(attribute.peripheral, ticket, at: now) { link in
            guard let characteristic = link.characteristic(attribute) else { return .undiscovered }
            return body(&link, characteristic)
        }
    }
}

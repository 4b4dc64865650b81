// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Phone
import Timekeeping

extension SimBLEServer {
    /// Handles the events of the central and of its links, sends ATT PDUs, and serves the connections whose request was
    /// answered, until nothing follows.
    mutating func settle(at now: Instant) {
        var hasMore = true
        while hasMore {
            hasMore = false
            while let event = central.popEvent() {
                receive(event, at: now)
                hasMore = true
            }
            for id in links.keys.sorted(by: { $0.generation < $1.generation }) { advance(id, at: now) }
            connectNext(at: now)
            let ready = answered
            answered.removeAll()
            for id in ready { serve(id, at: now) }
            hasMore = hasMore || !ready.isEmpty
        }
    }

    private mutating func receive(_ event: CentralEvent, at now: Instant) {
        switch event {
        case .ready:
            report(.ready)
            change(to: .poweredOn)
        case .failed(let fault):
            report(.failed(fault))
            change(to: .resetting)
            scan = nil
            restart = now + SimBLEServer.restartPause
        case .scanRefused(let status):
            scan = nil
            report(.scanRefused(status))
        case .report(let report): receive(report, at: now)
        case .connected(let id, let peer, _): connected(id, peer, at: now)
        case .connectionFailed(let peer, let status): connectionFailed(peer, status, at: now)
        case .disconnected(let id, let reason): disconnected(id, reason, at: now)
        case .rssi(let id, let value): rssi(id, value, at: now)
        case .attribute(let id, let pdu): links[id]?.client.receive(pdu.span, at: now)
        case .intervalChanged, .dataLengthChanged: break
        }
    }

    // MARK: - Scan

    private mutating func receive(_ report: AdvertisementReport, at now: Instant) {
        guard var scan else { return }
        let advertisement = SimBLEAdvertisement(report)
        if let wanted = scan.services, !wanted.contains(where: advertisement.services.contains) { return }
        let isNews = scan.isNews(report, after: SimBLEServer.repetition, at: now)
        self.scan = scan
        guard isNews else { return }
        let peripheral = PeripheralIdentifier.octets(of: report.address)
        broadcast(.discovered(peripheral, advertisement, rssi: report.rssi ?? SimBLEServer.noRSSI))
    }

    /// The RSSI of CoreBluetooth for an unknown one.
    private static let noRSSI: Int8 = 127

    // MARK: - Links

    /// Begins the first attempt, if none is in progress.
    private mutating func connectNext(at now: Instant) {
        guard let first = attempts.first, !first.isStarted,
            // A new link to a device follows the end of the present one.
            !links.values.contains(where: { $0.address == first.address }),
            (try? central.connect(to: first.address, settings.connection, at: now)) != nil
        else { return }
        attempts[0].isStarted = true
    }

    private mutating func connected(_ id: LinkID, _ peer: BluetoothAddress, at now: Instant) {
        report(.connected(peer))
        guard let first = attempts.first, first.isStarted else { return central.disconnect(id, at: now) }
        attempts.removeFirst()
        var link = SimBLELink(first.address, maximumMTU: settings.maximumMTU, at: now)
        // A link may come before a cancel, which then ends it.
        if first.isCancelled { link.ending = first.cancelling }
        links[id] = link
        for ticket in first.tickets {
            if first.isCancelled {
                refuse(ticket, .operationCancelled, "cancelled", at: now)
            } else {
                answer(ticket, .peripheral(.connect, link.identifier), at: now)
            }
        }
        if first.isCancelled { end(id, at: now) }
    }

    private mutating func connectionFailed(_ peer: BluetoothAddress, _ status: HCIStatus, at now: Instant) {
        report(.connectionFailed(peer, status))
        guard let first = attempts.first, first.isStarted else { return }
        attempts.removeFirst()
        // A cancelled attempt ends with Unknown Connection Identifier, by the time limit as well (7.8.13).
        let code = status == .unknownConnection ? SimBLECode.connectionTimeout : .connectionFailed
        gaveUp(first, code, "not connected: \(status)", at: now)
    }

    private mutating func disconnected(_ id: LinkID, _ reason: HCIStatus, at now: Instant) {
        guard var link = links.removeValue(forKey: id) else { return }
        report(.disconnected(link.address, reason))
        link.client.linkLost()
        for ticket in link.steps.values.map(\.ticket) + link.rssi {
            refuse(ticket, .notConnected, "the link has ended: \(reason)", at: now)
        }
        if link.ending.isEmpty, !link.isEnding { broadcast(.disconnected(link.identifier, SimBLECode(reason))) }
        for ticket in link.ending { answer(ticket, .peripheral(.disconnect, link.identifier), at: now) }
    }

    private mutating func rssi(_ id: LinkID, _ value: Int8?, at now: Instant) {
        guard var link = links[id], !link.rssi.isEmpty else { return }
        let ticket = link.rssi.removeFirst()
        links[id] = link
        answer(ticket, .rssi(link.identifier, value ?? SimBLEServer.noRSSI), at: now)
    }

    /// Ends the scan and the links of apps that have ended, as iOS does.
    mutating func endApps(at now: Instant) {
        absentSince = nil
        guard scan != nil || !links.isEmpty || !attempts.isEmpty else { return }
        endScan(at: now)
        attempts.removeAll { !$0.isStarted }
        if !attempts.isEmpty {
            attempts[0].isCancelled = true
            central.cancelConnecting(at: now)
        }
        for id in links.keys.sorted(by: { $0.generation < $1.generation }) { end(id, at: now) }
        report(.appsEnded)
    }

    // MARK: - Attributes

    /// Handles the events of a link's client, and sends its PDUs.
    private mutating func advance(_ id: LinkID, at now: Instant) {
        while let event = links[id]?.client.nextEvent() {
            switch event {
            case .completed(let operation, let result): completed(operation, result, id, at: now)
            case .notification(let handle, let value), .indication(let handle, let value):
                if let attribute = links[id]?.attribute(handle) { broadcast(.value(attribute, value)) }
            }
        }
        var pdu: [UInt8] = []
        while links[id]?.client.nextPDU(into: &pdu) == true {
            // A link that is ending sends nothing any more.
            guard (try? central.sendAttribute(id, pdu.span)) != nil else { break }
        }
    }

    private mutating func completed(
        _ operation: GATTOperationID, _ result: Result<GATTOutcome, GATTClientError>, _ id: LinkID, at now: Instant
    ) {
        // The exchange of the MTU has no step.
        guard var link = links[id], let step = link.steps.removeValue(forKey: operation) else { return }
        switch result {
        case .failure(let error):
            links[id] = link
            refuse(step.ticket, SimBLECode(error), "\(error)", at: now)
            // Nothing more may be sent on a bearer whose transaction has failed (Core 5.4, Vol 3, Part F, 3.3.3).
            if error.endsBearer { central.disconnect(id, at: now) }
        case .success(let outcome):
            let reply = link.proceed(step, outcome, at: now)
            links[id] = link
            switch reply {
            case nil: break
            case .refused(_, let code, let reason)?: refuse(step.ticket, code, reason, at: now)
            case let reply?: answer(step.ticket, reply, at: now)
            }
        }
    }
}

extension SimBLELink {
    /// Keeps what was found, and returns the answer; nil if another operation has to follow.
    fileprivate mutating func proceed(_ step: Step, _ outcome: GATTOutcome, at now: Instant) -> SimBLEAnswer? {
        switch (step, outcome) {
        case (.services(_, let filter), .services(let found)):
            services = found
            characteristics.removeAll()
            return .services(identifier, filtered(found.map(\.uuid), filter))
        case (.characteristics(_, let service, let filter), .characteristics(let found)):
            characteristics[service] = found
            return .characteristics(identifier, service: service.uuid, filtered(found.map(\.uuid), filter))
        case (.read(_, let attribute), .value(let value)): return .value(attribute, value)
        case (.write, _): return .done(.write)
        case (.descriptors(let ticket, let attribute, let characteristic, let enabled), .descriptors(let found)):
            return subscribe(ticket, attribute, characteristic, found, enabled, at: now)
        case (.subscribe(_, let attribute, let enabled), _): return .notify(attribute, enabled)
        default: return .refused(step.ticket.operation, .unknown, "an unexpected result")
        }
    }

    private func filtered(_ uuids: [BluetoothUUID], _ filter: [BluetoothUUID]?) -> [BluetoothUUID] {
        guard let filter else { return uuids }
        return uuids.filter(filter.contains)
    }

    /// Writes the configuration: notifications if the characteristic has them, otherwise indications (Core 5.4, Vol 3,
    /// Part G, 3.3.3.3).
    private mutating func subscribe(
        _ ticket: SimBLETicket, _ attribute: SimBLEAttribute, _ characteristic: RemoteCharacteristic,
        _ found: [RemoteDescriptor], _ enabled: Bool, at now: Instant
    ) -> SimBLEAnswer? {
        let properties = CharacteristicProperties(rawValue: characteristic.properties)
        let wanted: ClientConfiguration? =
            properties.contains(.notify) ? .notification : properties.contains(.indicate) ? .indication : nil
        guard let wanted, let descriptor = found.first(where: { $0.uuid == .clientConfiguration }) else {
            return .refused(ticket.operation, .requestNotSupported, "no notifications or indications")
        }
        start(
            .subscribe(descriptor: descriptor.handle, enabled ? wanted : []),
            .subscribe(ticket, attribute, enabled), at: now)
        return nil
    }
}

extension SimBLECode {
    /// The code for the end of a link: CoreBluetooth's for the usual reasons.
    init(_ reason: HCIStatus) {
        self =
            switch reason {
            case .connectionTimeout: .connectionTimeout
            case .connectionFailedToBeEstablished: .connectionFailed
            case .remoteUserTerminated, .remoteLowResources, .remotePowerOff: .peripheralDisconnected
            default: .unknown
            }
    }

    /// The ATT error of a refusal, or the nearest code.
    init(_ error: GATTClientError) {
        self =
            switch error {
            case .refused(_, let code): SimBLECode(rawValue: Int64(code))
            case .valueTooLong: .invalidLength
            case .linkLost: .notConnected
            case .timedOut: .connectionTimeout
            default: .unknown
            }
    }
}

extension GATTClientError {
    /// True if the client can send nothing any more.
    fileprivate var endsBearer: Bool {
        switch self {
        case .timedOut, .outOfStep: true
        default: false
        }
    }
}

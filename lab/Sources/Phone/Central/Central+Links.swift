// SPDX-License-Identifier: Apache-2.0

import Octets
public import Peripheral
public import Timekeeping

extension Central {
    /// Connects to `peer` at its next advertisement; `connected` or `connectionFailed` follows. One attempt at a
    /// time.
    public mutating func connect(
        to peer: BluetoothAddress, _ settings: ConnectionSettings = ConnectionSettings(), at now: Instant
    ) throws(CentralRefusal) {
        guard isReady else { throw .notReady }
        guard attempt == nil else { throw .connecting }
        attempt = Attempt(peer: peer, ends: now + settings.timeLimit)
        let parameters = settings.parameters
        command(
            controller.isExtended
                ? CentralCommand.extendedCreateConnection(peer, own: ownKind, parameters)
                : .createConnection(peer, own: ownKind, parameters), at: now)
    }

    /// Cancels the connection attempt; `connectionFailed` follows, or `connected` if it was established just before.
    public mutating func cancelConnecting(at now: Instant) {
        guard attempt?.isCancelling == false else { return }
        attempt?.isCancelling = true
        command(CentralCommand.createConnectionCancel, at: now)
    }

    /// Ends a link; `disconnected` follows, at the latest after the supervision time-out. Queued packets are
    /// discarded.
    public mutating func disconnect(
        _ link: LinkID, reason: HCIStatus = .remoteUserTerminated, at now: Instant
    ) {
        guard let index = index(of: link), !links[index].isDisconnecting else { return }
        links[index].isDisconnecting = true
        links[index].waiting.removeAll()
        command(HostCommand.disconnect(handle: links[index].handle, reason: reason), at: now)
    }

    /// Reads the RSSI of a link (Core 5.4, Vol 4, Part E, 7.5.4); `rssi` follows, unless the link ends first.
    public mutating func readRSSI(_ link: LinkID, at now: Instant) throws(CentralRefusal) {
        guard let index = index(of: link), !links[index].isDisconnecting else { throw .gone }
        readings.append(link)
        command(HostCommand.readRSSI(handle: links[index].handle), at: now)
    }

    /// Handles the answer to the oldest Read RSSI: handle and RSSI.
    mutating func rssiRead(_ status: HCIStatus, _ returned: Span<UInt8>) {
        guard !readings.isEmpty else { return }
        let link = readings.removeFirst()
        guard index(of: link) != nil else { return }
        var cursor = OctetCursor(returned)
        let value = (try? cursor.u16(returned)).flatMap { _ in try? cursor.i8(returned) }
        events.append(.rssi(link, status == .success && value != AdvertisementReport.noRSSI ? value : nil))
    }

    /// Queues an ATT PDU of at most 517 octets on the link (Core 5.4, Vol 3, Part A, 3.1, channel 0x0004). PDUs are
    /// sent in order.
    public mutating func sendAttribute(_ link: LinkID, _ pdu: Span<UInt8>) throws(CentralRefusal) {
        guard let index = index(of: link), !links[index].isDisconnecting else { throw .gone }
        guard pdu.count <= CentralLink.maximumPDU else { throw .tooLong }
        guard links[index].waiting.count < CentralLink.maximumWaiting else { throw .busy }
        links[index].queue(pdu, channel: .attribute, fragment: controller.buffers.length)
        sendData()
    }

    /// The peer of a link; nil if the link has ended.
    public func peer(of link: LinkID) -> BluetoothAddress? {
        index(of: link).map { links[$0].peer }
    }

    /// The number of ACL packets of the link that have not been reported as completed.
    public func pendingPackets(_ link: LinkID) -> Int {
        index(of: link).map { links[$0].waiting.count + links[$0].unacknowledged } ?? 0
    }

    func index(of link: LinkID) -> Int? { links.firstIndex { $0.id == link } }

    func index(ofHandle handle: UInt16) -> Int? { links.firstIndex { $0.handle == handle } }

    /// Sends queued packets while the controller has room, a packet of each link in turn.
    mutating func sendData() {
        var idle = 0
        while freePackets > 0, idle < links.count {
            if turn >= links.count { turn = 0 }
            if links[turn].waiting.isEmpty {
                idle += 1
            } else {
                idle = 0
                outbound.append(links[turn].waiting.removeFirst())
                links[turn].unacknowledged += 1
                freePackets -= 1
            }
            turn += 1
        }
    }

    /// Handles ACL data from the controller (Core 5.4, Vol 4, Part E, 5.4.2).
    mutating func receiveData(_ bytes: Span<UInt8>, at now: Instant) throws(OctetError) {
        guard let data = try DataPacket.parse(bytes), let index = index(ofHandle: data.handle) else {
            malformedPackets += 1
            return
        }
        let fragment = bytes.extracting(data.fragment)
        switch links[index].reassembly.receive(fragment, isStart: data.isStart) {
        case .incomplete: break
        case .dropped: malformedPackets += 1
        case .complete(let channel, let range, let isInFragment):
            var payload: [UInt8] = []
            if isInFragment {
                payload.append(fragment.extracting(range))
            } else {
                payload += links[index].reassembly.octets[range]
            }
            received(payload, channel: channel, index, at: now)
        }
    }
}

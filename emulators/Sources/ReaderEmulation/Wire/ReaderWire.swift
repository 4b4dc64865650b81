// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Peripheral
import Reader
import Timekeeping

/// The packets between a reader's host and its controller: the events of the links in them, and changes on command.
///
/// The reader above is as it always is. RSSI readings, the ATT_MTU and messages of the session are changed on the way;
/// links are ended by commands of the wire's own, whose answers the host does not see.
struct ReaderWire {
    /// An event of a link, which has the number of its connection handle.
    enum Event: Equatable {
        case connected(UInt16, peer: BluetoothAddress)
        case disconnected(UInt16, reason: UInt8)
        case mtu(UInt16, Int)
        /// The app has written a configuration of a TX.
        case subscribed(UInt16, notifications: Bool, indications: Bool)
        /// The app has sent an ATT PDU.
        case active(UInt16)
        /// The app has sent a message, or octets that are not a message.
        case asked(UInt16, [UInt8], MessageAssembler.Outcome, withResponse: Bool, hasSwappedLength: Bool)
        /// A message of the reader has begun.
        case told(UInt16, MessageHeader, MessageTreatment)
        /// The host has handed over all of a message.
        case finished(UInt16, MessageTreatment)
        /// All links have ended, since the host has reset the controller.
        case reset
    }

    /// The treatment of a message of a link.
    typealias Treat = (UInt16, MessageHeader) -> MessageTreatment

    private struct Link {
        let peer: BluetoothAddress
        var inbound = ATTFragments()
        var outbound = ATTFragments()
        var asking = MessageEditor()
        var answering = MessageEditor()
        var assembler = MessageAssembler()
        var frame: [UInt8] = []
        /// The octets of the current message's payload, as its header announces them, and its last frame.
        var announced = 0
        var frameAt = Instant.origin
        var wantsResponse = false
        /// The configurations that the app has written, by handle.
        var configurations: [UInt16: UInt8] = [:]
        /// The configuration of the TX on which the reader answers.
        var answers: UInt16?
        var requestedMTU = 23
        /// Packets that wait, in order.
        var held: [(due: Instant, packet: [UInt8])] = []
        var isEnding = false
        /// True if the controller has the wire's command to end it.
        var isEnded = false
    }

    /// The handles of RX, each mapped to the configuration handle of its service's TX.
    let rx: [UInt16: UInt16]
    /// The reading that replaces the controller's; nil uses the controller's.
    var reading: Int8?
    /// The largest ATT_MTU that is agreed on; nil for the host's own.
    var mtu: Int?
    private var links: [UInt16: Link] = [:]
    private var events: [Event] = []
    /// The host's commands without an answer, and those that wait for the wire's own.
    private var openCommands = 0
    private var waiting: [[UInt8]] = []
    private var own: [[UInt8]] = []
    private var isOwnOpen = false
    /// Events for the host that no controller has sent.
    private var answers: [[UInt8]] = []

    init(_ table: AccessTable) {
        // The configuration of TX is behind its value.
        rx = Dictionary(uniqueKeysWithValues: table.services.map { ($0.rx.rawValue, $0.tx.rawValue + 1) })
    }

    mutating func takeEvents() -> [Event] {
        defer { events.removeAll() }
        return events
    }

    /// The next event for the host.
    mutating func nextAnswer() -> [UInt8]? { answers.isEmpty ? nil : answers.removeFirst() }

    /// The time at which a packet that waits is due.
    var deadline: Instant? { links.values.compactMap { $0.held.first?.due }.min() }

    /// Ends a link, once.
    mutating func disconnect(_ handle: UInt16, reason: HCIStatus) {
        guard links[handle]?.isEnding == false else { return }
        links[handle]?.isEnding = true
        // HCI_Disconnect (Core 5.4, Vol 4, Part E, 7.1.6).
        own.append([0x01, 0x06, 0x04, 3, UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8), reason.rawValue])
    }

    /// The incomplete message of a link, with the time of its last frame; nil if the link has none.
    func unfinished(_ handle: UInt16) -> (message: UnfinishedMessage, since: Instant, withResponse: Bool)? {
        guard let link = links[handle], link.assembler.isAssembling else { return nil }
        let message = UnfinishedMessage(received: link.assembler.payload.count, announced: link.announced)
        return (message, link.frameAt, link.wantsResponse)
    }

    /// The state of a link's subscription to the answers of the reader.
    func subscription(_ handle: UInt16) -> ReaderSubscription {
        guard let link = links[handle], let answers = link.answers else { return .present }
        switch link.configurations[answers] {
        case let bits? where bits & 1 == 1: return .present
        case let bits? where bits & 2 == 2: return .indications
        case .some: return .ended
        case nil: return link.configurations.values.contains { $0 & 1 == 1 } ? .elsewhere : .absent
        }
    }

    // MARK: - From the controller

    /// Handles a packet of the controller.
    ///
    /// - Parameter treat: the treatment of a message of the app, of which only a spoilt proof counts.
    /// - Returns: false if the host does not get it.
    mutating func receive(_ packet: inout [UInt8], at now: Instant, treat: Treat) -> Bool {
        switch packet.first {
        case 0x04 where packet.count > 3: return receive(event: &packet)
        case 0x02 where packet.count > 5:
            let handle = ReaderWire.handle(packet, 1)
            guard let part = links[handle]?.inbound.part(of: packet) else { return true }
            events.append(.active(handle))
            receive(&packet, part, handle, at: now, treat)
            return true
        default: return true
        }
    }

    private mutating func receive(event packet: inout [UInt8]) -> Bool {
        switch packet[1] {
        case 0x0E where packet.count >= 6:
            let opcode = ReaderWire.number(packet, 4)
            if opcode != 0 { openCommands = max(0, openCommands - 1) }
            // Read RSSI: status, handle, reading (7.5.4).
            if opcode == 0x1405, packet.count >= 10, packet[6] == 0, let reading {
                packet[9] = UInt8(bitPattern: reading)
            }
        case 0x0F where packet.count >= 7:
            guard isOwnOpen else {
                if ReaderWire.number(packet, 5) != 0 { openCommands = max(0, openCommands - 1) }
                break
            }
            isOwnOpen = false
            return false
        case 0x05:
            guard let handle = ReaderWire.endedLink(packet) else { break }
            if links.removeValue(forKey: handle) != nil { events.append(.disconnected(handle, reason: packet[6])) }
        case 0x3E: noteConnection(packet)
        default: break
        }
        return true
    }

    /// LE Connection Complete, and its enhanced forms (7.7.65.1, .10 and .41), which begin alike.
    private mutating func noteConnection(_ packet: [UInt8]) {
        guard packet.count >= 15, [0x01, 0x0A, 0x29].contains(packet[3]), packet[4] == 0 else { return }
        var value: UInt64 = 0
        for index in (9..<15).reversed() { value = value << 8 | UInt64(packet[index]) }
        let peer = BluetoothAddress(kind: packet[8] & 1 == 0 ? .public : .random, value: value)
        let handle = ReaderWire.handle(packet, 5)
        links[handle] = Link(peer: peer)
        events.append(.connected(handle, peer: peer))
    }

    private mutating func receive(
        _ packet: inout [UInt8], _ part: ATTPart, _ handle: UInt16, at now: Instant, _ treat: Treat
    ) {
        switch part.opcode {
        case ATTPart.mtuRequest where part.value.count >= 2:
            limitMTU(&packet, part)
            links[handle]?.requestedMTU = ReaderWire.number(packet, part.value.lowerBound)
        case ATTPart.writeRequest where rx.values.contains(part.attribute) && part.isFirst:
            guard part.value.count >= 2 else { break }
            let bits = packet[part.value.lowerBound]
            links[handle]?.configurations[part.attribute] = bits
            events.append(.subscribed(handle, notifications: bits & 1 == 1, indications: bits & 2 == 2))
        case ATTPart.writeRequest, ATTPart.writeCommand:
            guard let answers = rx[part.attribute], var link = links[handle] else { break }
            if part.isFirst { link.frame.removeAll() }
            (link.answers, link.frameAt) = (answers, now)
            link.frame += packet[part.value]
            if let header = link.asking.header(in: packet, part) {
                link.asking.begin(header, treat(handle, header), in: &packet, part)
            }
            _ = link.asking.pass(&packet, part)
            if part.isLast { consume(&link, handle, withResponse: part.opcode == ATTPart.writeRequest) }
            links[handle] = link
        default: break
        }
    }

    private mutating func consume(_ link: inout Link, _ handle: UInt16, withResponse: Bool) {
        let frame = link.frame
        link.wantsResponse = withResponse
        var received = link.assembler.payload.count + frame.count
        if !link.assembler.isAssembling {
            link.announced = MessageHeader(startOf: frame.span)?.payloadCount ?? 0
            received -= MessageHeader.octetCount
        }
        let outcome = link.assembler.receive(frame.span)
        guard outcome != .incomplete, outcome != .dropped else { return }
        let isSwapped = UnfinishedMessage.isSwapped(link.announced, received)
        events.append(
            .asked(
                handle, link.assembler.payload, outcome, withResponse: withResponse,
                hasSwappedLength: outcome != .message(.ok) && isSwapped))
        link.assembler.reset()
        // A message that is not one may have left the count of its octets wrong.
        switch outcome {
        case .rejected, .tooLong: link.asking = MessageEditor()
        case .incomplete, .dropped, .message: break
        }
    }

    // MARK: - From the host

    /// Handles a packet of the host.
    ///
    /// - Returns: false if it waits, or is not sent.
    mutating func send(_ packet: inout [UInt8], at now: Instant, treat: Treat) -> Bool {
        switch packet.first {
        case 0x01 where packet.count > 2:
            // HCI_Reset (7.3.2).
            if ReaderWire.number(packet, 1) == 0x0C03 { reset() }
            guard !isOwnOpen else {
                waiting.append(packet)
                return false
            }
            openCommands += 1
            return true
        case 0x02 where packet.count > 5:
            let handle = ReaderWire.handle(packet, 1)
            // Of a link that has ended, or is about to: the controller would discard it.
            guard var link = links[handle], !link.isEnded else { return false }
            let isSent = send(&packet, &link, handle, at: now, treat)
            links[handle] = link
            return isSent
        default: return true
        }
    }

    private mutating func send(
        _ packet: inout [UInt8], _ link: inout Link, _ handle: UInt16, at now: Instant, _ treat: Treat
    ) -> Bool {
        var due = link.held.last?.due
        if let part = link.outbound.part(of: packet) {
            if part.opcode == ATTPart.mtuResponse, part.value.count >= 2 {
                limitMTU(&packet, part)
                let agreed = min(link.requestedMTU, ReaderWire.number(packet, part.value.lowerBound))
                events.append(.mtu(handle, max(23, agreed)))
            }
            if part.opcode == ATTPart.notification {
                let delay = pass(&packet, part, &link, handle, treat)
                guard let delay else {
                    answers.append(ReaderWire.completed(handle))
                    return false
                }
                if delay > .zero { due = max(due ?? now, now + delay) }
            }
        }
        guard let due else { return true }
        link.held.append((due, packet))
        return false
    }

    /// Passes a frame of the reader.
    ///
    /// - Returns: the delay of its message; nil if it is not sent.
    private mutating func pass(
        _ packet: inout [UInt8], _ part: ATTPart, _ link: inout Link, _ handle: UInt16, _ treat: Treat
    ) -> Duration? {
        var delay = Duration.zero
        if let header = link.answering.header(in: packet, part) {
            let treatment = treat(handle, header)
            link.answering.begin(header, treatment, in: &packet, part)
            delay = treatment.delay
            events.append(.told(handle, header, treatment))
        }
        let treatment = link.answering.treatment
        if link.answering.pass(&packet, part) { events.append(.finished(handle, treatment)) }
        return treatment.isDropped || treatment.disconnectsBefore ? nil : delay
    }

    /// The next packet for the controller that the host has not just sent: what has waited, and the wire's own.
    mutating func nextPacket(at now: Instant) -> [UInt8]? {
        for handle in links.keys.sorted() {
            if let first = links[handle]?.held.first, first.due <= now {
                return links[handle]?.held.removeFirst().packet
            }
        }
        if isOwnOpen { return nil }
        if !waiting.isEmpty {
            openCommands += 1
            return waiting.removeFirst()
        }
        guard openCommands == 0, !own.isEmpty else { return nil }
        isOwnOpen = true
        let command = own.removeFirst()
        let handle = ReaderWire.handle(command, 4)
        links[handle]?.isEnded = true
        links[handle]?.held.removeAll()
        return command
    }

    // MARK: - Details

    private mutating func limitMTU(_ packet: inout [UInt8], _ part: ATTPart) {
        let index = part.value.lowerBound
        guard let mtu, ReaderWire.number(packet, index) > mtu else { return }
        packet[index] = UInt8(truncatingIfNeeded: mtu)
        packet[index + 1] = UInt8(truncatingIfNeeded: mtu >> 8)
    }

    /// Takes over the changes on command of another wire, whose links have ended.
    mutating func adopt(over former: ReaderWire) {
        (reading, mtu) = (former.reading, former.mtu)
        if !former.links.isEmpty { events.append(.reset) }
    }

    /// Handles the loss of the transport, which the host reports for each link.
    mutating func transportLost() {
        links.removeAll()
        reset()
    }

    private mutating func reset() {
        if !links.isEmpty { events.append(.reset) }
        links.removeAll()
        own.removeAll()
        waiting.removeAll()
        answers.removeAll()
        (openCommands, isOwnOpen) = (0, false)
    }

    /// Number Of Completed Packets for one packet (7.7.19).
    private static func completed(_ handle: UInt16) -> [UInt8] {
        [0x04, 0x13, 5, 1, UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8), 1, 0]
    }

    /// The link that a Disconnection Complete ends (7.7.5); nil for any other packet.
    static func endedLink(_ packet: [UInt8]) -> UInt16? {
        guard packet.count >= 7, packet[0] == 0x04, packet[1] == 0x05, packet[3] == 0 else { return nil }
        return handle(packet, 4)
    }

    private static func handle(_ packet: [UInt8], _ index: Int) -> UInt16 {
        UInt16(truncatingIfNeeded: number(packet, index) & 0x0FFF)
    }

    private static func number(_ packet: [UInt8], _ index: Int) -> Int {
        Int(packet[index]) | Int(packet[index + 1]) << 8
    }
}

// SPDX-License-Identifier: Apache-2.0

import MatterInteraction
import MatterTLV
import Timekeeping

/// Messages of the interaction model from three peers, octets or sound requests with any path, between changes,
/// events, time and the ends of sessions. Each message has at most one answer, which is TLV and fits a datagram; what
/// is kept has a bound; the model is asked for nothing that the peer may not do; and in the end a good read goes
/// through.
func fuzzInteraction(_ input: inout FuzzInput) {
    var rig = InteractionRig()
    while let choice = input.next() {
        switch choice {
        case 0..<0x30: rig.receive(choice & 15, input.block(), &input)
        case 0x30..<0xA0: rig.request(choice, &input)
        case 0xA0..<0xB8: rig.receive(1, StatusMessage.octets(choice < 0xB4 ? 0 : choice), &input)
        case 0xB8..<0xC0: rig.answerOpening(exists: choice != 0xB8)
        case 0xC0..<0xC8: rig.server.changed(rig.path(&input))
        case 0xC8..<0xD0: rig.record(input.octet(), input.block())
        case 0xD0..<0xD4: rig.complete(input.octet())
        case 0xD4: rig.perform { $0.sessionEnded(UInt16(choice), effects: &$1) }
        case 0xD5..<0xD8: rig.perform { $0.sessionEnded(UInt16(choice - 0xD5), effects: &$1) }
        case 0xD8: rig.perform { $0.fabricRemoved(1, effects: &$1) }
        case 0xD9..<0xDC: rig.fail(input.octet())
        case 0xDC..<0xE0: rig.restart(&input)
        case 0xE0..<0xF0: rig.pass(.milliseconds(Int(input.word())))
        default: rig.passToDeadline()
        }
    }
    rig.recover()
}

private enum StatusMessage {
    static func octets(_ status: UInt8) -> [UInt8] { [0x15, 0x24, 0x00, status, 0x24, 0xFF, 0x0C, 0x18] }
}

private struct InteractionRig: ~Copyable, TimedRig {
    var server = InteractionServer(firstSubscription: 0)
    var model = FuzzModel()
    var now = Instant.origin
    private var openings: [UInt32] = []
    private var nextExchange: UInt32 = 1000

    var deadline: Instant? { server.deadline }

    /// A commissioner, an administrator, and a peer that may only read.
    static let peers = [
        Accessor(authentication: .pase, fabric: nil, session: 0),
        Accessor(authentication: .case(node: 1, tags: []), fabric: 1, session: 1),
        Accessor(authentication: .case(node: 2, tags: [0x0001_0002]), fabric: 2, session: 2),
    ]

    mutating func reach(_ instant: Instant) { perform { $0.advance(to: instant, effects: &$1) } }

    /// A message on one of 16 exchanges of one of the peers.
    mutating func receive(_ opcode: UInt8, _ octets: [UInt8], _ input: inout FuzzInput) {
        let choice = input.octet()
        let exchange = choice & 0x40 == 0 ? UInt32(choice & 15) : max(1000, nextExchange - UInt32(choice & 15))
        receive(opcode, octets, on: exchange, by: InteractionRig.peers[Int(choice >> 4 & 3) % 3])
    }

    @discardableResult
    private mutating func receive(
        _ opcode: UInt8, _ octets: [UInt8], on exchange: UInt32, by peer: Accessor
    ) -> [InteractionEffect] {
        var effects: [InteractionEffect] = []
        server.receive(opcode, octets, exchange: exchange, by: peer, model: &model, at: now, effects: &effects)
        let sent = effects.count { if case .send = $0 { true } else { false } }
        require(sent <= 1, "\(sent) answers to one message")
        verify(effects)
        return effects
    }

    /// A request as a sound peer builds it, with paths that the input chooses.
    mutating func request(_ choice: UInt8, _ input: inout FuzzInput) {
        let opcode: UInt8 = [2, 3, 6, 6, 8, 10, 2][Int(choice >> 4) - 3]
        let path = path(&input)
        let shape = input.octet()
        var writer = TLVWriter()
        writer.structure(as: .anonymous) { message in
            switch opcode {
            case 2: FuzzRequest.read(into: &message, path, shape)
            case 3: FuzzRequest.subscribe(into: &message, path, shape, input.octet())
            case 6: FuzzRequest.write(into: &message, path, shape, input.block())
            case 8: FuzzRequest.invoke(into: &message, path, shape)
            default: message.unsigned(shape, as: 0)
            }
        }
        receive(opcode, writer.octets, &input)
    }

    /// An attribute, mostly one that exists.
    func path(_ input: inout FuzzInput) -> AttributePath {
        let choice = input.octet()
        return AttributePath(
            EndpointNumber(rawValue: UInt16(choice & 3)), choice & 4 == 0 ? 6 : 0x1F,
            choice & 0x80 == 0
                ? AttributeID(rawValue: UInt32(choice >> 3 & 7)) : AttributeID(rawValue: 0xFFF8 + UInt32(choice & 7)))
    }

    mutating func answerOpening(exists: Bool) {
        guard let subscription = openings.popLast() else { return }
        nextExchange += 1
        let exchange = exists ? nextExchange : nil
        var effects: [InteractionEffect] = []
        server.exchangeOpened(subscription, exchange: exchange, model: model, at: now, effects: &effects)
        verify(effects)
    }

    mutating func record(_ choice: UInt8, _ data: [UInt8]) {
        let before = server.events.nextNumber
        let receipt = server.record(
            EventRecord(
                EventPath(1, 6, EventID(rawValue: UInt32(choice & 1))), priority: choice & 2 == 0 ? .info : .critical,
                fabric: choice & 4 == 0 ? nil : 1, time: .system(milliseconds: 1),
                data: choice & 8 == 0 ? data : [0x15, 0x18]))
        require(receipt.map { $0.number == before } ?? true, "a number is left out")
    }

    mutating func complete(_ choice: UInt8) {
        let ticket = model.tickets.isEmpty ? CommandTicket(rawValue: UInt32(choice)) : model.tickets.removeLast()
        perform { $0.complete(ticket, with: .status(.success), effects: &$1) }
    }

    mutating func fail(_ choice: UInt8) {
        let exchange = choice < 16 ? UInt32(choice) : nextExchange
        perform { $0.exchangeFailed(exchange, effects: &$1) }
    }

    /// The node starts again with its events, or with any octets in their place.
    mutating func restart(_ input: inout FuzzInput) {
        let number = server.events.nextNumber
        guard let events = try? EventBuffer(restoring: server.events.encoded()) else { finding("events are lost") }
        require(events.nextNumber >= number, "event numbers are used twice")
        let any = try? EventBuffer(restoring: input.block())
        server = InteractionServer(events: any ?? events, firstSubscription: 0)
        openings = []
    }

    mutating func perform(_ body: (inout InteractionServer, inout [InteractionEffect]) -> Void) {
        var effects: [InteractionEffect] = []
        body(&server, &effects)
        verify(effects)
    }

    private mutating func verify(_ effects: [InteractionEffect]) {
        for effect in effects {
            switch effect {
            case .send(_, let payload, _, _):
                require(payload.count <= InteractionLimits.largestMessage, "\(payload.count) octets in one message")
                require((try? TLVElement(payload)) != nil, "what is sent cannot be read")
            case .openReport(_, let subscription): openings.append(subscription)
            default: break
            }
        }
        require(server.transactionCount <= InteractionLimits.transactions + InteractionLimits.subscriptions, "leak")
        require(server.subscriptionCount <= InteractionLimits.subscriptions, "more subscriptions than there may be")
    }

    /// After the times of everything that is open, the server is as good as new.
    mutating func recover() {
        for session in 0..<3 as Range<UInt16> { perform { $0.sessionEnded(session, effects: &$1) } }
        require(server.transactionCount == 0 && server.subscriptionCount == 0, "something is left of sessions")
        require(server.deadline == nil, "something is due without a session")
        let message: [UInt8] = [
            0x15, 0x36, 0, 0x17, 0x24, 2, 1, 0x24, 3, 6, 0x25, 4, 0xFD, 0xFF, 0x18, 0x18, 0x28, 3, 0x18,
        ]
        let effects = receive(2, message, on: 5, by: InteractionRig.peers[0])
        guard case .send(5, let payload, 5, false)? = effects.first else { finding("a good read has no report") }
        require(payload.contains(0x77), "a good read has another value")
    }
}

private enum FuzzRequest {
    static func read(into message: inout TLVWriter, _ path: AttributePath, _ shape: UInt8) {
        if shape & 1 != 0 { message.array(as: 0) { selectors(into: &$0, path, shape) } }
        if shape & 2 != 0 {
            message.array(as: 1) { paths in
                paths.list(as: .anonymous) { if shape & 0x40 != 0 { writeEvent(path, into: &$0) } }
            }
        }
        message.bool(shape & 4 != 0, as: 3)
        if shape & 8 != 0 { versions(into: &message, as: 4) }
    }

    static func subscribe(into message: inout TLVWriter, _ path: AttributePath, _ shape: UInt8, _ interval: UInt8) {
        message.bool(shape & 8 != 0, as: 0)
        message.unsigned(interval & 3, as: 1)
        message.unsigned(interval >> 2, as: 2)
        if shape & 1 != 0 { message.array(as: 3) { selectors(into: &$0, path, shape) } }
        if shape & 2 != 0 {
            message.array(as: 4) { paths in
                paths.list(as: .anonymous) { $0.bool(shape & 4 != 0, as: 4) }
            }
        }
        message.bool(shape & 4 != 0, as: 7)
    }

    static func write(into message: inout TLVWriter, _ path: AttributePath, _ shape: UInt8, _ data: [UInt8]) {
        message.bool(shape & 0x80 != 0, as: 0)
        message.bool(shape & 1 != 0, as: 1)
        message.array(as: 2) { items in
            for number in 0..<1 + shape >> 5 & 3 {
                items.structure(as: .anonymous) { item in
                    item.list(as: 1) { fields in
                        write(path, into: &fields)
                        if number > 0 { fields.null(as: 5) }
                    }
                    if shape & 4 != 0 { item.array(as: 2) { _ in } } else { item.octets(data, as: 2) }
                }
            }
        }
        message.bool(shape & 2 != 0, as: 3)
    }

    static func invoke(into message: inout TLVWriter, _ path: AttributePath, _ shape: UInt8) {
        message.bool(shape & 0x80 != 0, as: 0)
        message.bool(shape & 1 != 0, as: 1)
        message.array(as: 2) { items in
            items.structure(as: .anonymous) { item in
                item.list(as: 0) { fields in
                    fields.unsigned(path.endpoint.rawValue, as: 0)
                    fields.unsigned(path.cluster.rawValue, as: 1)
                    fields.unsigned(shape >> 1 & 3, as: 2)
                }
                if shape & 8 != 0 { item.structure(as: 1) { _ in } }
            }
        }
    }

    private static func selectors(into list: inout TLVWriter, _ path: AttributePath, _ shape: UInt8) {
        for _ in 0..<1 + shape >> 6 {
            list.list(as: .anonymous) { fields in
                if shape & 0x10 != 0 { write(path, into: &fields) }
                if shape & 0x20 != 0 { fields.unsigned(UInt32(shape) << 1, as: 6) }
            }
        }
    }

    private static func versions(into message: inout TLVWriter, as tag: TLVTag) {
        message.array(as: tag) { filters in
            filters.structure(as: .anonymous) { filter in
                filter.list(as: 0) { cluster in
                    cluster.unsigned(1 as UInt8, as: 1)
                    cluster.unsigned(6 as UInt8, as: 2)
                }
                filter.unsigned(1 as UInt8, as: 1)
            }
        }
    }

    private static func writeEvent(_ path: AttributePath, into fields: inout TLVWriter) {
        fields.unsigned(path.endpoint.rawValue, as: 1)
        fields.unsigned(path.cluster.rawValue, as: 2)
        fields.unsigned(path.attribute.rawValue, as: 3)
    }

    private static func write(_ path: AttributePath, into fields: inout TLVWriter) {
        fields.unsigned(path.endpoint.rawValue, as: 2)
        fields.unsigned(path.cluster.rawValue, as: 3)
        fields.unsigned(path.attribute.rawValue, as: 4)
    }
}

/// Three endpoints with two clusters each. It finds fault with every question that the server should not ask.
private struct FuzzModel: DataModel {
    private static let clusters = [
        ClusterDeclaration(
            6, revision: 0x77,
            attributes: [
                AttributeDeclaration(0, writePrivilege: .operate), AttributeDeclaration(1),
                AttributeDeclaration(2, writePrivilege: .manage, isList: true),
                AttributeDeclaration(3, writePrivilege: .operate, isTimed: true),
                AttributeDeclaration(4, isList: true), AttributeDeclaration(5, readPrivilege: .manage),
            ],
            commands: [
                CommandDeclaration(0), CommandDeclaration(1, isTimed: true), CommandDeclaration(2, response: 7),
            ],
            events: [EventDeclaration(0, priority: .info), EventDeclaration(1, privilege: .manage, priority: .info)]),
        ClusterDeclaration(
            0x1F, revision: 1,
            attributes: [
                AttributeDeclaration(
                    0, readPrivilege: .administer, writePrivilege: .administer, isFabricScoped: true, isList: true)
            ]),
    ]

    let endpoints = (0..<3 as Range<UInt16>).map {
        EndpointDeclaration(
            EndpointNumber(rawValue: $0), deviceTypes: [DeviceTypeDeclaration(0x0A, revision: 3)],
            clusters: FuzzModel.clusters)
    }
    let accessEntries = [
        AccessControlEntry(fabric: 1, privilege: .administer, authenticationMode: .case, subjects: [1], targets: nil),
        AccessControlEntry(
            fabric: 2, privilege: .view, authenticationMode: .case, subjects: [0xFFFF_FFFD_0001_0001], targets: nil),
    ]
    var version: UInt32 = 1
    var list: [[UInt8]] = []
    var tickets: [CommandTicket] = []

    func dataVersion(endpoint: EndpointNumber, cluster: ClusterID) -> UInt32 { version }

    func read(
        _ path: AttributePath, by accessor: Accessor, fabricFiltered: Bool, into writer: inout TLVWriter,
        as tag: TLVTag, at now: Instant
    ) throws(StatusInformation) {
        require(accessor.fabric != 2 || path.cluster == 6 && path.attribute != 5, "a value that is secret is read")
        switch path.attribute {
        case 1: throw StatusInformation(.busy)
        case 2: writer.array(as: tag) { array in for entry in list { array.octets(entry, as: .anonymous) } }
        case 4:
            writer.array(as: tag) { array in
                for _ in 0..<30 { array.octets(repeatElement(1, count: 50), as: .anonymous) }
            }
        default: writer.unsigned(version, as: tag)
        }
    }

    mutating func write(
        _ path: AttributePath, _ operation: WriteOperation, by accessor: Accessor, at now: Instant
    ) throws(StatusInformation) {
        require(accessor.fabric != 2, "a peer that may not write does")
        require(path.attribute != 3 || accessor.isTimed, "an untimed write")
        require(accessor.fabric != nil || path.cluster == 6, "a write without a fabric")
        version &+= 1
        switch operation {
        case .replace: list = []
        case .append(let element):
            require(path.attribute == 2 || path.cluster == 0x1F, "an entry of what is no list")
            guard list.count < 20 else { throw StatusInformation(.resourceExhausted) }
            list.append((try? element.octets()) ?? [])
        }
    }

    mutating func invoke(
        _ path: CommandPath, fields: TLVElement?, ticket: CommandTicket, by accessor: Accessor, at now: Instant
    ) -> CommandOutcome {
        require(accessor.fabric != 2 && path.cluster == 6, "a peer that may not operate does")
        require(path.command != 1 || accessor.isTimed, "an untimed command")
        guard path.command == 2 else { return .status(.success) }
        guard version & 1 == 0 else { return .response(7, fields: [0x15, 0x18]) }
        tickets = tickets.suffix(7) + [ticket]
        return .later(ticket)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterCredentials
import MatterFaults
import MatterInteraction
@_spi(Fuzzing) import MatterNode
import MatterSession
import MatterTLV
import TestSupport
import Timekeeping
import WiFi
import WiFiStation

/// A whole node: messages of three peers to every cluster, datagrams, operations, the station, storage that may fail,
/// losses of power and time. What is stored can always be restored; a node is commissionable or on a fabric after a
/// loss of power, never between; no lock opens against a safety input; and damage of what is stored makes no new node.
func fuzzMatterNode(_ input: inout FuzzInput) {
    let first = input.octet()
    if first & 0x80 != 0 { return fuzzMatterDocument(&input) }
    var rig = MatterNodeRig(first)
    while let choice = input.next() {
        switch choice {
        case 0..<0x70: rig.request(choice, &input)
        case 0x70..<0x78: rig.message(choice & 15, input.block(), &input)
        case 0x78..<0x80: rig.datagram(input.block(), overBluetooth: choice & 1 == 1)
        case 0x80..<0xA0: rig.operate(&input)
        case 0xA0..<0xB0: rig.station(&input)
        case 0xB0..<0xC0: rig.store(isSuccess: choice & 3 != 0)
        case 0xC0..<0xC8: rig.cutPower()
        case 0xC8: rig.perform { $0.openWindow(at: $1) }
        case 0xC9: rig.perform { $0.closeWindow(at: $1) }
        case 0xCA: rig.perform { $0.factoryReset(at: $1) }
        case 0xCB: rig.perform { $0.linkLost(.ble(link: 1), at: $1) }
        case 0xCC..<0xD0: rig.inject(choice & 3, &input)
        case 0xD0..<0xF0: rig.pass(.milliseconds(Int(input.word())))
        default: rig.passToDeadline()
        }
    }
    rig.recover()
}

/// A damaged document is refused, or restores the one fabric that was in it.
private func fuzzMatterDocument(_ input: inout FuzzInput) {
    var document = MatterNodeRig.document
    let count = 1 + input.number(below: 4)
    for _ in 0..<count {
        let offset = Int(input.word()) % document.count
        document[offset] ^= input.octet()
    }
    guard let node = MatterNodeRig.node(0, restoring: document) else { return }
    require(node.fabrics.count == 1, "damage removed a fabric")
    require(node.window == nil, "damage opened a window")
    _ = MatterNodeRig.node(0, restoring: input.rest())
}

private struct MatterNodeRig: ~Copyable, TimedRig {
    /// A lock on Wi-Fi that the administrator 112233 has commissioned to fabric 1.
    static let document = FuzzKeys.octets(
        """
        152400013601152400013001e11530010101240201370324140718240401240500370624140718240701240801300941041e1853
        2fd4754c02f3041d9c75ceb33b83ffd81ac7ce4fe882ccb1c98bc5896ea46c311c4e2ff40dd96a3653e6e45445d32dfe486eced7
        5c7a90c6a18881c0a3370a35012901182402603004141e18532fd4754c02f3041d9c75ceb33b83ffd81a3005141e18532fd4754c
        02f3041d9c75ceb33b83ffd81a18300b40f249cdc6884c8b42c6108fa52d3794c27b06ed7c9c41b51a28573bd797de23a2c9778a
        93cb398567f0753943ee533b8fd516add1d5fab9e67abcc78b9ffafba2183002ed15300101012402013703241407182404012405
        003706251101102515b1fa1824070124080130094104bb74831c3a96c30ce667fd22032fa9e5da7f00035b93bb76e187a92550e6
        b74ee284fb807e466c31b525d3169ea0e13efa9581379809db33b2da2afff759251a370a35012801182402013603040204011830
        0414bb74831c3a96c30ce667fd22032fa9e5da7f00033005141e18532fd4754c02f3041d9c75ceb33b83ffd81a18300b409db06c
        dca564bb151d7e8f8898993c50b16d521bc7037546957853ed31f0a2bd1379ac4b9cfb1a80b309408b8c945899528287baa6e273
        01b9fd9456cb9c2c7718300410070707070707070707070707070707073005f12d2d2d2d2d424547494e2050524956415445204b
        45592d2d2d2d2d0a4d494748416745414d424d4742797147534d34394167454743437147534d3439417745484247307761774942
        415151676f3553384132653650734d63356854740a5978736f30307642616f36686f384868465334514c5358416454536852414e
        434141533764494d634f706244444f5a6e2f5349444c366e6c326e3841413175540a7533626868366b6c554f613354754b452b34
        422b526d77787453585446703667345437366c5945336d416e624d374c614b762f33575355610a2d2d2d2d2d454e442050524956
        415445204b45592d2d2d2d2d0a2506f1ff2c0700181824020236031524010524020236030669b6010018340424fe0118182c0400
        2c05025858240602360818360918360a18240b01300e4a1524000126010100010036021524000124010024022824030027050088
        44709e01000035072400011818152400022401002402332403032705008844709e01000035072400011818181818
        """)

    static let peers = [
        Accessor(authentication: .pase, fabric: nil, session: 1, attestationChallenge: [1]),
        Accessor(authentication: .case(node: 112_233, tags: []), fabric: 1, session: 2),
        Accessor(authentication: .case(node: 5, tags: []), fabric: 2, session: 3),
    ]

    var now = Instant.origin
    private let choice: UInt8
    private var node: MatterNode
    private var stored: [UInt8]?
    /// False while `stored` is that of the start.
    private var hasStored = false
    private var waiting: [(number: UInt64, document: [UInt8])] = []
    private var hold = LockHold.none
    /// The windows that wait for a decision, and whether one was permitted since the last power cut.
    private var requestedWindows: [UInt32] = []
    private var hasPermittedWindow = false
    private var nextExchange: UInt32 = 0

    var deadline: Instant? { node.deadline }

    init(_ choice: UInt8) {
        self.choice = choice
        stored = choice & 0x40 == 0 ? MatterNodeRig.document : nil
        guard let node = MatterNodeRig.started(choice) else { finding("no node") }
        self.node = node
        drain()
    }

    /// The nodes as they start, each made once: certificates and keys of the document would be most of a run's time.
    nonisolated(unsafe) private static var atStart: [UInt8: MatterNode] = [:]

    private static func started(_ choice: UInt8) -> MatterNode? {
        if let node = atStart[choice] { return node }
        let node = lasting { self.node(choice, restoring: choice & 0x40 == 0 ? document : nil) }
        atStart[choice] = node
        return node
    }

    static func node(_ choice: UInt8, restoring document: [UInt8]?) -> MatterNode? {
        try? MatterNode(
            configuration(choice), restoring: document, random: CountingRandom(),
            at: Moment(instant: .origin, epochSeconds: 1_780_000_000))
    }

    private static func configuration(_ choice: UInt8) -> MatterConfiguration {
        var traits = LockTraits()
        traits.hasLatch = choice & 0x10 != 0
        traits.hasDoorContact = choice & 0x20 != 0
        traits.hasAliro = traits.hasDoorContact
        traits.hasPINs = traits.hasLatch
        let device: MatterDevice = [.lock(traits), .light, .plug, .contact][Int(choice & 3)]
        let address: [UInt8] = [2, 0, 0, 0, 0, 1]
        let networks: [MatterConfiguration.Network] = [
            .wifi(address: address), .thread(address: address), .ethernet(name: "eth0", address: address),
        ]
        var configuration = MatterConfiguration(
            product: MatterConfiguration.Product(
                vendor: 0xFFF1, vendorName: "Lab", product: 0x8001, productName: "Device", serialNumber: "1",
                uniqueID: "2"),
            device: device, network: networks[Int(choice >> 2 & 3) % 3],
            label: MatterConfiguration.Label(
                verifier: verifier, salt: [UInt8](repeating: 1, count: 16), iterations: 1000, discriminator: 0xF00),
            attestation: DeviceAttestation(dac: [1], pai: [2], declaration: [3], key: FuzzKeys.phone))
        configuration.hasBattery = choice & 0x80 != 0
        configuration.asksForWindows = asksForWindows(choice)
        return configuration
    }

    private static func asksForWindows(_ choice: UInt8) -> Bool { choice & 0x80 != 0 }

    private static let verifier = certain {
        let salt = [UInt8](repeating: 1, count: 16)
        return try SPAKE2PlusVerifier(passcode: 20_202_021, salt: salt.span, iterations: 1000).octets
    }

    private var moment: Moment {
        Moment(instant: now, epochSeconds: 1_780_000_000 + now.nanoseconds / 1_000_000_000)
    }

    // MARK: - Inputs

    mutating func reach(_ instant: Instant) { perform { $0.advance(to: $1) } }

    mutating func perform(_ body: (inout MatterNode, Moment) -> Void) {
        body(&node, moment)
        drain()
    }

    mutating func message(_ opcode: UInt8, _ octets: [UInt8], _ input: inout FuzzInput) {
        let choice = input.octet()
        let peer = MatterNodeRig.peers[Int(choice & 3) % 3]
        perform { $0.deliver(opcode, octets, exchange: UInt32(choice >> 2), by: peer, at: $1) }
    }

    mutating func datagram(_ octets: [UInt8], overBluetooth: Bool) {
        var address = [16 of UInt8](repeating: 0)
        address[15] = 1
        let peer: TransportPeer = overBluetooth ? .ble(link: 1) : .udp(UDPPeer(address: address, port: 5540))
        perform { $0.receive(octets, from: peer, at: $1) }
    }

    /// A request as a sound peer builds it, to a cluster that exists.
    mutating func request(_ choice: UInt8, _ input: inout FuzzInput) {
        let selector = input.octet()
        let peer = MatterNodeRig.peers[Int(selector & 3) % 3]
        let endpoint = node.endpoints[Int(selector >> 2 & 1)]
        let cluster = endpoint.clusters[Int(selector >> 3) % endpoint.clusters.count]
        nextExchange += 1
        let exchange = nextExchange + 1000
        var path = TLVPath(endpoint: endpoint.number.rawValue, cluster: cluster.id.rawValue)
        switch choice {
        case 0..<0x50:
            guard !cluster.commands.isEmpty else { return }
            let command = cluster.commands[input.number(below: cluster.commands.count)]
            path.member = command.id.rawValue
            if command.isTimed { deliver(10, MatterRequest.timed, exchange, peer) }
            deliver(8, MatterRequest.invoke(path, isTimed: command.isTimed, &input), exchange, peer)
        case 0x50..<0x68:
            let attributes = cluster.attributes.filter { $0.writePrivilege != nil }
            guard !attributes.isEmpty else { return }
            path.member = attributes[input.number(below: attributes.count)].id.rawValue
            deliver(6, MatterRequest.write(path, &input), exchange, peer)
        default:
            deliver(choice & 1 == 0 ? 2 : 3, MatterRequest.readAll(isSubscribing: choice & 1 == 1), exchange, peer)
        }
    }

    private mutating func deliver(_ opcode: UInt8, _ payload: [UInt8], _ exchange: UInt32, _ peer: Accessor) {
        perform { $0.deliver(opcode, payload, exchange: exchange, by: peer, at: $1) }
    }

    mutating func operate(_ input: inout FuzzInput) {
        let choice = input.octet()
        let action: LockAction = [.lock, .unlock, .unbolt][Int(choice >> 4 & 3) % 3]
        let operation: MatterOperation
        switch choice & 7 {
        case 0, 1: operation = .locked(action, LockSource(rawValue: choice >> 4 % 11) ?? .manual)
        case 2: operation = .lockRefused(action, .keypad, choice & 0x80 != 0 ? .invalidCredential : .restricted)
        case 3: operation = .alarm(.jammed)
        case 4: operation = .door(DoorState(rawValue: choice >> 4 % 6) ?? .open)
        case 5:
            hold = [.none, .open, .locked][Int(choice >> 4) % 3]
            operation = .hold(hold)
        case 6: operation = .power(choice & 0x80 != 0)
        default:
            guard choice & 8 == 0 else { return operateRarely(choice >> 4) }
            operation = .contact(choice & 0x80 != 0)
        }
        perform { $0.receive(operation, at: $1) }
    }

    private mutating func operateRarely(_ choice: UInt8) {
        let operation: MatterOperation
        switch choice {
        case 0, 1:
            guard !requestedWindows.isEmpty else { return }
            let request = requestedWindows.removeFirst()
            hasPermittedWindow = hasPermittedWindow || choice == 1
            return perform { $0.answer(request, isDone: choice == 1, at: $1) }
        case 2, 3: operation = .refusing(LockOperationError(rawValue: choice))
        case 4: operation = .refusing(nil)
        case 5, 6: operation = .actuator(choice == 5)
        case 7, 8: operation = .operatingMode(choice == 7 ? .normal : .noRemote)
        case 9, 10: operation = .lockState(choice == 9 ? nil : .notFullyLocked)
        case 11: operation = .door(nil)
        default:
            var battery = BatteryState()
            battery.percent = choice == 12 ? nil : choice * 8
            battery.fault = BatteryState.Fault(rawValue: choice - 12)
            battery.isPresent = choice & 1 == 0
            operation = .battery(battery)
        }
        perform { $0.receive(operation, at: $1) }
    }

    mutating func station(_ input: inout FuzzInput) {
        let choice = input.octet()
        guard let name = WiFiName(input.block().prefix(32).map(\.self)) else { return }
        let network = WiFiNetwork(
            name: name, address: WiFiAddress(2, 0, 0, 0, 0, 2), band: .band2GHz, channel: UInt32(choice),
            security: WiFiSecurity.allCases[Int(choice) % WiFiSecurity.allCases.count], rssi: -40)
        let event: WiFiEvent
        switch choice & 7 {
        case 0, 1: event = .found(network)
        case 2: event = .scanEnded(complete: true)
        case 3: event = .joined(network, IPv4Address(10, 0, 0, 1))
        case 4: event = .joinFailed(WiFiJoinFailure.allCases[Int(choice >> 3) % WiFiJoinFailure.allCases.count])
        case 5: event = .lost
        case 6: event = .joining(.association)
        default: return perform { $0.receive(WiFiRefusal.failed, at: $1) }
        }
        perform { $0.receive(event, at: $1) }
    }

    mutating func inject(_ choice: UInt8, _ input: inout FuzzInput) {
        let command = MatterFaults.Command(cluster: 0x30, command: 0)
        switch choice {
        case 0: node.faults = MatterFaults()
        case 1: node.faults.isNeverOperational.toggle()
        case 2: node.faults.reactions[command] = .delay(.milliseconds(Int(input.word())))
        default: node.faults.reactions[command] = .silence
        }
    }

    mutating func store(isSuccess: Bool) {
        guard !waiting.isEmpty else { return }
        let (number, document) = waiting.removeFirst()
        if isSuccess { (stored, hasStored) = (document, true) }
        perform { isSuccess ? $0.stored(number, at: $1) : $0.storingFailed(number, at: $1) }
    }

    // MARK: - Promises

    mutating func cutPower() {
        let restored =
            hasStored ? MatterNodeRig.node(choice, restoring: stored) : MatterNodeRig.started(choice)
        guard let node = restored else { finding("what was stored is refused") }
        require(node.fabrics.isEmpty == (node.window == .label), "neither commissionable nor on a fabric")
        require(!node.isFailSafeArmed, "a fail-safe without power")
        self.node = node
        now = .origin
        waiting = []
        hold = .none
        (requestedWindows, hasPermittedWindow) = ([], false)
        drain()
    }

    /// After all times and a loss of power, everything is as it should be.
    mutating func recover() {
        hold = .none
        perform { $0.receive(.hold(.none), at: $1) }
        pass(.seconds(1000))
        require(!node.isFailSafeArmed, "the fail-safe has no end")
        while !waiting.isEmpty { store(isSuccess: true) }
        cutPower()
    }

    private mutating func drain() {
        while let effect = node.nextEffect() {
            switch effect {
            case .persist(let document, let number): waiting.append((number, document))
            case .actuate(.unlock) where hold == .locked, .actuate(.unlatch) where hold == .locked:
                finding("a lock that opens against a lockdown")
            case .actuate(.lock) where hold == .open: finding("a lock that locks against fire")
            case .openWindow(let request): requestedWindows.append(request.id)
            default: break
            }
        }
        let isAdministrators = node.window == .enhanced || node.window == .basic
        require(
            !MatterNodeRig.asksForWindows(choice) || !isAdministrators || hasPermittedWindow,
            "a window that the program has not permitted")
        require(!isAdministrators || !node.fabrics.isEmpty, "a window that outlives the last fabric")
        require(waiting.count < 1000, "endless storing")
    }
}

private struct TLVPath {
    var endpoint: UInt16
    var cluster: UInt32
    var member: UInt32 = 0
}

private enum MatterRequest {
    static let timed: [UInt8] = [0x15, 0x25, 0, 0xE8, 0x03, 0x24, 0xFF, 0x0C, 0x18]

    static func invoke(_ path: TLVPath, isTimed: Bool, _ input: inout FuzzInput) -> [UInt8] {
        var writer = TLVWriter()
        writer.structure(as: .anonymous) { request in
            request.bool(false, as: 0)
            request.bool(isTimed, as: 1)
            request.array(as: 2) { list in
                list.structure(as: .anonymous) { item in
                    item.list(as: 0) { fields in
                        fields.unsigned(path.endpoint, as: 0)
                        fields.unsigned(path.cluster, as: 1)
                        fields.unsigned(path.member, as: 2)
                    }
                    item.structure(as: 1) { value in members(into: &value, &input, depth: 0) }
                }
            }
        }
        return writer.octets
    }

    static func write(_ path: TLVPath, _ input: inout FuzzInput) -> [UInt8] {
        var writer = TLVWriter()
        writer.structure(as: .anonymous) { request in
            request.bool(false, as: 0)
            request.bool(false, as: 1)
            request.array(as: 2) { list in
                list.structure(as: .anonymous) { item in
                    item.list(as: 1) { fields in
                        fields.unsigned(path.endpoint, as: 2)
                        fields.unsigned(path.cluster, as: 3)
                        fields.unsigned(path.member, as: 4)
                    }
                    value(into: &item, as: 2, &input, depth: 0)
                }
            }
            request.bool(false, as: 3)
        }
        return writer.octets
    }

    static func readAll(isSubscribing: Bool) -> [UInt8] {
        var writer = TLVWriter()
        writer.structure(as: .anonymous) { request in
            if isSubscribing {
                request.bool(true, as: 0)
                request.unsigned(0 as UInt8, as: 1)
                request.unsigned(60 as UInt8, as: 2)
            }
            request.array(as: isSubscribing ? 3 : 0) { paths in paths.list(as: .anonymous) { _ in } }
            request.bool(false, as: isSubscribing ? 7 : 3)
        }
        return writer.octets
    }

    /// Fields with tags that rise.
    private static func members(into writer: inout TLVWriter, _ input: inout FuzzInput, depth: Int) {
        let count = input.number(below: 9)
        for number in 0..<UInt8(count) { value(into: &writer, as: .context(number), &input, depth: depth) }
    }

    private static func value(into writer: inout TLVWriter, as tag: TLVTag, _ input: inout FuzzInput, depth: Int) {
        let kind = input.octet()
        switch kind & 15 {
        case 0...4: writer.unsigned(kind >> 4, as: tag)
        case 5: writer.unsigned(input.word(), as: tag)
        case 6: writer.unsigned(UInt64(input.word()) << 40 | UInt64(kind), as: tag)
        case 7, 8: writer.octets(input.block().prefix(420), as: tag)
        case 9: writer.octets([UInt8](repeating: kind, count: [16, 32, 6, 97][Int(kind >> 4 & 3)]), as: tag)
        case 10: writer.text(kind & 0x10 == 0 ? "XX" : "another text", as: tag)
        case 11: writer.null(as: tag)
        case 12: writer.bool(kind & 0x10 != 0, as: tag)
        case 13 where depth < 3:
            writer.array(as: tag) { list in
                for _ in 0..<kind >> 5 { value(into: &list, as: .anonymous, &input, depth: depth + 1) }
            }
        case 14, 15:
            writer.structure(as: tag) { value in
                if depth < 3 { members(into: &value, &input, depth: depth + 1) }
            }
        default: writer.signed(Int8(bitPattern: kind), as: tag)
        }
    }
}

import Testing
import Timekeeping

@testable import Peripheral

/// A host against a controller that keeps the rules of advertising, with commands, answers, connections, refusals and
/// wishes in any order. What holds at all times: a link is never given to another set than its own, and no address or
/// parameters are changed while they are in use. What holds in the end: what is wanted is on the air, and nothing else.
@Suite struct AdvertisingModelTests {
    @Test(arguments: [false, true])
    func anyOrderOfEvents(extended: Bool) throws {
        for seed in 1...150 as ClosedRange<UInt64> {
            let model = try Model(seed: seed, extended: extended)
            for _ in 0..<600 { model.step() }
            #expect(model.comesToRest(), "seed \(seed)")
            #expect(model.faults == [], "seed \(seed)")
        }
    }
}

/// The controller, the air and the device around one host.
private final class Model {
    private static let sets = [Sample.set(1), Sample.set(2, Sample.beacon), Sample.set(5)]
    private static let maximumLinks = 3

    private let isExtended: Bool
    private var random: SplitMix
    private var host: Host
    private var now = Instant.origin
    private var isWanted = true
    private var wantedSets = Model.sets
    private var packet: [UInt8] = []
    /// Packets on their way, each way.
    private var inbox: [[UInt8]] = []
    private var outbox: [[UInt8]] = []
    /// The address of each set that is on the air; the legacy advertiser is set 0.
    private var onAir: [UInt8: [UInt8]] = [:]
    private var addresses: [UInt8: [UInt8]] = [:]
    private var links: [UInt16: [UInt8]] = [:]
    private var opened: [LinkID] = []
    private var nextHandle: UInt16 = 0
    private(set) var faults: [String] = []

    init(seed: UInt64, extended: Bool) throws {
        isExtended = extended
        random = SplitMix(state: seed)
        host = Host(database: try Rig.database(), configuration: HostConfiguration())
        host.configure(advertising: wantedSets)
        host.start(at: now)
        settle()
    }

    func step() {
        now = now + .microseconds(Int(random.next() % 2000))
        switch random.next() % 32 {
        case 0...9: perform()
        case 10...20: deliver()
        case 21...23: connect()
        case 24: if let handle = links.keys.sorted().first { end(handle, reason: 0x13) }
        case 25...26: if let link = opened.randomElement(using: &random) { disconnect(link) }
        case 27:
            isWanted = random.next() % 4 != 0
            host.setAdvertising(enabled: isWanted, at: now)
        case 28 where random.next() % 4 == 0:
            let first = Int(random.next() % 3)
            wantedSets = Array(Model.sets[first...])
            host.configure(advertising: wantedSets, at: now)
        default: host.advance(to: now)
        }
        settle(isSane: false)
    }

    /// All links end, the controller refuses nothing any more, and ten seconds pass.
    func comesToRest() -> Bool {
        for handle in links.keys.sorted() { end(handle, reason: 0x08) }
        settle()
        let end = now + .seconds(10)
        var onAirSeen: Set<[UInt8]> = []
        while now < end {
            now = min(max(host.nextDeadline ?? end, now), end)
            host.advance(to: now)
            settle()
            if now > end + .seconds(-1) { onAirSeen.formUnion(onAir.values) }
        }
        onAirSeen.formUnion(onAir.values)
        let wanted = isWanted ? Set(wantedSets.map { Model.octets($0.address) }) : []
        return onAirSeen == wanted && (isExtended ? onAir.count == wanted.count : onAir.isEmpty == wanted.isEmpty)
    }

    // MARK: - Between host and controller

    private func settle(isSane: Bool = true) {
        repeat {
            while let event = host.nextEvent() { see(event) }
            while host.outbound.popFirst(into: &packet) { inbox.append(packet) }
            if isSane {
                while !inbox.isEmpty { perform(isSane: true) }
                while !outbox.isEmpty { deliver() }
            }
        } while isSane && !host.outbound.isEmpty
        while let event = host.nextEvent() { see(event) }
    }

    private func deliver() {
        guard !outbox.isEmpty else { return }
        let packet = outbox.removeFirst()
        host.receive(packet.span, at: now)
    }

    private func see(_ event: HostEvent) {
        switch event {
        case .connected(let link, let description):
            opened.append(link)
            // The peer's address says which set the phone meant.
            let meant = UInt8(truncatingIfNeeded: description.peer.value)
            if let set = description.advertisingSet, set != meant { faults.append("\(link): \(set), not \(meant)") }
        case .disconnected(let link, _): opened.removeAll { $0 == link }
        case .controllerFailed(let fault): faults.append("\(fault)")
        default: break
        }
    }

    private func disconnect(_ link: LinkID) { host.disconnect(link, reason: .remoteUserTerminated, at: now) }

    // MARK: - The controller

    private func connect() {
        guard links.count < Model.maximumLinks, let set = onAir.keys.sorted().randomElement(using: &random),
            let address = onAir.removeValue(forKey: set)
        else { return }
        nextHandle = nextHandle % 0x0EFF + 1
        links[nextHandle] = address
        var connection = Rig.connection(nextHandle)
        connection[9] = address[0]  // the address of set n ends with n
        let handle = [UInt8(nextHandle & 0xFF), UInt8(nextHandle >> 8)]
        let terminated = [0x04, 0x3E, 0x06, 0x12, 0x00, set] + handle + [0x00]
        outbox.append(
            contentsOf: !isExtended
                ? [connection]
                : random.next() % 2 == 0
                    ? [connection, terminated]
                    : [
                        terminated, connection,
                    ])
    }

    private func end(_ handle: UInt16, reason: UInt8) {
        links[handle] = nil
        outbox.append([0x04, 0x05, 0x04, 0x00, UInt8(handle & 0xFF), UInt8(handle >> 8), reason])
    }

    private func perform(isSane: Bool = false) {
        guard !inbox.isEmpty else { return }
        let command = inbox.removeFirst()
        guard command[0] == 0x01 else { return }
        let opcode = UInt16(command[1]) | UInt16(command[2]) << 8
        let parameters = Array(command[4...])
        if opcode == 0x0406 {
            let handle = UInt16(parameters[0]) | UInt16(parameters[1]) << 8
            let isKnown = links[handle] != nil
            outbox.append([0x04, 0x0F, 0x04, isKnown ? 0x00 : 0x02, 0x01, 0x06, 0x04])
            return isKnown ? end(handle, reason: 0x16) : ()
        }
        var scripted: ScriptedController = isExtended ? .extended : .legacy
        let status = advertising(opcode, parameters, isSane: isSane)
        if status != 0 { scripted.refused[opcode] = status }
        if let answer = scripted.receive(command) { outbox.append(answer) }
    }

    /// What an advertising command does, and its status.
    private func advertising(_ opcode: UInt16, _ parameters: [UInt8], isSane: Bool) -> UInt8 {
        switch opcode {
        case 0x2005: isExtended ? 0 : change(0, address: parameters)
        case 0x2006: change(0)
        case 0x2035: change(parameters[0], address: Array(parameters[1...]))
        case 0x2036: change(parameters[0])
        case 0x203C: remove(parameters[0])
        case 0x200A: enable([0], parameters[0] == 1, isSane: isSane)
        case 0x2039:
            enable(
                parameters[1] == 0
                    ? Array(addresses.keys) : stride(from: 2, to: parameters.count, by: 4).map { parameters[$0] },
                parameters[0] == 1, isSane: isSane)
        default: 0
        }
    }

    private func change(_ set: UInt8, address: [UInt8]? = nil) -> UInt8 {
        guard onAir[set] == nil else {
            faults.append("set \(set) changed while on the air")
            return 0x0C
        }
        if let address { addresses[set] = address }
        return 0
    }

    private func remove(_ set: UInt8) -> UInt8 {
        guard onAir[set] == nil else { return 0x0C }
        addresses[set] = nil
        return 0
    }

    private func enable(_ sets: [UInt8], _ isOn: Bool, isSane: Bool) -> UInt8 {
        guard isOn else {
            for set in sets { onAir[set] = nil }
            return 0
        }
        let refusals: [UInt8] = [0x09, 0x0C, 0x0D, 0x07]
        if !isSane, links.count >= Model.maximumLinks || random.next() % 8 == 0 {
            return refusals[Int(random.next() % (links.isEmpty ? 4 : 3))]
        }
        guard sets.allSatisfy({ addresses[$0] != nil }) else { return 0x42 }
        for set in sets { onAir[set] = addresses[set] }
        return 0
    }

    private static func octets(_ address: BluetoothAddress) -> [UInt8] {
        (0..<6).map { UInt8(truncatingIfNeeded: address.value >> UInt64($0 * 8)) }
    }
}

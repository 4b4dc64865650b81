// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Crypto
import Testing
import Timekeeping

@testable import Peripheral

/// A host with a model controller that follows the rules of advertising, with commands, answers, connections, refusals
/// and requests in any order. Invariants: a link is never attributed to another set or address, no address or
/// parameters change while in use, and the controller never has more sets than its maximum. Final state: the requested
/// sets, and no others, are on the air, in turn if there are too few places.
@Suite struct AdvertisingModelTests {
    /// A legacy advertiser (0), and controllers with this many sets.
    @Test(arguments: [0, 1, 2, 3, 8])
    func anyOrderOfEvents(places: UInt8) throws {
        var links = 0
        for seed in 1...80 as ClosedRange<UInt64> {
            let model = try Model(seed: seed, places: places)
            for _ in 0..<600 { model.step() }
            #expect(model.comesToRest(), "seed \(seed)")
            links += model.identified
            #expect(model.faults == [], "seed \(seed)")
        }
        // The rules above mean something: links were told with their set and address.
        #expect(links > 80 * 2)
    }
}

/// The controller, the air and the device around one host.
private final class Model {
    private static let sets = [
        set(1, .resolvable), set(2, .fixed(Sample.address(2))), set(5, .resolvable),
        set(7, .nonResolvable, .nonConnectable),
        set(9, .fixed(Sample.address(9)), .scannable),
    ]
    private static let key = Value128(hex: "ec0234a357c8ad05341010a60a397d9b")
    private static let maximumLinks = 3

    /// The set on the air, with its address.
    private struct Aired: Equatable {
        var set: UInt8
        var address: UInt64
    }

    /// The configuration of a handle in the controller; the legacy advertiser is handle 0.
    private struct Place: Equatable {
        var isConnectable = true
        var address: UInt64?
        /// The set, by the last octet of the data.
        var set: UInt8?
    }

    private let isExtended: Bool
    private let capacity: UInt8
    private var random: SplitMix64
    private var host: Host
    private var now = Instant.origin
    private var isWanted = true
    private var isConnectable = true
    private var wantedSets = Model.sets
    private var packet: [UInt8] = []
    /// Packets in flight, by direction.
    private var inbox: [[UInt8]] = []
    private var outbox: [[UInt8]] = []
    private var onAir: [UInt8: Aired] = [:]
    private var places: [UInt8: Place] = [:]
    private var links: Set<UInt16> = []
    /// The set that the phone of each handle has connected to.
    private var met: [UInt16: Aired] = [:]
    /// The number of links announced with their set.
    private(set) var identified = 0
    private var opened: [LinkID] = []
    private var nextHandle: UInt16 = 0
    private(set) var faults: [String] = []

    init(seed: UInt64, places: UInt8) throws {
        isExtended = places > 0
        capacity = max(places, 1)
        random = SplitMix64(seed: seed)
        var configuration = HostConfiguration()
        configuration.links = Model.maximumLinks
        configuration.addressRotation = .seconds(1)
        host = Host(database: try Rig.database(), configuration: configuration)
        let identity = SecurityIdentity(address: Sample.address(0), resolvingKey: Model.key)
        host.makePrivateAddresses(with: AddressPrivacy(identity: identity, random: ScriptedRandom(seed: seed)))
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
        case 24: if let handle = links.sorted().first { end(handle, reason: 0x13) }
        case 25...26: if let link = opened.randomElement(using: &random) { disconnect(link) }
        case 27:
            isWanted = random.next() % 4 != 0
            host.setAdvertising(enabled: isWanted, at: now)
        case 28 where random.next() % 4 == 0:
            let first = Int(random.next() % 5)
            wantedSets = Array(Model.sets[first...])
            host.configure(advertising: wantedSets, at: now)
        case 29:
            isConnectable = random.next() % 4 != 0
            host.setConnectable(isConnectable, at: now)
        case 30 where inbox.isEmpty && outbox.isEmpty:
            // Long enough for addresses to change, and for turns to end.
            now = now + .milliseconds(Int(random.next() % 400))
            host.advance(to: now)
        default: host.advance(to: now)
        }
        settle(isSane: false)
    }

    /// Ends all links and all refusals, and advances ten seconds.
    func comesToRest() -> Bool {
        for handle in links.sorted() { end(handle, reason: 0x08) }
        settle()
        let end = now + .seconds(10)
        var onAirSeen: Set<UInt8> = []
        while now < end {
            now = min(max(host.nextDeadline ?? end, now), end)
            host.advance(to: now)
            settle()
            if now > end + .seconds(-1) { onAirSeen.formUnion(onAir.values.map(\.set)) }
        }
        onAirSeen.formUnion(onAir.values.map(\.set))
        let wanted = isWanted ? wantedSets.filter { isConnectable || $0.kind != .connectable } : []
        return onAirSeen == Set(wanted.map(\.id)) && onAir.count <= capacity && onAir.isEmpty == wanted.isEmpty
            && (wantedSets.count > capacity || onAir.count == wanted.count) && onAir.values.allSatisfy(isRight)
    }

    private func isRight(_ aired: Aired) -> Bool {
        let address = BluetoothAddress(kind: .random, value: aired.address)
        return switch Model.sets.first(where: { $0.id == aired.set })?.ownAddress {
        case .fixed(let fixed): address == fixed
        case .resolvable: IdentityResolution.resolves(address, with: Model.key)
        case .nonResolvable: address.value >> 46 == 0
        case nil: false
        }
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
            // The peer's address says which connection it is.
            guard let aired = met[UInt16(truncatingIfNeeded: description.peer.value)] else {
                return faults.append("\(link) out of nothing")
            }
            guard let set = description.advertisingSet else { return }
            identified += 1
            if set != aired.set { faults.append("\(link): \(set), not \(aired.set)") }
            if description.ownAddress?.value != aired.address { faults.append("\(link) with another address") }
        case .disconnected(let link, _): opened.removeAll { $0 == link }
        case .controllerFailed(let fault): faults.append("\(fault)")
        default: break
        }
    }

    private func disconnect(_ link: LinkID) { host.disconnect(link, reason: .remoteUserTerminated, at: now) }

    // MARK: - The controller

    private func connect() {
        let open = onAir.keys.sorted().filter { places[$0]?.isConnectable == true }
        guard links.count < Model.maximumLinks, let place = open.randomElement(using: &random),
            let aired = onAir.removeValue(forKey: place)
        else { return }
        nextHandle = nextHandle % 0x0EFF + 1
        links.insert(nextHandle)
        met[nextHandle] = aired
        let handle = [UInt8(nextHandle & 0xFF), UInt8(nextHandle >> 8)]
        var connection = ControllerPacket.connected(nextHandle)
        connection.replaceSubrange(9..<11, with: handle)
        let terminated = [0x04, 0x3E, 0x06, 0x12, 0x00, place] + handle + [0x00]
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
        links.remove(handle)
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
            let isKnown = links.contains(handle)
            outbox.append([0x04, 0x0F, 0x04, isKnown ? 0x00 : 0x02, 0x01, 0x06, 0x04])
            return isKnown ? end(handle, reason: 0x16) : ()
        }
        var scripted: ScriptedController = isExtended ? .extended : .legacy
        scripted.sets = capacity
        scripted.knownSets = nil
        let status = advertising(opcode, parameters, isSane: isSane)
        if status != 0 { scripted.refused[opcode] = status }
        if let answer = scripted.receive(command) { outbox.append(answer) }
    }

    /// The effect of an advertising command, and its status.
    private func advertising(_ opcode: UInt16, _ parameters: [UInt8], isSane: Bool) -> UInt8 {
        switch opcode {
        case 0x2005: isExtended ? 0 : change(0, isNew: true) { $0.address = Model.address(parameters[...]) }
        case 0x2006: change(0, isNew: true) { $0.isConnectable = parameters[4] == 0 }
        case 0x2008: data(0, parameters[3])
        case 0x2035: change(parameters[0]) { $0.address = Model.address(parameters[1...]) }
        case 0x2036: change(parameters[0], isNew: true) { $0.isConnectable = parameters[1] & 1 == 1 }
        case 0x2037: data(parameters[0], parameters[parameters.count - 1])
        case 0x203C: remove(parameters[0])
        case 0x200A: enable([0], parameters[0] == 1, isSane: isSane)
        case 0x2039:
            enable(
                parameters[1] == 0
                    ? Array(places.keys) : stride(from: 2, to: parameters.count, by: 4).map { parameters[$0] },
                parameters[0] == 1, isSane: isSane)
        default: 0
        }
    }

    private func change(_ handle: UInt8, isNew: Bool = false, _ change: (inout Place) -> Void) -> UInt8 {
        guard onAir[handle] == nil else {
            // The host may ask for this answer, with what the set has already.
            let place = places[handle]
            var changed = place ?? Place()
            change(&changed)
            if changed != place { faults.append("set \(handle) changed while on the air") }
            return 0x0C
        }
        guard isNew || places[handle] != nil else {
            faults.append("set \(handle) is not known")
            return 0x42
        }
        guard places[handle] != nil || places.count < capacity else {
            faults.append("no place for set \(handle)")
            return 0x07
        }
        change(&places[handle, default: Place()])
        return 0
    }

    private func data(_ handle: UInt8, _ set: UInt8) -> UInt8 {
        guard places[handle] != nil else { return 0x42 }
        places[handle]?.set = set
        onAir[handle]?.set = set
        return 0
    }

    private func remove(_ handle: UInt8) -> UInt8 {
        guard onAir[handle] == nil else { return 0x0C }
        places[handle] = nil
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
        for handle in sets {
            guard let place = places[handle], let address = place.address, let set = place.set else { return 0x42 }
            onAir[handle] = Aired(set: set, address: address)
        }
        return 0
    }

    private static func address(_ octets: ArraySlice<UInt8>) -> UInt64 {
        octets.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func set(
        _ id: UInt8, _ own: AdvertisingSet.OwnAddress, _ kind: AdvertisingSet.Kind = .connectable
    ) -> AdvertisingSet {
        var set = AdvertisingSet(
            id: id, ownAddress: own, data: [2, 0xFF, id], scanResponse: kind == .nonConnectable ? [] : [2, 0xFF, 0],
            interval: .milliseconds(100))
        set.kind = kind
        return set
    }
}

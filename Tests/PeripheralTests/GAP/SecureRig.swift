// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Crypto
import Octets
import Testing
import Timekeeping

@testable import Peripheral

/// A host whose devices pair, with a scripted controller and centrals on the other side of it.
final class SecureRig {
    static let identity = SecurityIdentity(
        address: BluetoothAddress(.public, "0a0b0c0d0e0f"),
        resolvingKey: Value128(hex: "22222222222222222222222222222222"))
    /// Values: open (3), encrypted (5), authenticated (7), notified when encrypted (9, configuration 10).
    static let open: UInt8 = 3
    static let encrypted: UInt8 = 5
    static let authenticated: UInt8 = 7

    let rig: Rig
    private var smp: [UInt16: [[UInt8]]] = [:]
    private var att: [UInt16: [[UInt8]]] = [:]

    /// One device for each policy, with set 1 for the first, 2 for the second.
    init(
        _ policies: [SecurityPolicy?], store: any BondStore = TransientBondStore(),
        clientStates: (any ClientStateStore)? = nil, identity: SecurityIdentity? = SecureRig.identity,
        random: any RandomSource = ScriptedRandom(seed: 3), controller: ScriptedController = .extended,
        sets: [AdvertisingSet]? = nil, isSetUp: Bool = true, configure: (inout HostConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = HostConfiguration()
        configuration.requestsDataLength = false
        configuration.preferredInterval = nil
        configure(&configuration)
        let setup = SecuritySetup(identity: identity, store: store, random: random, clientStates: clientStates)
        let host = try SecureRig.host(policies, configuration, isSetUp ? setup : nil)
        rig = Rig(controller, host: host)
        rig.host.configure(advertising: sets ?? policies.indices.map { Sample.set(UInt8($0 + 1)) })
        rig.start()
        _ = (rig.takeCommands(), rig.takeEvents())
    }

    private static func host(
        _ policies: [SecurityPolicy?], _ configuration: HostConfiguration, _ setup: SecuritySetup?
    ) throws -> Host {
        let devices = try policies.enumerated().map { number, policy in
            ServedDevice(database: try database(), advertisingSets: [UInt8(number + 1)], security: policy)
        }
        return Host(devices: devices, configuration: configuration, security: setup)
    }

    static func database() throws -> AttributeDatabase {
        var builder = DatabaseBuilder()
        builder.addService(BluetoothUUID(0xFCBA))
        func add(_ uuid: UInt16, _ permissions: AttributePermissions, _ value: UInt8) {
            builder.addCharacteristic(
                BluetoothUUID(uuid), properties: [.read, .write], permissions: permissions,
                value: .static([value], maximumCount: 1))
        }
        add(0x1111, [.read, .write], 0xA1)
        add(0x2222, [.readEncrypted, .writeEncrypted], 0xA2)
        add(0x3333, [.readAuthenticated, .writeAuthenticated], 0xA3)
        builder.addCharacteristic(
            BluetoothUUID(0x4444), properties: [.read, .notify], permissions: [.readEncrypted], value: .writeOnly)
        return try builder.build()
    }

    // MARK: - Links

    /// A link on advertising set `set`; nil leaves the set untold.
    @discardableResult
    func connect(_ handle: UInt16, _ peer: BluetoothAddress, set: UInt8? = 1) throws -> LinkID {
        (smp[handle], att[handle]) = ([], [])
        rig.send(SecureRig.connection(handle, peer))
        if let set { rig.terminate(set: set, handle: handle) }
        return try #require(rig.events.compactMap(\.connectedLink).last)
    }

    /// LE Enhanced Connection Complete.
    static func connection(_ handle: UInt16, _ peer: BluetoothAddress, resolved: UInt64 = 0) -> [UInt8] {
        func octets(_ value: UInt64) -> [UInt8] { (0..<6).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) } }
        return [0x04, 0x3E, 0x1F, 0x0A, 0x00, UInt8(handle & 0xFF), UInt8(handle >> 8), 0x01, peer.kind.rawValue]
            + octets(peer.value) + octets(0) + octets(resolved) + [24, 0, 0, 0, 0x90, 0x01, 0]
    }

    // MARK: - Packets

    /// Takes what the host has sent, and gives the controller's room back.
    private func collect() {
        let packets = rig.controller.data
        rig.controller.data = []
        for packet in packets {
            let handle = UInt16(packet[1]) | UInt16(packet[2] & 0x0F) << 8
            switch packet[7] {
            case 6: smp[handle, default: []].append(Array(packet[9...]))
            case 4: att[handle, default: []].append(Array(packet[9...]))
            default: break
            }
            rig.complete(handle, 1)
        }
        if !rig.controller.data.isEmpty { collect() }
    }

    func give(_ handle: UInt16, _ pdu: [UInt8]) { rig.send(ControllerPacket.data(handle, pdu, channel: 6)) }

    /// The PDUs of the Security Manager since the last call.
    func takeSMP(_ handle: UInt16) -> [[UInt8]] {
        collect()
        defer { smp[handle] = [] }
        return smp[handle] ?? []
    }

    /// The oldest of them.
    func takeFirstSMP(_ handle: UInt16) -> [UInt8]? {
        collect()
        guard smp[handle]?.isEmpty == false else { return nil }
        return smp[handle]?.removeFirst()
    }

    /// The response to an ATT request.
    func request(_ handle: UInt16, _ pdu: [UInt8]) -> String {
        collect()
        att[handle] = []
        rig.att(handle, pdu)
        collect()
        return att[handle]?.map(hex).joined(separator: " ") ?? ""
    }

    func read(_ handle: UInt16, _ attribute: UInt8) -> String { request(handle, [0x0A, attribute, 0]) }

    // MARK: - Encryption

    /// LE Long Term Key Request, and the command that it is answered with.
    func askForKey(_ handle: UInt16, _ name: LTKIdentifier = .zero) -> [UInt8]? {
        rig.controller.commands = []
        rig.send(SecureRig.keyRequest(handle, name))
        defer { rig.controller.commands = [] }
        return rig.controller.commands.first { $0[0] == 0x1A || $0[0] == 0x1B && $0[1] == 0x20 }
    }

    static func keyRequest(_ handle: UInt16, _ name: LTKIdentifier = .zero) -> [UInt8] {
        [0x04, 0x3E, 0x0D, 0x05, UInt8(handle & 0xFF), UInt8(handle >> 8)]
            + (0..<8).map { UInt8(truncatingIfNeeded: name.random >> UInt64(8 * $0)) }
            + [UInt8(name.diversifier & 0xFF), UInt8(name.diversifier >> 8)]
    }

    /// The key that the host gives its controller.
    func key(_ handle: UInt16, _ name: LTKIdentifier = .zero) -> Value128? {
        guard let command = askForKey(handle, name), command.count == 21, command[0] == 0x1A, command[1] == 0x20,
            command[3] == UInt8(handle & 0xFF), command[4] == UInt8(handle >> 8)
        else { return nil }
        return Value128(leastSignificantFirst: command.span.extracting(5..<21))
    }

    func encryptionChange(_ handle: UInt16, status: UInt8 = 0, enabled: UInt8 = 1) {
        rig.send(ControllerPacket.encryption(handle, status: status, enabled: enabled))
    }

    func keyRefresh(_ handle: UInt16, status: UInt8 = 0) {
        rig.send([0x04, 0x30, 0x03, status, UInt8(handle & 0xFF), UInt8(handle >> 8)])
    }

    /// Encrypts the link with `key`, if that is what the host gives.
    func encrypt(_ handle: UInt16, _ key: Value128, _ name: LTKIdentifier = .zero) throws {
        guard self.key(handle, name) == key else { throw PairingCentral.Wrong(what: "key") }
        encryptionChange(handle)
    }

    // MARK: - The host's own, where a macro cannot call a mutating function

    func answerComparison(_ link: LinkID, _ isSame: Bool) -> Bool {
        defer { rig.settle() }
        return rig.host.answerComparison(link, isSame, at: rig.now)
    }

    func enterPasskey(_ link: LinkID, _ passkey: UInt32?) -> Bool {
        defer { rig.settle() }
        return rig.host.enterPasskey(link, passkey, at: rig.now)
    }

    func requestEncryption(_ link: LinkID) -> Bool {
        defer { rig.settle() }
        return rig.host.requestEncryption(link, at: rig.now)
    }

    func publish() -> OutOfBandData? { rig.host.publishOutOfBandData() }

    func forget(_ identity: BluetoothAddress) {
        rig.host.forget(identity, at: rig.now)
        rig.settle()
    }

    func level(_ link: LinkID) -> LinkSecurityLevel { rig.host.securityLevel(link) }
    var bonds: [Bond] { rig.host.bonds }
}

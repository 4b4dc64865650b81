// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Crypto
import Octets
import Testing
import Timekeeping

@testable import Peripheral

/// A host whose devices pair, with a scripted controller and centrals on the other side of it.
final class SecureRig: Rig {
    static let identity = SecurityIdentity(
        address: BluetoothAddress(.public, "0a0b0c0d0e0f"),
        resolvingKey: Value128(hex: "22222222222222222222222222222222"))
    /// Values: open (3), encrypted (5), authenticated (7), notified when encrypted (9, configuration 10).
    static let open: UInt8 = 3
    static let encrypted: UInt8 = 5
    static let authenticated: UInt8 = 7

    private var smpPDUs: [UInt16: [[UInt8]]] = [:]
    private var attPDUs: [UInt16: [[UInt8]]] = [:]

    /// One device for each policy, with set 1 for the first, 2 for the second.
    init(
        _ policies: [SecurityPolicy?], store: any BondStore = TransientBondStore(),
        clientStates: any ClientStateStore = TransientClientStates(), identity: SecurityIdentity? = SecureRig.identity,
        random: any RandomSource = ScriptedRandom(seed: 3), controller: ScriptedController = .extended,
        sets: [AdvertisingSet]? = nil, isSetUp: Bool = true, configure: (inout HostConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = HostConfiguration.unverified
        configuration.requestsDataLength = false
        configuration.preferredInterval = nil
        configure(&configuration)
        let setup = SecuritySetup(identity: identity, store: store, random: random, clientStates: clientStates)
        let devices = try policies.enumerated().map { number, policy in
            ServedDevice(
                database: try SecureRig.securedDatabase(), advertisingSets: [UInt8(number + 1)], security: policy)
        }
        super.init(
            controller, host: Host(devices: devices, configuration: configuration, security: isSetUp ? setup : nil),
            sets: sets ?? policies.indices.map { Sample.set(UInt8($0 + 1)) })
        start()
        _ = (takeCommands(), takeEvents())
    }

    /// One device, and a central that is connected to it.
    static func connected(_ policy: SecurityPolicy = SecurityPolicy()) throws -> (SecureRig, ScriptedCentral) {
        let rig = try SecureRig([policy])
        let central = ScriptedCentral(rig)
        try central.connect()
        return (rig, central)
    }

    private static func securedDatabase() throws -> AttributeDatabase {
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
        (smpPDUs[handle], attPDUs[handle]) = ([], [])
        controller.handles?.insert(handle)
        send(SecureRig.connection(handle, peer))
        if let set { terminate(set: set, handle: handle) }
        return try #require(events.compactMap(\.connectedLink).last)
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
        for packet in exchange(&controller.data, with: []) {
            let handle = UInt16(packet[1]) | UInt16(packet[2] & 0x0F) << 8
            switch packet[7] {
            case 6: smpPDUs[handle, default: []].append(Array(packet[9...]))
            case 4: attPDUs[handle, default: []].append(Array(packet[9...]))
            default: break
            }
            complete(handle, 1)
        }
        if !controller.data.isEmpty { collect() }
    }

    func give(_ handle: UInt16, _ pdu: [UInt8]) { send(ControllerPacket.data(handle, pdu, channel: 6)) }

    /// The PDUs of the Security Manager since the last call.
    func takeSMP(_ handle: UInt16) -> [[UInt8]] {
        collect()
        return smpPDUs.removeValue(forKey: handle) ?? []
    }

    /// The oldest of them.
    func takeFirstSMP(_ handle: UInt16) -> [UInt8]? {
        collect()
        guard smpPDUs[handle]?.isEmpty == false else { return nil }
        return smpPDUs[handle]?.removeFirst()
    }

    /// The response to an ATT request.
    func request(_ handle: UInt16, _ pdu: [UInt8]) -> String {
        collect()
        attPDUs[handle] = []
        att(handle, pdu)
        collect()
        return attPDUs[handle]?.map(hex).joined(separator: " ") ?? ""
    }

    /// The responses since the last request.
    func takeATT(_ handle: UInt16) -> String {
        collect()
        return attPDUs.removeValue(forKey: handle)?.map(hex).joined(separator: " ") ?? ""
    }

    func read(_ handle: UInt16, _ attribute: UInt8) -> String { request(handle, [0x0A, attribute, 0]) }

    // MARK: - Encryption

    /// LE Long Term Key Request, and the command that it is answered with.
    func askForKey(_ handle: UInt16, _ name: LTKIdentifier = .zero) -> [UInt8]? {
        controller.commands = []
        send(SecureRig.keyRequest(handle, name))
        let commands = controller.commands
        // Held data may have ended the link.
        controller.commands = commands.filter { $0[0] == 0x06 && $0[1] == 0x04 }
        return commands.first { $0[0] == 0x1A || $0[0] == 0x1B && $0[1] == 0x20 }
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
        send(ControllerPacket.encryption(handle, status: status, enabled: enabled))
    }

    func keyRefresh(_ handle: UInt16, status: UInt8 = 0) {
        send([0x04, 0x30, 0x03, status, UInt8(handle & 0xFF), UInt8(handle >> 8)])
    }

    /// Encrypts the link with `key`, if that is what the host gives.
    func encrypt(_ handle: UInt16, _ key: Value128, _ name: LTKIdentifier = .zero) throws {
        guard self.key(handle, name) == key else { throw PairingCentral.Wrong(what: "key") }
        encryptionChange(handle)
    }

    // MARK: - The host's own, where a macro cannot call a mutating function

    func answerComparison(_ link: LinkID, _ isSame: Bool) -> Bool {
        act { $0.answerComparison(link, isSame, at: $1) }
    }

    func enterPasskey(_ link: LinkID, _ passkey: UInt32?) -> Bool { act { $0.enterPasskey(link, passkey, at: $1) } }

    func requestEncryption(_ link: LinkID) -> Bool { act { $0.requestEncryption(link, at: $1) } }

    func publish() -> OutOfBandData? { host.publishOutOfBandData() }

    func forget(_ identity: BluetoothAddress) { act { $0.forget(identity, at: $1) } }

    func level(_ link: LinkID) -> LinkSecurityLevel { host.securityLevel(link) }
    var bonds: [Bond] { host.bonds }
}

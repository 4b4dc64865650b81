// SPDX-License-Identifier: Apache-2.0

import MatterInteraction
import Crypto
import MatterCredentials
import MatterTLV
import TestSupport
import Testing
import Timekeeping
import WiFi
import VirtualTime

@testable import MatterNode
@testable import MatterSession
@testable import MatterTestSupport

/// A node on virtual time with its storage, and all that it asked for.
struct NodeRig {
    static let passcode: UInt32 = 20_202_021
    static let salt = Array("SPAKE2P Key Salt".utf8)
    static let iterations: UInt32 = 1000

    /// A lock with all options.
    static var fullLock: LockTraits {
        var traits = LockTraits()
        traits.hasLatch = true
        traits.hasDoorContact = true
        return traits
    }

    var node: MatterNode
    let configuration: MatterConfiguration
    /// The last document that was stored.
    var stored: [UInt8]?
    /// The documents that are neither stored nor refused.
    var unstored: [(number: UInt64, document: [UInt8])] = []
    /// Documents are stored as soon as they come.
    var storesAtOnce = true
    /// The number of the first document that is never stored.
    var unstorable = UInt64.max
    var now = Moment(instant: .origin, epochSeconds: 1_780_000_000)
    var notices: [MatterNotice] = []
    var actuations: [MatterActuation] = []
    /// Orders that the program decides.
    var orders: [LockOrder] = []
    /// Windows that the program decides.
    var windows: [WindowRequest] = []
    /// Updates of the Aliro reader that the program decides.
    var aliro: [AliroRequest] = []
    /// Changes of PINs that the program records.
    var pins: [PINRequest] = []
    var advertisements: [MatterAdvertisement] = []
    /// Requests to the station, and links to disconnect, as texts.
    var requests: [String] = []
    /// The names that were probed for.
    var probed: [WiFiName?] = []
    var joins: [WiFiJoin] = []
    var sent: [(octets: [UInt8], peer: TransportPeer)] = []
    private var initiators: UInt64 = 0

    init(_ configuration: MatterConfiguration, restoring document: [UInt8]? = nil) throws {
        self.configuration = configuration
        node = try MatterNode(configuration, restoring: document, random: ScriptedRandom(seed: 1), at: now)
        stored = document
        drain()
    }

    var advertisement: MatterAdvertisement { advertisements.last ?? MatterAdvertisement() }

    /// An initiator of the unsecured session that the node has not heard.
    mutating func initiator(isReliable: Bool = true) -> TestInitiator {
        initiators += 1
        let fresh = TestInitiator(node: 0x1000 + initiators, exchange: UInt16(0x100 + initiators))
        fresh.isReliable = isReliable
        return fresh
    }

    /// Gives a datagram, and returns the answers to its sender.
    @discardableResult
    mutating func receive(_ octets: [UInt8], from peer: TransportPeer) -> [[UInt8]] {
        node.receive(octets, from: peer, at: now)
        drain()
        return drain(to: peer)
    }

    /// Gives a datagram that has one answer.
    mutating func answer(_ octets: [UInt8], from peer: TransportPeer) throws -> [UInt8] {
        let answers = receive(octets, from: peer)
        #expect(answers.count == 1)
        return try #require(answers.first)
    }

    /// Removes and returns what was sent to `peer`.
    mutating func drain(to peer: TransportPeer) -> [[UInt8]] {
        defer { sent.removeAll { $0.peer == peer } }
        return sent.filter { $0.peer == peer }.map(\.octets)
    }

    /// Lets time pass, with a stop at each deadline.
    mutating func advance(by duration: Duration) {
        let end = elapse(from: now.instant, to: now.instant + duration, deadline: { node.deadline }) {
            set($0)
            node.advance(to: now)
            drain()
        }
        set(end)
    }

    /// Gives an input, and takes its effects.
    mutating func input(_ body: (inout MatterNode, Moment) -> Void) {
        body(&node, now)
        drain()
    }

    /// Stores what waits.
    mutating func store() {
        while let next = unstored.first, next.number < unstorable {
            let (number, document) = unstored.removeFirst()
            stored = document
            node.stored(number, at: now)
            drain()
        }
    }

    /// The node after a loss of power: it begins with what was stored.
    mutating func cutPower() throws {
        node = try MatterNode(configuration, restoring: stored, random: ScriptedRandom(seed: 2), at: now)
        unstored = []
        sent = []
        advertisements = []
        drain()
    }

    private mutating func set(_ instant: Instant) {
        let seconds = (instant - now.instant).wholeMilliseconds / 1000
        now = Moment(instant: instant, epochSeconds: now.epochSeconds.map { $0 + seconds })
    }

    private mutating func drain() {
        while let effect = node.nextEffect() {
            switch effect {
            case .send(let octets, let peer): sent.append((octets, peer))
            case .advertise(let advertisement): advertisements.append(advertisement)
            case .persist(let document, let number): unstored.append((number, document))
            case .scanWiFi(let name):
                requests.append("scan")
                probed.append(name)
            case .joinWiFi(let join):
                requests.append("join")
                joins.append(join)
            case .leaveWiFi: requests.append("leave")
            case .disconnect(let peer): requests.append("disconnect \(peer)")
            case .actuate(let actuation): actuations.append(actuation)
            case .order(let order): orders.append(order)
            case .openWindow(let request): windows.append(request)
            case .recordPINs(let request): pins.append(request)
            case .aliro(let request): aliro.append(request)
            case .notice(let notice): notices.append(notice)
            }
        }
        if storesAtOnce, !unstored.isEmpty { store() }
    }
}

extension NodeRig {
    /// A node on the fabric of a controller.
    static func commissioned(_ configuration: MatterConfiguration) throws -> (NodeRig, Controller) {
        var rig = try NodeRig(configuration)
        var commissioner = try Commissioner()
        let controller = try commissioner.commission(&rig)
        return (rig, controller)
    }

    /// A lock on the fabric of a controller.
    static func commissionedLock(_ traits: LockTraits = LockTraits()) throws -> (NodeRig, Controller) {
        try commissioned(.test(.lock(traits)))
    }
}

extension Controller {
    /// The events of the lock: the number and the fields.
    mutating func lockEvents(_ rig: inout NodeRig) throws -> [String] {
        try events(&rig, "<1=1 2=257>").map { String($0.dropFirst("1/257/".count)) }
    }
}

extension MatterConfiguration {
    /// A device for tests, on a network that needs no configuration.
    static func test(
        _ device: MatterDevice = .lock(LockTraits()),
        network: Network = .ethernet(name: "eth0", address: [0, 1, 2, 3, 4, 5])
    ) throws -> MatterConfiguration {
        let product = Product(
            vendor: 0xFFF1, vendorName: "Lab", product: 0x8001, productName: "Device", serialNumber: "0001",
            uniqueID: "0123456789abcdef")
        let verifier = try SPAKE2PlusVerifier(
            passcode: NodeRig.passcode, salt: NodeRig.salt.span, iterations: Int(NodeRig.iterations))
        let label = Label(
            verifier: verifier.octets, salt: NodeRig.salt, iterations: NodeRig.iterations, discriminator: 0xF00)
        return MatterConfiguration(
            product: product, device: device, network: network, label: label,
            attestation: DeviceAttestation(
                dac: [1], pai: [2], declaration: [3], key: try P256PrivateKey.generate()))
    }
}

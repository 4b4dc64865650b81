// SPDX-License-Identifier: Apache-2.0

import Crypto
import Glibc
import LockChannel
import Logging
import MatterHost
import MatterNode
import MatterSession
import MatterTLV
import System
import Timekeeping

/// The running lock: the node, its network, and the connection to the reader. Everything is on the reactor's thread.
///
/// The node begins with the reader's first message, which says what the lock is. Without the reader the state of the
/// lock is unknown, and each order is refused.
final class LockProcess {
    private let options: LockOptions.Run
    private let device: LockDevice
    private let files: LockFiles
    private let reactor: Reactor
    private let log: Logger
    private let connection: ReaderConnection
    private var node: MatterNode?
    private var network: LockNetwork?
    private var timer: Timer?
    private var told: LockNodeState?
    /// The reason for an end that nobody asked for.
    private(set) var failure: String?

    init(
        _ options: LockOptions.Run, _ device: LockDevice, _ files: LockFiles, _ reactor: Reactor, _ log: Logger
    ) {
        self.options = options
        self.device = device
        self.files = files
        self.reactor = reactor
        self.log = log
        connection = ReaderConnection(options.reader, reactor)
    }

    private var now: Moment { Moment(instant: reactor.now, epochSeconds: Int64(time(nil))) }

    /// Connects to the reader.
    func start() { connection.start { [weak self] in self?.take($0) } }

    /// Says goodbye on the network.
    func end() {
        connection.close()
        network?.end()
    }

    private func fail(_ reason: String) {
        failure = reason
        reactor.stop()
    }

    // MARK: - The reader

    private func take(_ event: ReaderConnection.Event) {
        switch event {
        case .report(.reader(let reader)): take(reader)
        case .report(let report): take(report)
        case .lost(let reason):
            log.warning("\(options.reader): \(reason); retry every second")
            told = nil
            operate(LockReport.unknown)
        }
        settle()
    }

    private func take(_ reader: LockReader) {
        guard reader.version == LockChannelLimits.version else {
            return connection.lose(
                "the reader speaks version \(reader.version), not \(LockChannelLimits.version): install both of one "
                    + "release")
        }
        log.notice("reader \(reader.serial), readerd \(reader.firmware)")
        if node == nil { begin(reader) }
    }

    private func take(_ report: LockReport) {
        let now = now
        switch report {
        case .answered(let order, let isDone): node?.answer(order, isDone: isDone, at: now)
        case .window(seconds: 0): node?.closeWindow(at: now)
        case .window(let seconds): node?.openWindow(for: .seconds(seconds), at: now)
        default: operate(report.operations)
        }
    }

    private func operate(_ operations: [MatterOperation]) {
        let now = now
        for operation in operations { node?.take(operation, at: now) }
    }

    private func openNetwork() throws(LockProgram.Failure) -> LockNetwork {
        try LockNetwork(
            options, device.label, reactor,
            receive: { [weak self] octets, peer in
                guard let self else { return }
                node?.receive(octets, from: peer, at: now)
                settle()
            }, moved: { [weak self] in self?.settle() })
    }

    /// Makes the node and its network.
    private func begin(_ reader: LockReader) {
        do throws(LockProgram.Failure) {
            let network = try openNetwork()
            let configuration = MatterConfiguration(device, reader, network)
            node = try restored(configuration, from: try files.state())
            self.network = network
            let addresses = network.addresses
            node?.take(ipv4: addresses.ipv4, ipv6: addresses.ipv6, at: now)
            operate(LockReport.unknown)
            log.notice("Matter on UDP port \(network.port), \(network.interfaces)")
        } catch {
            fail(error.description)
        }
    }

    private func restored(
        _ configuration: MatterConfiguration, from state: [UInt8]?
    ) throws(LockProgram.Failure) -> MatterNode {
        do throws(MatterStateError) {
            return try MatterNode(configuration, restoring: state, random: SystemRandomSource(), at: now)
        } catch {
            throw .failed("\(options.state)/state: \(error); restore the file, or remove it by reset")
        }
    }

    // MARK: - The node

    private func settle() {
        while let effect = node?.nextEffect() { perform(effect) }
        tellState()
        guard let deadline = Instant.earlier(node?.deadline, network?.deadline) else { return }
        if let timer {
            if !timer.isPending || timer.deadline != deadline { timer.reschedule(at: deadline) }
        } else {
            timer = reactor.schedule(at: deadline) { [weak self] in
                guard let self else { return }
                network?.advance()
                node?.advance(to: now)
                settle()
            }
        }
    }

    private func perform(_ effect: MatterEffect) {
        switch effect {
        case .send(let octets, .udp(let peer)): network?.send(octets, to: peer)
        case .advertise(let advertisement): network?.offer(advertisement)
        case .persist(let octets, let document): store(octets, document)
        case .order(let order): tell(order)
        case .notice(let notice): report(notice)
        // Without a radio or a station of its own; a reader's lock moves by orders alone.
        case .send(_, .ble), .disconnect, .scanWiFi, .joinWiFi, .leaveWiFi, .actuate: break
        }
    }

    private func store(_ octets: [UInt8], _ document: UInt64) {
        do throws(LockProgram.Failure) {
            try files.keep(state: octets)
            node?.stored(document, at: now)
        } catch {
            log.error("\(error)")
            node?.storingFailed(document, at: now)
        }
    }

    /// Passes an order on; without the reader it is refused at once.
    private func tell(_ order: LockOrder) {
        guard let fabric = order.fabric, let author = order.node,
            connection.send(
                .order(
                    LockChannelOrder(
                        number: order.id, position: order.action == .lock ? .locked : .unlocked,
                        fabric: fabric.rawValue, node: author.rawValue)))
        else {
            node?.answer(order.id, isDone: false, at: now)
            return
        }
    }

    /// Tells the reader the node's state, if it is another now.
    private func tellState() {
        guard let node else { return }
        let state = LockNodeState(fabrics: node.fabrics.count, isCommissionable: node.window != nil)
        guard state != told, connection.send(.state(state)) else { return }
        told = state
    }

    private func report(_ notice: MatterNotice) {
        switch notice {
        case .windowOpened, .windowClosed, .commissioned, .fabricAdded, .fabricRemoved, .fabricUpdated, .factoryReset,
            .failSafeExpired:
            log.notice("\(notice)")
        case .passcodeFailed, .storingFailed: log.warning("\(notice)")
        case .lockOperation: log.info("\(notice)")
        default: log.debug("\(notice)")
        }
    }
}

extension MatterConfiguration {
    /// The lock of a reader: its window opens by the reader's operator only.
    fileprivate init(_ device: LockDevice, _ reader: LockReader, _ network: LockNetwork) {
        let label = device.label
        var traits = LockTraits()
        traits.asksProgram = true
        traits.hasDoorContact = reader.hasContact
        traits.relockSeconds = UInt32(clamping: reader.pulseSeconds)
        var product = Product(
            vendor: .init(rawValue: label.vendor), vendorName: "readerd", product: .init(rawValue: label.product),
            productName: "Door reader", serialNumber: reader.serial, uniqueID: label.identityText)
        product.softwareVersionText = reader.firmware
        self.init(
            product: product, device: .lock(traits), network: network.kind,
            label: Label(
                verifier: label.verifier, salt: label.salt, iterations: UInt32(label.iterations),
                discriminator: label.discriminator),
            attestation: device.attestation)
        opensWindowWithoutFabrics = false
        offersBluetooth = false
        windowLength = .seconds(900)
    }
}

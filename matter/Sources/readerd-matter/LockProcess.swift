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
import WiFi

/// The running lock: the node, its network, and the connection to the reader. Everything runs on the reactor's thread.
///
/// The node begins with the reader's first message, which describes the lock. Without the reader the state of the lock
/// is unknown, and each order is refused.
final class LockProcess {
    /// The longest wait for input. The age of a message is taken as the longest time that it may have waited, up to
    /// twice this value in an idle process, and a timed command of an app is valid for a second or less.
    static let longestWait = Duration.milliseconds(100)

    private let options: LockOptions.Run
    private let device: LockDevice
    private let files: LockFiles
    let reactor: Reactor
    let log: Logger
    let connection: ReaderConnection
    var node: MatterNode?
    var network: LockNetwork?
    private lazy var timer = reactor.timer { [weak self] in
        guard let self else { return }
        network?.advance()
        links.advance(to: now.instant)
        node?.advance(to: now)
        settle()
    }
    private var told: LockNodeState?
    /// The author and the cause of the node's last change, until it is reported to the reader.
    private var author: LockNode?
    private var cause: LockCause?
    /// The node that opened the window; nil for the operator, or without a window.
    private var opener: LockNode?
    var links = MatterLinks()
    /// The octets that the reader advertises.
    var serviceData: [UInt8]?
    /// The reports of orders without a PIN to compare, which a node can send without a limit.
    var uncountedReports = TokenBucket(TokenBucket.Pace(size: 1, interval: .seconds(1)), at: .origin)
    /// The reason for an unrequested end.
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

    var now: Moment { Moment(instant: reactor.now, epochSeconds: Int64(time(nil))) }

    /// Connects to the reader.
    func start() { connection.start { [weak self] in self?.receive($0) } }

    /// Withdraws the node from the network.
    func end() {
        connection.close()
        network?.end()
    }

    private func fail(_ reason: String) {
        failure = reason
        reactor.stop()
    }

    // MARK: - The reader

    private func receive(_ event: ReaderConnection.Event) {
        switch event {
        case .report(.reader(let reader)): receive(reader)
        case .report(let report): receive(report)
        case .lost(let reason):
            log.warning("\(options.reader): \(reason); retry every second")
            told = nil
            for link in links.all { node?.linkLost(.ble(link: link), at: now) }
            links = MatterLinks()
            // Without the reader, the operator cannot close the window.
            node?.closeWindow(because: .programLost, at: now)
            operate(LockReport.unknown)
        }
        settle()
    }

    private func receive(_ reader: LockReader) {
        guard reader.version == LockChannelLimits.version else {
            return connection.lose(
                "the reader speaks version \(reader.version), not \(LockChannelLimits.version): install both of one "
                    + "release")
        }
        log.notice("reader \(reader.serial), readerd \(reader.firmware)")
        if node == nil { begin(reader) } else { connection.send(.advertise(serviceData)) }
        guard let hasAliro = node?.hasAliro, let hasPINs = node?.hasPINs else { return }
        guard hasPINs == reader.hasPINs else {
            return fail("the reader has changed matter.pin: this process starts again with its features")
        }
        guard hasAliro == (reader.aliro != nil) else {
            return fail("the reader has changed matter.aliro: this process starts again with its features")
        }
        if let count = node?.unusedPINs, count > 0 {
            log.warning("matter.pin is false: orders need none of the \(count) stored PINs")
        }
        // It may have another version of the keys, or not have stored the last one.
        if let aliro = reader.aliro { node?.provisionReader(holding: aliro.verificationKey, at: now) }
    }

    private func receive(_ report: LockReport) {
        let now = now
        switch report {
        case .answered(let order, let isDone): node?.answer(order, isDone: isDone, at: now)
        case .aliro(let request, let answer): node?.answer(aliro: request, AliroResult(answer), at: now)
        case .window(seconds: 0): node?.closeWindow(at: now)
        case .window(let seconds): node?.openWindow(for: .seconds(seconds), at: now)
        case .link(let link, let event): receive(event, of: link, at: now)
        case .wifi(let event): receive(event, at: now)
        default: operate(report.operations)
        }
    }

    private func operate(_ operations: [MatterOperation]) {
        let now = now
        for operation in operations { node?.receive(operation, at: now) }
    }

    private func openNetwork() throws(LockProgram.Failure) -> LockNetwork {
        try LockNetwork(
            options, device.label, reactor, log,
            receive: { [weak self] octets, peer, age in
                guard let self else { return }
                node?.receive(octets, from: peer, at: now, age: age)
                settle()
            },
            moved: { [weak self] hasNewAddresses in
                if hasNewAddresses { self?.takeAddresses() }
                self?.settle()
            })
    }

    private func takeAddresses() {
        guard let addresses = network?.addresses else { return }
        node?.receive(ipv4: addresses.ipv4, ipv6: addresses.ipv6, at: now)
    }

    /// Creates the node and its network.
    private func begin(_ reader: LockReader) {
        do throws(LockProgram.Failure) {
            let network = try openNetwork()
            let configuration = MatterConfiguration(device, reader, network)
            node = try restored(configuration, from: try files.state())
            self.network = network
            takeAddresses()
            operate(LockReport.unknown)
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
        var isBusy = true
        while isBusy {
            isBusy = false
            while let effect = node?.nextEffect() {
                isBusy = true
                perform(effect)
            }
            for event in links.takeEvents() {
                isBusy = true
                perform(event)
            }
            for request in links.takeRequests() { perform(request) }
        }
        tellState()
        let own = Instant.earlier(node?.deadline, links.deadline)
        timer.set(Instant.earlier(own, network?.deadline))
    }

    private func perform(_ effect: MatterEffect) {
        switch effect {
        case .send(let octets, .udp(let peer)): network?.send(octets, to: peer)
        case .send(let octets, .ble(let link)): links.send(octets, to: link, at: now.instant)
        case .disconnect(.ble(let link)): links.disconnect(link)
        case .advertise(let advertisement): advertise(advertisement)
        case .persist(let octets, let document): store(octets, document)
        case .order(let order): forward(order)
        case .openWindow(let request): forward(request)
        case .aliro(let request): forward(request)
        case .recordPINs(let request): forward(request)
        case .notice(let notice): report(notice)
        case .scanWiFi(let name): request(.scan(name))
        case .joinWiFi(let join): request(.join(join))
        case .leaveWiFi: request(.leave)
        // A reader's lock moves only by orders.
        case .disconnect(.udp), .actuate: break
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

    /// Forwards an order to the reader; without the reader it is refused at once.
    private func forward(_ order: LockOrder) {
        guard let fabric = order.fabric, let author = order.node,
            connection.send(
                .order(
                    LockChannelOrder(
                        number: order.id, position: order.action == .lock ? .locked : .unlocked,
                        fabric: fabric.rawValue, node: author.rawValue, user: order.user)))
        else {
            node?.answer(order.id, isDone: false, at: now)
            return
        }
    }

    /// Forwards a request for a window to the reader; without the reader it is refused at once.
    private func forward(_ request: WindowRequest) {
        let message = LockWindowRequest(
            number: request.id, seconds: Int(request.seconds), author: LockNode(request.author))
        if !connection.send(.openWindow(message)) { node?.answer(request.id, isDone: false, at: now) }
    }

    /// Reports the node's state to the reader, if it has changed.
    private func tellState() {
        guard let node else { return }
        let window = node.windowID.map { LockWindow(id: $0, opener: opener) }
        let state = LockNodeState(
            fabrics: node.fabrics.map { LockFabric($0) }, window: window, author: author, cause: cause)
        guard told.map({ !state.isSame(as: $0) }) ?? true, connection.send(.state(state)) else { return }
        told = state
        (author, cause) = (nil, nil)
    }

    private func report(_ notice: MatterNotice) {
        recordCause(notice)
        switch notice {
        case .commissioned:
            log.notice("\(notice)")
            connection.send(.wifi(.keep))
        case .windowOpened, .windowClosed, .fabricAdded, .fabricRemoved, .fabricUpdated, .factoryReset,
            .failSafeExpired:
            log.notice("\(notice)")
        case .passcodeFailed, .storingFailed: log.warning("\(notice)")
        case .lockOperation, .sessionDisplaced: log.info("\(notice)")
        case .pinRefused(let action, let author, let reason):
            log.info("\(notice)")
            forward(action, author, reason)
        default: log.debug("\(notice)")
        }
    }

    /// Records the author and the cause of a change of fabrics or windows.
    private func recordCause(_ notice: MatterNotice) {
        switch notice {
        case .windowOpened(_, let by): opener = by.map { LockNode($0) }
        case .windowClosed(let end): (opener, cause) = (nil, LockCause(end))
        case .fabricRemoved(_, let by): author = by.map { LockNode($0) } ?? author
        case .failSafeExpired: cause = .undone
        default: break
        }
    }
}

extension LockNode {
    init(_ author: MatterAuthor) {
        self.init(fabric: author.fabric.rawValue, node: author.node.rawValue)
    }
}

extension LockFabric {
    fileprivate init(_ fabric: MatterFabric) {
        self.init(
            index: fabric.index.rawValue, fabric: fabric.fabric.rawValue, node: fabric.node.rawValue,
            vendor: fabric.vendor.rawValue)
    }
}

extension LockCause {
    fileprivate init(_ end: WindowEnd) {
        self =
            switch end {
            case .commissioned: .commissioned
            case .timeout: .timeout
            case .revoked: .revoked
            case .tooManyFailures: .failures
            case .closed: .operator
            case .programLost: .readerLost
            case .fabricRemoved: .fabricRemoved
            }
    }
}

extension MatterConfiguration {
    /// The lock of a reader, whose window only the reader's operator opens.
    fileprivate init(_ device: LockDevice, _ reader: LockReader, _ network: LockNetwork) {
        let label = device.label
        var traits = LockTraits()
        traits.asksProgram = true
        traits.hasDoorContact = reader.hasContact
        traits.hasAliro = reader.aliro != nil
        traits.hasPINs = reader.hasPINs
        traits.relockSeconds = UInt32(clamping: reader.pulseSeconds)
        var product = Product(
            vendor: .init(rawValue: label.vendor), vendorName: "readerd", product: .init(rawValue: label.product),
            productName: "Door reader", serialNumber: reader.serial, uniqueID: label.identityText)
        product.softwareVersionText = reader.firmware
        self.init(
            product: product, device: .lock(traits),
            network: reader.wifi.map { .wifi(address: $0.octets) } ?? network.kind,
            label: Label(
                verifier: label.verifier, salt: label.salt, iterations: UInt32(label.iterations),
                discriminator: label.discriminator),
            attestation: device.attestation)
        opensWindowWithoutFabrics = false
        asksForWindows = true
        // Only the operator may open a window with the label's code.
        offersBasicWindow = false
        // An app that commissions over Bluetooth LE configures a network.
        offersBluetooth = reader.wifi != nil
        windowLength = .seconds(900)
    }
}

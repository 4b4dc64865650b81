// SPDX-License-Identifier: Apache-2.0

import Commands

#if NetworkDevices
    import Console
    import Crypto
    import DevicePrograms
    import NIOCore
    import NIOHTTP1
    import NIOPosix
    import NIOSSL
    import NordicProvisioning
    import Devices
    import Emulation
    import Timekeeping
    import WiFiStation

    /// The HTTPS server of a device, with its timer, on one event loop.
    final class SoftAPServer {
        /// The time-out of a client's handshake and of each request, because a silent client would block the next one.
        static let clientTime = TimeAmount.seconds(30)
        /// The time-out of a client's TLS close_notify, which limits the wait of the next client.
        static let goodbyeTime = TimeAmount.milliseconds(500)
        /// The maximum number of concurrent clients of `gateway`; the firmware serves one.
        static let mostClients = 8

        private let loop: any EventLoop
        private let address: SocketAddress
        private let tls: NIOSSLContext
        private var device: SoftAPDevice
        private var station: SimulatedWiFi
        private let announcer: SoftAPAnnouncer
        let observer: SoftAPObserver
        private let fail: (CommandError) -> Void

        private var listener: (any Channel)?
        private var wantsListener = false
        private var clients: [SoftAPConnection: SoftAPClientHandler] = [:]
        private var nextNumber = 1
        private var timer: Scheduled<Void>?

        /// A server that does not listen yet. `fail` is called if listening fails.
        init(
            on loop: any EventLoop, at address: SocketAddress, tls: NIOSSLContext, device: SoftAPDevice,
            station: SimulatedWiFi, announcer: SoftAPAnnouncer, observer: SoftAPObserver,
            fail: @escaping (CommandError) -> Void
        ) {
            self.loop = loop
            self.address = address
            self.tls = tls
            self.device = device
            self.station = station
            self.announcer = announcer
            self.observer = observer
            self.fail = fail
        }

        static var now: Instant { Instant(nanoseconds: Int64(clamping: NIODeadline.now().uptimeNanoseconds)) }

        var isExact: Bool { device.settings.profile == .exact }
        private var mostClients: Int { isExact ? 1 : SoftAPServer.mostClients }

        /// Switches the device on.
        func begin() {
            observer.turn(to: nil)
            device.begin(at: SoftAPServer.now, over: &station)
            act()
        }

        /// Presses the button.
        func press() {
            observer.turn(to: nil)
            device.press(at: SoftAPServer.now, over: &station)
            act()
        }

        /// Closes all connections with a goodbye; the future completes once everything is closed.
        func end() -> EventLoopFuture<Void> {
            timer?.cancel()
            wantsListener = false
            for client in clients.values { client.close() }
            let closed = listener.map { $0.close(mode: .all).recover { _ in } } ?? loop.makeSucceededVoidFuture()
            return closed.and(announcer.end()).map { _ in }
        }

        // MARK: - Events of clients

        /// A number for a new connection, which is required to close the connection later.
        func number() -> SoftAPConnection {
            defer { nextNumber += 1 }
            return SoftAPConnection(nextNumber)
        }

        func opened(_ connection: SoftAPConnection, _ client: SoftAPClientHandler, from peer: SocketAddress?) {
            clients[connection] = client
            observer.turn(to: connection)
            observer.record(
                .happened("connection", text: "app → connected from \(peer?.ipAddress ?? "?")"), at: SoftAPServer.now)
            if let fault = observer.fault(for: nil) { device.inject(fault) }
            device.connected(connection)
            if clients.count < mostClients { listener?.read() }
            act()
        }

        func received(_ request: SoftAPRequest, on connection: SoftAPConnection) {
            observer.turn(to: connection)
            if let fault = observer.fault(for: request) { device.inject(fault) }
            device.request(request, on: connection, at: SoftAPServer.now, over: &station)
            act()
        }

        func malformed(_ connection: SoftAPConnection) {
            observer.turn(to: connection)
            device.malformed(connection)
            act()
        }

        func failed(_ connection: SoftAPConnection, _ why: String, isByApp: Bool) {
            observer.turn(to: connection)
            device.failed(connection, why, isByApp: isByApp, at: SoftAPServer.now, over: &station)
            act()
        }

        func closed(_ connection: SoftAPConnection) {
            clients[connection] = nil
            device.ended(connection)
            if clients.count < mostClients { listener?.read() }
            act()
        }

        /// The state of the device, for a page.
        var observed: ObservedState {
            var state = ObservedState(faults: observer.plan.observed)
            state.add(station)
            return state
        }

        // MARK: - Commands

        /// Executes a command, and returns the lines of the answer.
        func receive(_ command: EmulationCommand, quit: () -> Void) -> [String] {
            observer.turn(to: nil)
            if let lines = observer.execute(command) { return lines }
            switch command {
            case .wifi, .network, .dhcp:
                guard let change = WiFiChange(command) else { return [command.problemOfNetwork] }
                let isDone = station.change(change, at: SoftAPServer.now)
                advance()
                return [isDone ? change.words : command.problemOfNetwork]
            case .disconnect(let link, _):
                let ended = clients.filter { link == nil || UInt32(clamping: $0.key.number) == link }
                for client in ended.values { client.close() }
                return ["\(ended.count) \(ended.count == 1 ? "connection ends" : "connections end")"]
            case .quit:
                quit()
                return ["the end"]
            default: return SoftAPObserver.problem(command).map { [$0] } ?? []
            }
        }

        // MARK: - Actions

        private func act() {
            while let action = device.nextAction() { act(action) }
            timer?.cancel()
            timer = nil
            guard let deadline = device.deadline(over: station) else { return }
            let at = NIODeadline.uptimeNanoseconds(UInt64(clamping: deadline.nanoseconds))
            let own = NIOLoopBound(self, eventLoop: loop)
            timer = loop.scheduleTask(deadline: at) { own.value.advance() }
        }

        private func advance() {
            observer.turn(to: nil)
            device.advance(to: SoftAPServer.now, over: &station)
            act()
        }

        private func act(_ action: SoftAPAction) {
            switch action {
            case .listen:
                wantsListener = true
                listen()
            case .stopListening:
                wantsListener = false
                listener?.close(mode: .all, promise: nil)
                listener = nil
            case .announce(let side): announcer.announce(side)
            case .silence(let goodbye): announcer.silence(goodbye: goodbye)
            case .answer(let connection, let response): clients[connection]?.answer(response)
            case .close(let connection): clients[connection]?.close()
            case .tell(let notice): observer.report(notice, at: SoftAPServer.now)
            }
        }

        private func listen() {
            let own = NIOLoopBound(self, eventLoop: loop)
            let isExact = isExact
            ServerBootstrap(group: loop)
                // Connections are accepted one at a time, while there is room.
                .serverChannelOption(.autoRead, value: false)
                .serverChannelOption(.maxMessagesPerRead, value: 1)
                .serverChannelOption(.backlog, value: 16)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        try pipeline.addHandler(NIOSSLServerHandler(context: own.value.tls))
                        try pipeline.configureHTTPServerPipeline(
                            withPipeliningAssistance: !isExact, withErrorHandling: !isExact)
                        try pipeline.addHandler(SoftAPClientHandler(own.value))
                    }
                }
                .bind(to: address)
                .whenComplete { own.value.bound($0) }
        }

        private func bound(_ result: Result<any Channel, any Error>) {
            switch result {
            case .success(let channel):
                guard wantsListener, listener == nil else { return channel.close(promise: nil) }
                listener = channel
                channel.read()
            case .failure(let error):
                fail(
                    CommandError.failed(
                        "cannot listen at \(SocketText.name(of: address)): \(SocketText.reason(error)); "
                            + "give another --listen ADDRESS:PORT"))
            }
        }
    }
#endif

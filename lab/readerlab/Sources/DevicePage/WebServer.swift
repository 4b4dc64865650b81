// SPDX-License-Identifier: Apache-2.0

#if NetworkDevices
    import Console
    import DevicePrograms
    import Glibc
    import NIOCore
    import NIOHTTP1
    import NIOPosix

    /// The page's server and the program behind it, on one event loop.
    final class WebServer {
        /// The time between two comments on a quiet stream, which show that the connection is open.
        static let keepAlive = TimeAmount.seconds(15)

        let loop: any EventLoop
        private(set) var access: WebAccess?
        private var conversation = WebConversation()
        private var streams: [ObjectIdentifier: WebHandler] = [:]
        private var places = WebPlaces<ObjectIdentifier>()
        private var handlers: [ObjectIdentifier: WebHandler] = [:]
        private var input: (any Channel)?
        private let takesLines: Bool
        /// The program's pins; nil for a program without pins.
        private(set) var pins: WebPins?
        /// The callbacks for unanswered lines, by the lines' numbers.
        private var waiting: [Int: (Bool?) -> Void] = [:]
        private let show: (String) -> Void

        /// - Parameters:
        ///   - view: what the page shows.
        ///   - faults: the faults that the program accepts, if any.
        ///   - takesLines: false for a program that can only be observed.
        ///   - pins: the program's pins, if any.
        ///   - show: prints a line of the program.
        init(
            on loop: any EventLoop, view: WebPage.View, faults: [FaultTable.Row]?, takesLines: Bool, pins: WebPins?,
            show: @escaping (String) -> Void
        ) {
            self.pins = pins
            self.loop = loop
            self.takesLines = takesLines
            self.show = show
            conversation.began(view, takesLines: takesLines)
            if let faults { conversation.offers(faults) }
        }

        // MARK: - Listening

        /// Listens at the address; port 0 selects a free one. Returns the address with the actual port.
        func listen(_ address: SocketAddress, token: String) -> EventLoopFuture<SocketAddress> {
            let own = NIOLoopBound(self, eventLoop: loop)
            return ServerBootstrap(group: loop)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .childChannelOption(.writeBufferWaterMark, value: .init(low: 1 << 20, high: 8 << 20))
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.configureHTTPServerPipeline(
                            withPipeliningAssistance: true, withErrorHandling: true)
                        try channel.pipeline.syncOperations.addHandler(WebHandler(own.value))
                    }
                }
                .bind(to: address)
                .map { channel in
                    let bound = channel.localAddress ?? address
                    own.value.access = WebAccess(
                        token: token, address: bound.ipAddress ?? "", port: bound.port ?? 0)
                    return bound
                }
        }

        /// Gives a new connection a place, which may displace the oldest connection without the token.
        func opened(_ handler: WebHandler) {
            handlers[ObjectIdentifier(handler)] = handler
            if let displaced = places.open(ObjectIdentifier(handler)) { handlers[displaced]?.close() }
        }

        /// Gives a connection that has presented the token a place among the known ones; false if all are occupied.
        func admit(_ handler: WebHandler) -> Bool { places.admit(ObjectIdentifier(handler)) }

        func closed(_ handler: WebHandler) {
            places.close(ObjectIdentifier(handler))
            handlers[ObjectIdentifier(handler)] = nil
            streams[ObjectIdentifier(handler)] = nil
        }

        // MARK: - The program

        /// Follows the program's output until it ends, and sends it the page's own command.
        func follow(_ child: ChildProgram) -> EventLoopFuture<Void> {
            let ended = loop.makePromise(of: Void.self)
            let own = NIOLoopBound(self, eventLoop: loop)
            return NIOPipeBootstrap(group: loop)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(WebProgramLines(own.value, ended))
                    }
                }
                .takingOwnershipOfDescriptors(input: child.output, output: child.input)
                .flatMap { channel in
                    own.value.input = channel
                    _ = own.value.send(WebConversation.question)
                    return ended.futureResult
                }
        }

        /// Sends a line to the program; false if the program cannot answer it. `answered` is called with its verdict,
        /// or with nil if the program ends first.
        func send(_ line: String, answered: ((Bool?) -> Void)? = nil) -> Bool {
            guard takesLines, let input, input.isActive, conversation.canSend else { return false }
            waiting[conversation.sent(line)] = answered
            input.writeAndFlush(ByteBuffer(string: line + "\n"), promise: nil)
            return true
        }

        func printed(_ line: String) {
            let event = conversation.printed(line)
            if pins != nil, let members = WebConversation.members(of: line) { pins?.told(members, line) }
            if let answer = conversation.latestAnswer {
                if answer.isGood { pins?.done(answer.line) }
                waiting.removeValue(forKey: answer.number)?(answer.isGood)
            }
            if event.name != WebConversation.question, event.number > 0 { show(line) }
            publish(event)
        }

        /// Notifies the pages that the program has ended.
        func ended(_ words: String) {
            input = nil
            for answered in waiting.values { answered(nil) }
            waiting = [:]
            publish(conversation.ended(words))
        }

        // MARK: - Streams

        /// Adds a stream, which begins after the event with this number.
        func stream(_ handler: WebHandler, after number: Int) {
            streams[ObjectIdentifier(handler)] = handler
            handler.send(conversation.backlog.events(after: number).map(\.text).joined())
            keepAlive(handler)
        }

        private func publish(_ event: WebBacklog.Event) {
            for handler in streams.values { handler.send(event.text) }
        }

        private func keepAlive(_ handler: WebHandler) {
            let own = NIOLoopBound((self, handler), eventLoop: loop)
            loop.scheduleTask(in: WebServer.keepAlive) {
                let (server, handler) = own.value
                guard server.streams[ObjectIdentifier(handler)] != nil else { return }
                handler.send(":\n\n")
                server.keepAlive(handler)
            }
        }
    }

    /// The program's output, as lines.
    private final class WebProgramLines: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        /// The maximum number of octets of a line; the rest of a longer one becomes another line.
        private static let maximumLine = 1 << 20

        private let server: WebServer
        private let ended: EventLoopPromise<Void>
        private var octets: [UInt8] = []

        init(_ server: WebServer, _ ended: EventLoopPromise<Void>) {
            self.server = server
            self.ended = ended
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            for octet in unwrapInboundIn(data).readableBytesView {
                if octet != 0x0A { octets.append(octet) }
                guard octet == 0x0A || octets.count == WebProgramLines.maximumLine else { continue }
                server.printed(String(decoding: octets, as: UTF8.self))
                octets.removeAll(keepingCapacity: true)
            }
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            // One pipe has ended; the other may still be open.
            if event as? ChannelEvent == .inputClosed { context.close(promise: nil) }
        }

        func channelInactive(context: ChannelHandlerContext) { ended.succeed() }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
#endif

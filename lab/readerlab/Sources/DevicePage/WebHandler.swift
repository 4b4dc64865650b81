// SPDX-License-Identifier: Apache-2.0

#if NetworkDevices
    import NIOCore
    import NIOHTTP1

    /// A browser's connection: successive requests, or a stream of events.
    final class WebHandler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        /// The longest time of a request, and of a connection without a request.
        private static let requestTime = TimeAmount.seconds(30)
        /// The same for a connection that has not presented the token: a browser sends its request at once.
        private static let strangerTime = TimeAmount.seconds(5)
        /// The maximum number of octets of a body: a line whose characters are all escaped.
        private static let maximumBody = WebConversation.maximumLine * 2

        private let server: WebServer
        private var context: ChannelHandlerContext?
        private var head: HTTPRequestHead?
        private var body: [UInt8] = []
        private var limit: Scheduled<Void>?
        private var isStream = false
        private var isKnown = false

        init(_ server: WebServer) { self.server = server }

        func channelActive(context: ChannelHandlerContext) {
            self.context = context
            server.opened(self)
            limitTime()
        }

        func channelInactive(context: ChannelHandlerContext) {
            limit?.cancel()
            self.context = nil
            server.closed(self)
        }

        /// Closes the connection.
        func close() { context?.close(promise: nil) }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

        /// Closes the stream of a page that does not read it. The page reconnects, and receives the missed events.
        func channelWritabilityChanged(context: ChannelHandlerContext) {
            if isStream, !context.channel.isWritable { context.close(promise: nil) }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head):
                self.head = head
                body = []
                limitTime()
            case .body(let octets):
                guard body.count + octets.readableBytes <= WebHandler.maximumBody else {
                    return context.close(promise: nil)
                }
                body += octets.readableBytesView
            case .end:
                limitTime()
                if let head { receive(head) }
            }
        }

        private func limitTime() {
            limit?.cancel()
            guard let context else { return }
            let own = NIOLoopBound(context, eventLoop: context.eventLoop)
            let time = isKnown ? WebHandler.requestTime : WebHandler.strangerTime
            limit = context.eventLoop.scheduleTask(in: time) { own.value.close(promise: nil) }
        }

        private func receive(_ head: HTTPRequestHead) {
            let headers = head.headers
            // A repeated field is invalid.
            func field(_ name: String) -> String? { headers[name].count == 1 ? headers[name][0] : nil }
            let request = WebAccess.Request(
                method: head.method.rawValue, target: head.uri, host: field("host"), origin: field("origin"),
                authorization: field("authorization"), contentType: field("content-type"))
            let decision = server.access?.decide(request) ?? .refused(503, "the program is starting")
            if decision.isAuthorized, !isKnown {
                guard server.admit(self) else { return refuse(503, "too many pages are open; close one") }
                isKnown = true
            }
            switch decision {
            case .page(let part): answer(200, part.type, part.octets)
            case .refused(let status, let words): refuse(status, words)
            case .line: receiveLine()
            case .pin(let request): receive(request)
            case .events: stream(after: field("last-event-id").flatMap { Int($0) } ?? 0)
            }
        }

        private func receiveLine() {
            guard let line = WebConversation.line(in: body) else {
                return refuse(400, "write {\"line\": \"…\"}, one line of up to 4096 octets")
            }
            guard server.send(line) else { return refuse(503, "the program takes no lines, or has ended") }
            answer(204, nil, [])
        }

        private func receive(_ request: WebPins.Request) {
            guard let pins = server.pins else { return refuse(404, "this program has no pins") }
            switch pins.outcome(of: request, body: body) {
            case .level(let level): answer(200, WebHandler.text, Array(level.utf8))
            case .edges(let edges): answer(200, "application/json", Array(edges.utf8))
            case .refused(let status, let words): refuse(status, words)
            case .line(let line): set(by: line)
            }
        }

        /// Answers after the program has, so that the pin has its new level before the client's next request.
        private func set(by line: String) {
            let isSent = server.send(line) { [weak self] isDone in
                switch isDone {
                case true?: self?.answer(204, nil, [])
                case false?: self?.refuse(409, "the program has refused this")
                case nil: self?.refuse(503, "the program has ended")
                }
            }
            if !isSent { refuse(503, "the program takes no lines, or has ended") }
        }

        private func refuse(_ status: Int, _ words: String) {
            answer(status, WebHandler.text, Array((words + "\n").utf8))
        }

        // MARK: - Responses

        private static let text = "text/plain; charset=utf-8"

        /// The header fields of each response: the page loads nothing from elsewhere, and no other page can embed it.
        private static let protection = HTTPHeaders([
            (
                "Content-Security-Policy",
                "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
                    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
            ),
            ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"), ("Cache-Control", "no-store"),
            ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
        ])

        private func answer(_ status: Int, _ type: String?, _ octets: [UInt8]) {
            guard let context, let head else { return }
            var headers = WebHandler.protection
            if let type { headers.add(name: "Content-Type", value: type) }
            if status != 204 { headers.add(name: "Content-Length", value: "\(octets.count)") }
            let closes = !head.isKeepAlive || status >= 400
            if closes { headers.add(name: "Connection", value: "close") }
            let response = HTTPResponseHead(
                version: .http1_1, status: HTTPResponseStatus(statusCode: status), headers: headers)
            context.write(wrapOutboundOut(.head(response)), promise: nil)
            if head.method != .HEAD {
                context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: octets)))), promise: nil)
            }
            let written = context.writeAndFlush(wrapOutboundOut(.end(nil)))
            let channel = context.channel
            if closes { written.whenComplete { _ in channel.close(promise: nil) } }
        }

        private func stream(after number: Int) {
            guard let context else { return }
            limit?.cancel()
            isStream = true
            var headers = WebHandler.protection
            headers.add(name: "Content-Type", value: "text/event-stream")
            headers.add(name: "Connection", value: "close")
            let response = HTTPResponseHead(version: .http1_1, status: .ok, headers: headers)
            context.writeAndFlush(wrapOutboundOut(.head(response)), promise: nil)
            server.stream(self, after: number)
        }

        /// Sends text of the stream.
        func send(_ text: String) {
            guard let context, !text.isEmpty else { return }
            context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil)
        }
    }
#endif

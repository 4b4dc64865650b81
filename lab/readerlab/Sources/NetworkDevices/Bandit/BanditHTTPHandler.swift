// SPDX-License-Identifier: Apache-2.0

#if NetworkDevices
    import ActionCamera
    import NIOCore
    import NIOHTTP1

    /// An HTTP connection: successive requests, each answered with an exact `Content-Length`.
    final class BanditHTTPHandler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        /// The longest time of a request, from the first octet of its head to the last of its body.
        static let requestTime = TimeAmount.seconds(30)
        /// The number of octets that are written at once.
        private static let piece = 65_536

        private let server: BanditServer
        private var context: ChannelHandlerContext?
        private var head: HTTPRequestHead?
        private var body: [UInt8] = []
        private var bodyCount = 0
        private var limit: Scheduled<Void>?
        private var isRefused = false
        private var isOver = false
        private(set) var number = 0

        init(_ server: BanditServer) { self.server = server }

        // MARK: - Lifetime

        func channelActive(context: ChannelHandlerContext) {
            self.context = context
            guard let number = server.admit(context.channel) else {
                isRefused = true
                if server.resetsOverload { server.refuse(context.channel, "HTTP") }
                limitTime()
                return
            }
            self.number = number
            server.opened(self)
            for fault in server.faults(at: "connection") {
                if fault == .reset { BanditServer.reset(context.channel) } else { context.close(promise: nil) }
            }
        }

        func channelInactive(context: ChannelHandlerContext) {
            limit?.cancel()
            isOver = true
            self.context = nil
            if !isRefused { server.closed(self) }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            if error is HTTPParserError { server.malformed(number) } else { context.close(promise: nil) }
        }

        func close() { context?.close(promise: nil) }

        var channel: (any Channel)? { context?.channel }

        private func limitTime() {
            limit?.cancel()
            guard let context else { return }
            let own = NIOLoopBound(self, eventLoop: context.eventLoop)
            limit = context.eventLoop.scheduleTask(in: BanditHTTPHandler.requestTime) { own.value.timedOut() }
        }

        private func timedOut() {
            if !isRefused { server.report("connection \(number) began a request and did not end it: it is closed") }
            context?.close(promise: nil)
        }

        // MARK: - Requests

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard !isOver else { return }
            switch unwrapInboundIn(data) {
            case .head(let head):
                self.head = head
                body = []
                bodyCount = 0
                limitTime()
                if head.headers["expect"].contains(where: { $0.lowercased() == "100-continue" }) {
                    let interim = HTTPResponseHead(version: .http1_1, status: .continue)
                    context.writeAndFlush(wrapOutboundOut(.head(interim)), promise: nil)
                }
            case .body(let octets):
                limitTime()
                bodyCount += octets.readableBytes
                body += octets.readableBytesView.prefix(CameraRequest.maximumBody - body.count)
            case .end:
                limit?.cancel()
                guard let head else { return }
                if isRefused { return refuse() }
                server.received(request(head), on: self)
                body = []
            }
        }

        private func request(_ head: HTTPRequestHead) -> CameraRequest {
            CameraRequest(
                head.method.rawValue, head.uri, peer: context?.remoteAddress?.ipAddress ?? "127.0.0.1", body: body,
                bodyCount: bodyCount, accept: head.headers.first(name: "accept"),
                contentType: head.headers.first(name: "content-type"), range: head.headers.first(name: "range"))
        }

        private func refuse() {
            server.refusedRequest()
            answer(BanditPayload(status: 503, type: nil, source: .octets([]), range: .whole), closes: true)
        }

        // MARK: - Responses

        /// Sends a response. With `cut` the connection closes after so many octets of the body.
        func answer(_ payload: BanditPayload, closes wanted: Bool = false, cut: Int? = nil) {
            guard let context, !isOver else { return }
            let closes = wanted || cut != nil || head?.isKeepAlive != true
            var headers = HTTPHeaders()
            if let type = payload.type { headers.add(name: "Content-Type", value: type) }
            headers.add(name: "Content-Length", value: "\(payload.part.count)")
            if payload.hasRanges { headers.add(name: "Accept-Ranges", value: "bytes") }
            if let range = payload.contentRange { headers.add(name: "Content-Range", value: range) }
            if closes { headers.add(name: "Connection", value: "close") }
            let head = HTTPResponseHead(
                version: .http1_1, status: HTTPResponseStatus(statusCode: payload.status), headers: headers)
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            let end = min(payload.part.upperBound, cut.map { payload.part.lowerBound + $0 } ?? .max)
            send(
                payload, payload.part.lowerBound..<max(payload.part.lowerBound, end), closes: closes, isCut: cut != nil)
        }

        /// Sends the body in pieces, each once the previous one is in the kernel.
        private func send(_ payload: BanditPayload, _ range: Range<Int>, closes: Bool, isCut: Bool) {
            guard let context else { return }
            let piece = range.prefix(BanditHTTPHandler.piece)
            guard !piece.isEmpty, let octets = payload.octets(in: piece.startIndex..<piece.endIndex) else {
                return finish(closes: closes, isCut: isCut || !range.isEmpty)
            }
            let rest = piece.endIndex..<range.upperBound
            let own = NIOLoopBound((self, payload), eventLoop: context.eventLoop)
            context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: octets))))).whenSuccess {
                own.value.0.send(own.value.1, rest, closes: closes, isCut: isCut)
            }
        }

        private func finish(closes: Bool, isCut: Bool) {
            guard let context else { return }
            let channel = context.channel
            if isCut {
                context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer())))).whenComplete { _ in
                    channel.close(promise: nil)
                }
                return
            }
            head = nil
            let written = context.writeAndFlush(wrapOutboundOut(.end(nil)))
            if closes { written.whenComplete { _ in channel.close(promise: nil) } }
        }
    }
#endif

// SPDX-License-Identifier: Apache-2.0

#if NetworkDevices
    import Glibc
    import NIOCore
    import NIOHTTP1
    import NIOSSL
    import NIOTLS
    import Devices

    /// One connection of an app, after TLS and HTTP parsing.
    final class SoftAPClientHandler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let server: SoftAPServer
        private var context: ChannelHandlerContext?
        private var connection: SoftAPConnection?
        private var isSecure = false
        private var head: HTTPRequestHead?
        private var body: [UInt8] = []
        /// True if no further input is expected, after completion or failure.
        private var isOver = false
        private var limit: Scheduled<Void>?

        init(_ server: SoftAPServer) { self.server = server }

        // MARK: - Lifetime

        func channelActive(context: ChannelHandlerContext) {
            self.context = context
            limitTime(context)
            let connection = server.number()
            self.connection = connection
            server.opened(connection, self, from: context.remoteAddress)
            context.fireChannelActive()
        }

        func channelInactive(context: ChannelHandlerContext) {
            limit?.cancel()
            if !isSecure { fail("it ended inside the TLS handshake") }
            isOver = true
            self.context = nil
            if let connection { server.closed(connection) }
            context.fireChannelInactive()
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if let event = event as? TLSUserEvent, case .handshakeCompleted = event { isSecure = true }
            context.fireUserInboundEventTriggered(event)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            switch error {
            case is HTTPParserError:
                if let connection, !isOver { server.malformed(connection) }
                isOver = true
            case let error as IOError where error.errnoCode == ECONNRESET: fail("the client reset it")
            // Many clients close without a TLS close_notify.
            case NIOSSLError.uncleanShutdown: break
            default:
                let failure = TLSFailure(error)
                if !isSecure { fail(failure.words, isByApp: failure.isByApp) }
            }
            context.close(promise: nil)
        }

        private func fail(_ why: String, isByApp: Bool = false) {
            guard !isOver, let connection else { return }
            isOver = true
            server.failed(connection, why, isByApp: isByApp)
        }

        private func limitTime(_ context: ChannelHandlerContext) {
            limit?.cancel()
            let own = NIOLoopBound(self, eventLoop: context.eventLoop)
            limit = context.eventLoop.scheduleTask(in: SoftAPServer.clientTime) { own.value.timedOut() }
        }

        private func timedOut() {
            // Not a failure of the socket. The firmware would wait indefinitely, and block the next client.
            isOver = true
            context?.close(promise: nil)
        }

        // MARK: - Requests

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard !isOver else { return }
            switch unwrapInboundIn(data) {
            case .head(let head):
                self.head = head
                body.removeAll()
            case .body(let octets):
                // One octet above the maximum suffices to detect the excess.
                let room = SoftAPSettings.maximumBody + 1 - body.count
                body.append(contentsOf: octets.readableBytesView.prefix(room))
            case .end:
                guard let head, let connection else { return }
                limit?.cancel()
                server.received(SoftAPRequest(head.method.rawValue, head.uri, body: body), on: connection)
            }
        }

        // MARK: - Responses

        func answer(_ response: SoftAPResponse) {
            guard let context, !isOver else { return }
            var headers = HTTPHeaders(response.headers.map { ($0.name, $0.value) })
            let closes = response.closes || head?.isKeepAlive != true
            if closes, !server.isExact { headers.add(name: "Connection", value: "close") }
            let status = HTTPResponseStatus(statusCode: Int(response.status))
            context.write(
                wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers))),
                promise: nil)
            let sent = response.cut.map { Array(response.body.prefix($0)) } ?? response.body
            if !sent.isEmpty, head?.method != .HEAD {
                context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: sent)))), promise: nil)
            }
            if response.cut == nil { context.write(wrapOutboundOut(.end(nil)), promise: nil) }
            context.flush()
            head = nil
            if closes {
                isOver = true
                context.close(promise: nil)
            } else {
                limitTime(context)
            }
        }

        func close() {
            isOver = true
            context?.close(promise: nil)
        }
    }
#endif

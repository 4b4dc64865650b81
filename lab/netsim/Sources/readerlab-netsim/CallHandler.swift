// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import PacketStreamer

/// A call on an HTTP/2 stream, around a `StreamSession`, and its connection to a place.
///
/// Neither side is read while the other cannot be written: a slow client or a slow place costs the windows of its call
/// and the buffers of its sockets, and the rest waits at its sender.
final class CallHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private enum PlaceState {
        case none
        case connecting(PlacePool.Place)
        case open(PlacePool.Place, PlaceHandler)
    }

    private let server: StreamServer
    private let number: Int
    private var session = StreamSession()
    private var hasHeaders = false
    /// True after the headers of the answer.
    private var hasAnswered = false
    private var isEnded = false
    private var place = PlaceState.none
    /// H4 for a place that is being connected; not more than was read at once.
    private var waiting: [UInt8] = []
    private var wantsRead = false
    /// For `initial_info`, and then for the client's end.
    private var timer: Scheduled<Void>?
    private var context: ChannelHandlerContext?

    init(_ server: StreamServer, number: Int) {
        (self.server, self.number) = (server, number)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        let own = NIOLoopBound(self, eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: StreamServer.firstMessageTime) {
            let handler = own.value
            guard handler.session.isWithoutChip else { return }
            handler.perform(handler.session.close(CallStatus(.deadlineExceeded, "no initial_info came")))
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        self.context = nil
    }

    // MARK: - The client

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .headers(let headers):
            if !hasHeaders { begin(headers.headers) }
            if headers.endStream { perform(session.finish()) }
        case .data(let data):
            guard case .byteBuffer(let buffer) = data.data else { return }
            perform(session.receive(Array(buffer.readableBytesView).span))
            if data.endStream { perform(session.finish()) }
        default: break
        }
    }

    /// Reads the client while the place accepts octets.
    func read(context: ChannelHandlerContext) {
        if placeIsReady { context.read() } else { wantsRead = true }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if case .open(_, let handler) = place { handler.resume() }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        isEnded = true
        _ = session.close(.ok)
        leavePlace()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Also a client that ends its call in the middle, as gRPC's do when they are closed.
        context.close(promise: nil)
    }

    private func begin(_ headers: HPACKHeaders) {
        hasHeaders = true
        switch CallRequest.answer(
            method: headers.first(name: ":method"), path: headers.first(name: ":path"),
            contentType: headers.first(name: "content-type"))
        {
        case .accepted:
            hasAnswered = true
            write(headers: [(":status", "200"), ("content-type", CallRequest.contentType)])
        case .http(let status):
            server.fault("stream \(number) ended: not a call of gRPC")
            _ = session.close(.ok)
            finish([(":status", "\(status)")])
        case .ended(let status): perform(session.close(status))
        }
        context?.flush()
    }

    // MARK: - Effects

    private func perform(_ effects: [StreamSession.Effect]) {
        guard !effects.isEmpty else { return }
        for effect in effects {
            switch effect {
            case .occupyPlace(let chip): occupyPlace(chip)
            case .keepSilent(let chip): server.report("stream \(number): \(chip.description), open and silent")
            case .toPlace(let packet): send(packet)
            case .send(let octets): write(octets)
            case .end(let status): end(status)
            }
        }
        context?.flush()
        if case .open(_, let handler) = place { handler.flush() }
    }

    private func end(_ status: CallStatus) {
        if status.code != .ok { server.fault("stream \(number) ended: \(status.reason)", at: currentPlace) }
        // Without headers before, these are the only ones ("Trailers-Only").
        let head = hasAnswered ? [] : [(":status", "200"), ("content-type", CallRequest.contentType)]
        finish(head + [("grpc-status", "\(status.code.rawValue)"), ("grpc-message", status.message)])
        leavePlace()
    }

    private func finish(_ headers: [(String, String)]) {
        guard !isEnded, let context else { return }
        isEnded = true
        write(headers: headers, isEnd: true)
        // Until the client ends the call, what it sends is dropped: an RST_STREAM now could arrive before the status. A
        // client that reads nothing does not read the end either.
        let own = NIOLoopBound(context, eventLoop: context.eventLoop)
        timer?.cancel()
        timer = context.eventLoop.scheduleTask(in: StreamServer.endTime) { own.value.close(promise: nil) }
    }

    private func write(headers: [(String, String)], isEnd: Bool = false) {
        guard let context else { return }
        let payload = HTTP2Frame.FramePayload.headers(.init(headers: HPACKHeaders(headers), endStream: isEnd))
        context.write(wrapOutboundOut(payload), promise: nil)
    }

    private func write(_ octets: [UInt8]) {
        guard !isEnded, let context else { return }
        let buffer = context.channel.allocator.buffer(bytes: octets)
        context.write(wrapOutboundOut(.data(.init(data: .byteBuffer(buffer)))), promise: nil)
    }

    // MARK: - The place

    /// True while the client may be sent more.
    var clientIsReady: Bool { context?.channel.isWritable ?? false }

    private var placeIsReady: Bool {
        switch place {
        case .none: true
        case .connecting: false
        case .open(_, let handler): handler.isReady
        }
    }

    private var currentPlace: PlacePool.Place? {
        switch place {
        case .none: nil
        case .connecting(let place), .open(let place, _): place
        }
    }

    private func occupyPlace(_ chip: ChipInfo) {
        guard let context else { return }
        guard let taken = server.reservePlace() else {
            let count = server.pool.places.count
            return perform(session.refusePlace("no place is free for \(chip.description): \(count) are taken"))
        }
        server.report("stream \(number): \(chip.description)", at: taken)
        place = .connecting(taken)
        let own = NIOLoopBound(self, eventLoop: context.eventLoop)
        let handler = NIOLoopBound(PlaceHandler(self), eventLoop: context.eventLoop)
        ClientBootstrap(group: context.eventLoop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(handler.value)
                }
            }
            .connect(unixDomainSocketPath: taken.path)
            .whenComplete { own.value.connected($0, taken, handler.value) }
    }

    private func connected(_ result: Result<any Channel, any Error>, _ taken: PlacePool.Place, _ handler: PlaceHandler)
    {
        switch result {
        case .failure(let error):
            server.free(taken)
            place = .none
            let reason = "the place \(taken.name) does not answer: \(SocketFault.reason(error))"
            perform(session.close(CallStatus(.unavailable, reason)))
        case .success(let channel):
            let server = NIOLoopBound(server, eventLoop: channel.eventLoop)
            channel.closeFuture.whenComplete { _ in server.value.free(taken) }
            guard !isEnded else { return channel.close(promise: nil) }
            place = .open(taken, handler)
            handler.write(waiting)
            handler.flush()
            waiting = []
            resume()
        }
    }

    private func send(_ packet: [UInt8]) {
        if case .open(_, let handler) = place { handler.write(packet) } else { waiting += packet }
    }

    /// Reads the client again.
    func resume() {
        guard wantsRead, placeIsReady else { return }
        wantsRead = false
        context?.read()
    }

    func receiveFromPlace(_ octets: [UInt8]) { perform(session.receiveFromPlace(octets.span)) }

    /// Handles the end of the place's connection: the air ends, or has cut off this host.
    func placeHasEnded() {
        guard let name = currentPlace?.name else { return }
        perform(session.close(CallStatus(.unavailable, "the place \(name) has ended the connection")))
    }

    private func leavePlace() {
        if case .open(_, let handler) = place { handler.close() }
        if case .connecting = place { return }
        place = .none
    }
}

extension ChipInfo {
    /// The chip for a person, as `Bluetooth of "Pixel_7"`.
    fileprivate var description: String {
        let kind =
            switch kind {
            case .unspecified: "a chip without a kind"
            case .bluetooth: "Bluetooth"
            case .wifi: "Wi-Fi"
            case .uwb: "UWB"
            case .beacon: "a beacon"
            case nil: "a chip of an unknown kind"
            }
        return name.isEmpty ? kind : "\(kind) of \"\(name)\""
    }
}

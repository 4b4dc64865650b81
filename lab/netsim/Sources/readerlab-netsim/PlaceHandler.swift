// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// The connection to a place, for its call.
final class PlaceHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var call: CallHandler?
    private var context: ChannelHandlerContext?
    private var wantsRead = false

    init(_ call: CallHandler) { self.call = call }

    /// True while the place may be sent more.
    var isReady: Bool { context?.channel.isWritable ?? false }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        call?.receiveFromPlace(Array(unwrapInboundIn(data).readableBytesView))
    }

    /// Reads the place while the client accepts messages.
    func read(context: ChannelHandlerContext) {
        if call?.clientIsReady ?? true { context.read() } else { wantsRead = true }
    }

    /// Reads the place again.
    func resume() {
        guard wantsRead, call?.clientIsReady ?? true else { return }
        wantsRead = false
        context?.read()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        call?.resume()
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        let call = call
        self.call = nil
        call?.placeHasEnded()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func write(_ octets: [UInt8]) {
        guard !octets.isEmpty, let context else { return }
        context.write(wrapOutboundOut(context.channel.allocator.buffer(bytes: octets)), promise: nil)
    }

    func flush() { context?.flush() }

    func close() {
        call = nil
        context?.close(promise: nil)
    }
}

// SPDX-License-Identifier: Apache-2.0

#if NetworkDevices
    import ActionCamera
    import NIOCore
    import Timekeeping

    /// A client at the backchannel, which receives lines and sends none.
    final class BanditBackchannel: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        /// The maximum number of octets that wait for a client that does not read.
        static let most = 1_048_576
        /// The pause between the halves of a split line.
        private static let pause = TimeAmount.milliseconds(100)

        private let server: BanditServer
        private var context: ChannelHandlerContext?
        private var waiting = ""
        private var isSilent = false
        /// The time at which all previously queued octets have been sent.
        private var free = NIODeadline.now()
        private var isKnown = false
        private(set) var number = 0

        init(_ server: BanditServer) { self.server = server }

        func channelActive(context: ChannelHandlerContext) {
            self.context = context
            switch server.admit(context.channel) {
            case .some(let number):
                self.number = number
                isKnown = true
                server.opened(self)
            case nil: server.refuse(context.channel, "the backchannel", isBackchannel: true)
            }
        }

        var channel: (any Channel)? { context?.channel }

        func channelInactive(context: ChannelHandlerContext) {
            self.context = nil
            if isKnown { server.closed(self) }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { server.heardBackchannel(number) }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

        /// Sends a line with its planned faults.
        func send(_ line: String, _ faults: [CameraFault]) {
            guard let context, !isSilent else { return }
            var text = waiting + line + "\n"
            waiting = ""
            var isSplit = false
            var delay: TimeAmount?
            for fault in faults {
                switch fault {
                case .drop: return
                case .duplicate: text += line + "\n"
                case .split: isSplit = true
                case .merge:
                    waiting = text
                    return
                case .delay(let time): delay = .nanoseconds(time.wholeNanoseconds)
                case .silence:
                    isSilent = true
                    return
                case .close: return context.close(promise: nil)
                case .reset: return BanditServer.reset(context.channel)
                default: break
                }
            }
            guard context.channel.isWritable else {
                server.report("backchannel \(number) does not read: it is closed")
                return context.close(promise: nil)
            }
            write(text, delay, isSplit: isSplit)
        }

        private func write(_ text: String, _ delay: TimeAmount?, isSplit: Bool) {
            free = max(free, NIODeadline.now() + (delay ?? .zero))
            let octets = Array(text.utf8), half = isSplit ? octets.count / 2 : octets.count
            put(octets[..<half])
            guard isSplit else { return }
            free = max(free, NIODeadline.now()) + BanditBackchannel.pause
            put(octets[half...])
        }

        /// Writes octets after the waiting ones, which keeps their order.
        private func put(_ octets: ArraySlice<UInt8>) {
            guard let context else { return }
            let buffer = ByteBuffer(bytes: octets)
            guard free > NIODeadline.now() else {
                return context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
            }
            let own = NIOLoopBound(self, eventLoop: context.eventLoop)
            context.eventLoop.scheduleTask(deadline: free) {
                own.value.context?.writeAndFlush(own.value.wrapOutboundOut(buffer), promise: nil)
            }
        }

        /// Closes once all octets are in the kernel, or after a second.
        func close() {
            guard let context else { return }
            let channel = context.channel
            context.writeAndFlush(wrapOutboundOut(ByteBuffer())).whenComplete { _ in channel.close(promise: nil) }
            channel.eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
        }
    }
#endif

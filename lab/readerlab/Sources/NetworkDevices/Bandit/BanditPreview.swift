// SPDX-License-Identifier: Apache-2.0

#if NetworkDevices
    import ActionCamera
    import NIOCore
    import Timekeeping

    /// The connection of a preview: packets in the order of their times, without loss. A client that does not read
    /// stops the clock.
    final class BanditPreview: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        /// The number of octets that may wait for the client before the clock stops.
        static let most = 262_144
        /// The delay above which the clock is set back, so that later packets are not sent faster than real time.
        private static let late = TimeAmount.milliseconds(200)
        private static let quality = 75

        private let server: BanditServer
        private var preview: Preview?
        private var next: Preview.Packet?
        private var due = 0.0
        private var base = NIODeadline.now()
        private var context: ChannelHandlerContext?
        private var timer: Scheduled<Void>?
        private var picture = TestPicture(width: Preview.size.width, height: Preview.size.height)
        private let encoder = JPEGEncoder(width: Preview.size.width, height: Preview.size.height)
        private var isOver = false
        private var lastWrite: EventLoopFuture<Void>?

        init(_ server: BanditServer) { self.server = server }

        func channelActive(context: ChannelHandlerContext) {
            self.context = context
            pump()
        }

        func channelInactive(context: ChannelHandlerContext) {
            self.context = nil
            timer?.cancel()
            server.previewClosed(self, byClient: !isOver)
        }

        func channelWritabilityChanged(context: ChannelHandlerContext) { pump() }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

        /// Starts sending.
        func begin(_ preview: Preview) {
            self.preview = preview
            base = NIODeadline.now()
            pump()
        }

        /// Ends the preview on behalf of the camera.
        func end() {
            isOver = true
            timer?.cancel()
            context?.close(promise: nil)
        }

        // MARK: - Packets

        private func pump() {
            timer?.cancel()
            while !isOver, let context, context.channel.isWritable {
                if next == nil {
                    due = preview?.due ?? due
                    next = preview?.next()
                }
                guard next != nil else { return finish() }
                let now = NIODeadline.now()
                let at = server.pace > 0 ? base + .nanoseconds(Int64(due / server.pace * 1e9)) : now
                guard at <= now else { return wait(until: at) }
                if now - at > BanditPreview.late { base = base + (now - at) }
                guard let packet = next else { return }
                next = nil
                guard send(packet, context) else { return }
                // Yields to other tasks after each picture.
                if case .picture = packet { return wait(until: NIODeadline.now()) }
            }
        }

        private func wait(until time: NIODeadline) {
            guard let context else { return }
            let own = NIOLoopBound(self, eventLoop: context.eventLoop)
            timer = context.eventLoop.scheduleTask(deadline: time) { own.value.pump() }
        }

        /// Sends a packet with its planned faults; false if no packet may follow now.
        private func send(_ packet: Preview.Packet, _ context: ChannelHandlerContext) -> Bool {
            for fault in server.faults(at: packet == .end ? "preview-end" : "preview-packet") {
                switch fault {
                case .drop: return true
                case .close:
                    end()
                    return false
                case .reset:
                    isOver = true
                    BanditServer.reset(context.channel)
                    return false
                case .silence: return false
                case .delay(let time):
                    next = packet
                    base = base + .nanoseconds(time.wholeNanoseconds)
                    wait(until: NIODeadline.now() + .nanoseconds(time.wholeNanoseconds))
                    return false
                default: break
                }
            }
            write(packet, context)
            return true
        }

        private func write(_ packet: Preview.Packet, _ context: ChannelHandlerContext) {
            guard let preview else { return }
            var buffer = context.channel.allocator.buffer(capacity: 32_768)
            switch packet {
            case .start: buffer.writeBytes(preview.header(.start, size: 0, pts: 0))
            case .end: buffer.writeBytes(preview.header(.end, size: 0, pts: 0))
            case .sound(let octets, let pts):
                buffer.writeBytes(preview.header(.audio, size: octets.count, pts: pts))
                buffer.writeBytes(octets)
            case .picture(let request, let milliseconds, let pts):
                picture.draw(.init(frame: request.frame, milliseconds: milliseconds))
                guard let jpeg = encoder?.encode(picture, quality: BanditPreview.quality), !jpeg.isEmpty else { return }
                buffer.writeBytes(preview.header(.video, size: jpeg.count, pts: pts))
                buffer.writeBytes(jpeg)
            }
            lastWrite = context.writeAndFlush(wrapOutboundOut(buffer))
        }

        /// Closes once all octets are in the kernel.
        private func finish() {
            guard !isOver, let context else { return }
            isOver = true
            let channel = context.channel
            guard let lastWrite else { return context.close(promise: nil) }
            lastWrite.whenComplete { _ in channel.close(promise: nil) }
        }
    }
#endif

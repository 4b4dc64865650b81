// SPDX-License-Identifier: Apache-2.0

#if NetworkDevices
    import ActionCamera
    import NIOCore
    import NIOPosix
    import Timekeeping

    /// The viewfinder: draws, encodes and sends a picture 30 times a second to one client, on the server's event loop.
    ///
    /// The time of each picture is computed from the first picture's, so that the clock does not drift. A late picture
    /// is sent at once; only after a pause of several pictures are their numbers skipped.
    final class BanditViewfinder {
        /// The number of pictures that may be late before some are skipped.
        private static let patience = 6
        private static let quality = 75
        /// The time after which a client that refuses datagrams counts as gone (Bandit §4.2).
        private static let refusedTime = TimeAmount.seconds(5)
        private static let retryTime = TimeAmount.milliseconds(200)

        private let loop: any EventLoop
        private let server: BanditServer
        private let start: NIODeadline
        private var channel: (any Channel)?
        private var timer: Scheduled<Void>?
        private var frame = 0
        private var isOver = false

        private var picture: TestPicture
        private let encoder: JPEGEncoder
        /// Buffers used in turn, so that one is free while the kernel reads another.
        private var buffers: [ByteBuffer]
        private var held: ByteBuffer?
        private(set) var packets = ViewfinderPackets()
        private let ends: (local: SocketAddress, client: SocketAddress)
        private var refusedSince: NIODeadline?
        private var lastRefusal = NIODeadline.now()

        /// A viewfinder that starts when its socket is open; nil if the memory does not suffice.
        init?(_ server: BanditServer, from local: SocketAddress, to client: SocketAddress) {
            let (width, height) = Preview.size
            guard let encoder = JPEGEncoder(width: width, height: height) else { return nil }
            self.server = server
            loop = server.loop
            self.encoder = encoder
            picture = TestPicture(width: width, height: height)
            buffers = (0..<4).map { _ in ByteBufferAllocator().buffer(capacity: 65_536) }
            start = NIODeadline.now()
            packets = ViewfinderPackets(wraps: server.settings.wrapsNumbers)
            ends = (local, client)
            open()
        }

        private func open() {
            let client = ends.client
            let own = NIOLoopBound(self, eventLoop: loop)
            DatagramBootstrap(group: loop)
                .channelOption(.socketOption(.so_sndbuf), value: 1_048_576)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(BanditDatagrams(own.value))
                    }
                }
                .bind(to: ends.local)
                .flatMap { channel in channel.connect(to: client).map { channel } }
                .whenComplete { own.value.opened($0) }
        }

        private func opened(_ result: Result<any Channel, any Error>) {
            switch result {
            case .success(let channel):
                guard !isOver else { return channel.close(promise: nil) }
                self.channel = channel
                tick()
            case .failure(let error): server.viewfinderFailed("the viewfinder has no socket: \(error)")
            }
        }

        /// Ends it.
        func end() {
            isOver = true
            timer?.cancel()
            channel?.close(promise: nil)
            channel = nil
        }

        // MARK: - Pictures

        private func tick() {
            guard !isOver, channel != nil else { return }
            let elapsed = NIODeadline.now() - start
            let behind = Int(elapsed.nanoseconds * 30 / 1_000_000_000) - frame
            if behind > BanditViewfinder.patience { frame += behind }
            sendFrame()
            frame += 1
            let next = due(frame)
            let own = NIOLoopBound(self, eventLoop: loop)
            timer = loop.scheduleTask(deadline: next) { own.value.tick() }
        }

        /// The due time of a picture.
        private func due(_ frame: Int) -> NIODeadline { start + .nanoseconds(ViewfinderPackets.time(ofFrame: frame)) }

        private func sendFrame() {
            // The due time: by the current time one recorded frame could be sent twice, and the next one never.
            let time = server.presentationTime(at: due(frame))
            picture.draw(
                .init(
                    frame: frame, milliseconds: Int(time * 1000), clock: server.millisecondsOfDay,
                    isRecording: server.isRecording))
            let jpeg = encoder.encode(picture, quality: BanditViewfinder.quality)
            guard !jpeg.isEmpty else { return }
            var sent = jpeg.count, announced = jpeg.count
            for fault in server.faults(at: "frame") {
                switch fault {
                case .drop: return
                case .cut(let count): sent = min(sent, count)
                case .size(let more): announced += more
                case .gap(let count): packets.skip(UInt16(truncatingIfNeeded: count))
                default: break
                }
            }
            packets.begin(sent)
            buffers.swapAt(0, 1 + frame % (buffers.count - 1))
            buffers[0].clear(minimumCapacity: (ViewfinderPackets.count(sent) + 1) * ViewfinderPackets.datagram)
            send(0..<ViewfinderPackets.start) { packets, octets in
                packets.writeStart(announced, time: Float(time), into: octets)
            }
            for index in 0..<ViewfinderPackets.count(sent) - 1 {
                let slice = ViewfinderPackets.slice(index, of: sent)
                send(0..<ViewfinderPackets.header + slice.count) { packets, octets in
                    packets.writeData(slice.count, into: octets)
                    let payload = UnsafeMutableRawBufferPointer(rebasing: octets[ViewfinderPackets.header...])
                    payload.copyMemory(from: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: jpeg[slice])))
                }
            }
            channel?.flush()
        }

        /// Writes a datagram into the buffer, and sends it with its planned faults.
        private func send(
            _ range: Range<Int>, _ write: (inout ViewfinderPackets, UnsafeMutableRawBufferPointer) -> Void
        ) {
            let at = buffers[0].writerIndex
            buffers[0].writeWithUnsafeMutableBytes(minimumWritableBytes: range.count) { octets in
                write(&packets, UnsafeMutableRawBufferPointer(rebasing: octets[range]))
                return range.count
            }
            guard let channel, var datagram = buffers[0].getSlice(at: at, length: range.count) else { return }
            var copies = 1
            var delay: TimeAmount?
            for fault in server.faults(at: "datagram") {
                switch fault {
                case .drop: copies = 0
                case .duplicate: copies = 2
                case .delay(let time): delay = .nanoseconds(time.wholeNanoseconds)
                case .sync: datagram.setInteger(UInt16(0xAA55), at: datagram.readerIndex)
                case .swap where held == nil:
                    held = datagram
                    return
                default: break
                }
            }
            for _ in 0..<copies {
                if let delay {
                    let late = datagram
                    loop.scheduleTask(in: delay) { channel.writeAndFlush(late, promise: nil) }
                } else {
                    channel.write(datagram, promise: nil)
                }
            }
            if let swapped = held {
                held = nil
                channel.write(swapped, promise: nil)
            }
        }

        // MARK: - A client that is gone

        /// Handles the loss of the socket after the client's host has refused a datagram: opens it again for some time.
        func refused() {
            guard !isOver else { return }
            timer?.cancel()
            channel = nil
            let now = NIODeadline.now()
            if now - lastRefusal > .seconds(1) { refusedSince = nil }
            lastRefusal = now
            let since = refusedSince ?? now
            refusedSince = since
            if now - since >= BanditViewfinder.refusedTime, !server.settings.keepsSending {
                return server.viewfinderUnreachable()
            }
            let own = NIOLoopBound(self, eventLoop: loop)
            timer = loop.scheduleTask(in: BanditViewfinder.retryTime) { own.value.open() }
        }
    }

    /// Detects the end of the viewfinder's socket after a refused datagram.
    final class BanditDatagrams: ChannelInboundHandler {
        typealias InboundIn = AddressedEnvelope<ByteBuffer>

        private let viewfinder: BanditViewfinder

        init(_ viewfinder: BanditViewfinder) { self.viewfinder = viewfinder }

        func channelInactive(context: ChannelHandlerContext) { viewfinder.refused() }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
#endif

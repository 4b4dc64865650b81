// SPDX-License-Identifier: Apache-2.0

import Commands

#if NetworkDevices
    import Console
    import Emulation
    import NIOCore
    import NIOHTTP1
    import NIOPosix
    import Timekeeping

    /// The listening sockets, and the end of all connections.
    extension BanditServer {
        /// Starts to listen.
        func listen() {
            guard !isListening else { return }
            isListening = true
            bind(settings.address, "--listen") { channel, server in
                try channel.pipeline.syncOperations.configureHTTPServerPipeline(
                    withPipeliningAssistance: true, withErrorHandling: true)
                try channel.pipeline.syncOperations.addHandler(BanditHTTPHandler(server))
            }
            bind(settings.backchannel, "--backchannel-port") { channel, server in
                try channel.pipeline.syncOperations.addHandler(BanditBackchannel(server))
            }
        }

        private func bind(
            _ address: SocketAddress, _ option: String,
            _ initialize: @escaping @Sendable (any Channel, BanditServer) throws -> Void
        ) {
            let own = NIOLoopBound(self, eventLoop: loop)
            ServerBootstrap(group: loop)
                .serverChannelOption(.backlog, value: 64)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .childChannelOption(
                    .writeBufferWaterMark,
                    value: .init(low: BanditBackchannel.most / 2, high: BanditBackchannel.most)
                )
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture { try initialize(channel, own.value) }
                }
                .bind(to: address)
                .whenComplete { own.value.bound($0, address, option) }
        }

        private func bound(_ result: Result<any Channel, any Error>, _ address: SocketAddress, _ option: String) {
            switch result {
            case .success(let channel):
                guard isListening else { return channel.close(promise: nil) }
                listeners.append(channel)
                if listeners.count == 2 { report("listening at \(SocketText.name(of: settings.address))") }
            case .failure(let error):
                fail(
                    CommandError.failed(
                        "cannot listen at \(SocketText.name(of: address)): \(SocketText.reason(error)); give another "
                            + option))
            }
        }

        /// Closes all sockets.
        func leave() {
            isListening = false
            for listener in listeners { listener.close(promise: nil) }
            listeners = []
            report("all sockets are closed")
            disconnect()
        }

        /// Ends the camera; the future completes when the listeners are closed.
        func end() -> EventLoopFuture<Void> {
            timer?.cancel()
            viewfinder?.end()
            previewChannel?.end()
            isListening = false
            disconnect()
            flush()
            return EventLoopFuture.andAllComplete(listeners.map { $0.close() }, on: loop)
        }
    }
#endif

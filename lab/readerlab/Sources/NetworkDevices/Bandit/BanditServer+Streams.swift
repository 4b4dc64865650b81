// SPDX-License-Identifier: Apache-2.0

#if NetworkDevices
    import ActionCamera
    import Glibc
    import NIOCore
    import NIOPosix

    /// The viewfinder and the preview.
    extension BanditServer {
        func startViewfinder(_ host: String, _ port: Int) {
            guard let client = try? SocketAddress(ipAddress: host, port: port) else { return }
            viewfinder = BanditViewfinder(self, from: settings.local, to: client)
            report("the viewfinder goes to \(host):\(port)")
        }

        func viewfinderFailed(_ why: String) {
            report(why)
            viewfinder = nil
            camera.endViewfinder()
            act()
        }

        /// Ends the viewfinder after the client's host has refused datagrams for some time.
        func viewfinderUnreachable() {
            mistake(
                "viewfinder-unreachable",
                "does not listen for the viewfinder: bind its port first, and stop the viewfinder before closing it"
            )
            camera.endViewfinder()
            act()
        }

        func connect(_ preview: Preview, _ handler: BanditHTTPHandler, _ plan: RequestFaults) {
            guard let client = try? SocketAddress(ipAddress: preview.host, port: preview.port) else { return }
            let own = NIOLoopBound((self, handler, plan), eventLoop: loop)
            ClientBootstrap(group: loop)
                .connectTimeout(.seconds(4))
                .channelOption(
                    .writeBufferWaterMark, value: .init(low: BanditPreview.most / 2, high: BanditPreview.most)
                )
                .bind(to: settings.local)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(BanditPreview(own.value.0))
                    }
                }
                .connect(to: client)
                .whenComplete { result in
                    let (server, handler, plan) = own.value
                    server.connected(result, preview, handler, plan)
                }
        }

        private func connected(
            _ result: Result<any Channel, any Error>, _ preview: Preview, _ handler: BanditHTTPHandler,
            _ plan: RequestFaults
        ) {
            guard case .success(let channel) = result,
                let stream = try? channel.pipeline.syncOperations.handler(type: BanditPreview.self)
            else {
                if BanditServer.isRefusal(result) {
                    mistake(
                        "preview-unreachable",
                        "does not listen at port \(preview.port): listen before asking for the preview")
                } else {
                    report("the client cannot be reached at port \(preview.port)")
                }
                return respond(camera.previewUnreachable(), handler, plan)
            }
            previewChannel = stream
            respond(camera.previewConnected(preview), handler, plan)
            stream.begin(preview)
        }

        /// True if the client's host has refused the connection: the host is present, and does not listen.
        private static func isRefusal(_ result: Result<any Channel, any Error>) -> Bool {
            guard case .failure(let error) = result else { return false }
            let errors = (error as? NIOConnectionError)?.connectionErrors.map(\.error) ?? [error]
            return errors.contains { ($0 as? IOError)?.errnoCode == ECONNREFUSED }
        }

        func previewClosed(_ stream: BanditPreview, byClient: Bool) {
            if byClient { report("the client has closed the preview") }
            guard previewChannel === stream else { return }
            previewChannel = nil
            camera.previewEnded()
        }
    }
#endif

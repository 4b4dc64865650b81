// SPDX-License-Identifier: Apache-2.0

import Commands

#if NetworkDevices
    import Console
    import Crypto
    import NIOCore
    import NIOPosix
    import Octets

    /// The program with a page: the program that it shows is its child.
    package struct WebProgram {
        private let plan: WebPlan
        private let address: SocketAddress
        private let view: WebView

        /// - Parameter listen: a numerical address with a port, 0 for any, such as `127.0.0.1:8300` or `[::1]:8300`.
        ///   Nil for other text.
        package init?(_ plan: WebPlan, at listen: String, json: Bool) {
            guard let address = WebProgram.address(listen) else { return nil }
            self.plan = plan
            self.address = address
            view = WebView(json: json)
        }

        private static func address(_ listen: String) -> SocketAddress? {
            guard let colon = listen.lastIndex(of: ":"), let port = UInt16(listen[listen.index(after: colon)...])
            else { return nil }
            let host = listen[..<colon].drop { $0 == "[" }.prefix { $0 != "]" }
            return try? SocketAddress(ipAddress: String(host), port: Int(port))
        }

        /// Runs until a signal, or the end of the program that it shows. Returns that program's exit code.
        package func run() throws -> Int32 {
            // Before threads are created, so that all inherit the signal mask.
            let signals = try ProgramSignals()
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            defer { try? group.syncShutdownGracefully() }
            let loop = group.next()
            let (plan, view) = (plan, view)
            let bound = try loop.submit {
                NIOLoopBound(
                    WebServer(
                        on: loop, view: plan.view, faults: plan.faults, takesLines: plan.takesLines, pins: plan.pins
                    ) { view.show($0) }, eventLoop: loop)
            }.wait()
            // Before any socket is opened: the child would inherit it, and keep it open.
            let child = try ChildProgram.start(ChildProgram.own, plan.arguments)
            do { try open(bound, loop) } catch {
                child.end()
                _ = child.wait()
                throw error
            }
            let ended = loop.flatSubmit { bound.value.follow(child) }
            ended.whenComplete { _ in signals.end() }
            loop.execute {
                TypedLines.follow(on: loop, NIOLoopBound({ _ = bound.value.send($0) }, eventLoop: loop))
            }
            _ = signals.wait {}
            child.end()
            let code = child.wait()
            try? ended.wait()
            let words = code == 0 ? "the program has ended" : "the program has ended with \(code)"
            try? loop.submit { bound.value.ended(words) }.wait()
            return code
        }

        private func open(_ bound: NIOLoopBound<WebServer>, _ loop: any EventLoop) throws(CommandError) {
            var random = SystemRandomSource()
            let token = Hexadecimal.text(random.octets(WebAccess.tokenCount))
            let address = address
            do {
                let at = try loop.flatSubmit { bound.value.listen(address, token: token) }.wait()
                view.page("http://\(WebProgram.text(at))/?token=\(token)")
            } catch {
                throw .failed(
                    "cannot listen at \(WebProgram.text(address)): \(SocketText.reason(error)); give another --listen")
            }
        }

        private static func text(_ address: SocketAddress) -> String {
            let host = address.ipAddress ?? ""
            return "\(address.protocol == .inet6 ? "[\(host)]" : host):\(address.port ?? 0)"
        }
    }
#endif

// SPDX-License-Identifier: Apache-2.0

#if NetworkDevices
    import ArgumentParser
    import Console
    import Crypto
    import DevicePage
    import DevicePrograms
    import Glibc
    import NIOCore
    import NIOPosix
    import Octets
    import System

    /// `readerlab web`: a page for a program of `readerlab` that runs until it is ended.
    struct WebCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "web",
            abstract: "A page that shows a device or the air, with buttons for faults.",
            discussion: """
                Runs another command of readerlab, and shows in a browser what it prints: links, timeline, findings, \
                and buttons for what can be typed. Open the address that is printed first; its token is new with \
                each run.

                  readerlab web emulate bandit --listen 127.0.0.1:8080
                  readerlab web --listen 127.0.0.1:8400 emulate reader --hci hci-socket:0
                  readerlab web demo
                  readerlab web scenario next-room
                  readerlab web air
                  readerlab web pins --in lock=gpiochip0:5 --out rex=gpiochip0:6
                  readerlab web watch --control /run/readerd/control.sock
                  readerlab web fleet collect --broker mqtt.example --ca ca.pem …

                Only this machine reaches the page unless --listen names another address. There it is not encrypted: \
                an eavesdropper has the token. What is typed in the terminal goes to the program too.
                """)

        @Option(help: ArgumentHelp("Where the page is; port 0 is a free one.", valueName: "ADDRESS:PORT"))
        var listen = "127.0.0.1:8300"

        @Flag(help: "One JSON object a line, as the program prints them.")
        var json = false

        @Argument(
            parsing: .captureForPassthrough,
            help: ArgumentHelp(
                "The command: demo, scenario NAME, emulate KIND …, air …, pins …, watch … or fleet collect …, "
                    + "with its options.",
                valueName: "COMMAND"))
        var command: [String]

        /// The commands that run until they are ended. The last two take no lines.
        private static let shown = ["demo", "scenario", "emulate", "air", "pins", "watch", "fleet"]
        private var isCollector: Bool { command.first == "fleet" }
        private var isLookedAt: Bool { isCollector || command.first == "watch" }

        private var view: WebPage.View {
            switch command.first {
            case "air", "scenario", "demo": .site
            case "watch": .reader
            case "fleet": .fleet
            default: .device
            }
        }

        func validate() throws {
            guard let first = command.first, !["--help", "-h", "help"].contains(first) else {
                throw CleanExit.helpRequest(self)
            }
            guard WebCommand.shown.contains(first), !isCollector || command.dropFirst().first == "collect" else {
                throw ValidationError(
                    "\(command.first?.debugDescription ?? "nothing") has no page; write emulate KIND …, demo, "
                        + "scenario NAME, air …, pins …, watch … or fleet collect …"
                )
            }
            _ = try address()
        }

        /// The options of the program for a page.
        private var options: [String] {
            (command.contains("--json") ? [] : ["--json"])
                + (command.prefix(2) == ["emulate", "bandit"] ? ["--pictures"] : [])
        }

        private var pins: WebPins? {
            switch command.first {
            case "pins": .bench
            case "emulate" where command.dropFirst().first == "reader": .door
            default: nil
            }
        }

        /// The program whose page it is: a scenario is played, and its page begins it.
        private var program: [String] {
            switch command.first {
            case "scenario": ["play", "--paused"] + command.dropFirst()
            case "demo": ["play"] + command.dropFirst()
            case "air": command + ["--plan"]
            default: command
            }
        }

        private func address() throws -> SocketAddress {
            guard let colon = listen.lastIndex(of: ":"), let port = UInt16(listen[listen.index(after: colon)...]),
                let address = try? SocketAddress(
                    ipAddress: String(listen[..<colon].drop { $0 == "[" }.prefix { $0 != "]" }), port: Int(port))
            else {
                throw ValidationError(
                    "--listen \(listen.debugDescription): write a numerical address and a port, as 127.0.0.1:8300")
            }
            return address
        }

        func run() throws {
            let code = try runPage()
            if code != 0 { throw ExitCode(code) }
        }

        private func runPage() throws -> Int32 {
            // Before threads are created, so that all inherit the signal mask.
            let signals = ProgramSignals()
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            defer { try? group.syncShutdownGracefully() }
            let loop = group.next()
            let terminal = WebView(json: json)
            let kind = command.dropFirst().first ?? ""
            let bound = try loop.submit {
                NIOLoopBound(
                    WebServer(
                        on: loop, view: view, faults: isLookedAt ? nil : FaultTable.rows(of: kind),
                        takesLines: !isLookedAt, pins: pins
                    ) { terminal.show($0) }, eventLoop: loop)
            }.wait()
            // Before any socket is opened: the child would inherit it, and keep it open.
            let child = try ChildProgram.start(ChildProgram.own, program + options)
            do { try open(bound, loop, terminal) } catch {
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

        private func open(_ bound: NIOLoopBound<WebServer>, _ loop: any EventLoop, _ view: WebView) throws {
            var random = SystemRandomSource()
            let token = Hexadecimal.text(random.octets(WebAccess.tokenCount))
            let address = try address()
            do {
                let at = try loop.flatSubmit { bound.value.listen(address, token: token) }.wait()
                let host = at.protocol == .inet6 ? "[\(at.ipAddress ?? "")]" : at.ipAddress ?? ""
                view.page("http://\(host):\(at.port ?? 0)/?token=\(token)")
            } catch {
                throw CommandError.failed(
                    "cannot listen at \(listen): \(SocketText.reason(error)); give another --listen")
            }
        }
    }
#endif

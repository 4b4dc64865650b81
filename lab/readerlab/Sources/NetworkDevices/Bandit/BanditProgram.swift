// SPDX-License-Identifier: Apache-2.0

import Commands

#if NetworkDevices
    package import ActionCamera
    import Console
    package import DevicePrograms
    import Emulation
    import Glibc
    import JSON
    import NIOCore
    import NIOPosix
    import Timekeeping
    package import WiFi

    /// The program around a camera: files, event loop, signals, commands.
    package struct BanditProgram {
        /// The camera, its files, and its address.
        package struct Options {
            package var choices = CameraChoices()
            /// The address that phones see.
            package var address = IPv4Address(192, 168, 1, 101)
            package var port: UInt16 = 80
            /// The directory of the card's content; nil for a small set.
            package var card: String?
            package var hasEmptyCard = false
            /// True to let datagram numbers wrap within pictures.
            package var wrapsNumbers = false
            /// True to go on sending the viewfinder to a client that refuses it.
            package var keepsSending = false
            /// The file of faults and events.
            package var scenario: String?
            /// The seed of faults that have a chance, unless the scenario has one.
            package var seed: UInt64 = 1
            /// True to print pictures of the lens.
            package var hasPictures = false
            /// True to keep the entries for a transcript.
            package var keepsEntries = false

            /// A camera at its address.
            package init() {}
        }

        private let options: Options
        private let view: EmulationView

        package init(_ options: Options, _ view: EmulationView) {
            self.options = options
            self.view = view
        }

        /// Runs until a signal or `quit`.
        package func run() throws {
            let scenario = try scenario()
            try view.check()
            let content = try options.card.map { path throws(CommandError) in try BanditCardFolder.load(path) }
            let settings = try settings()
            let camera = camera(content)
            let plan = plan(scenario)

            // Before threads are created, so that all inherit the signal mask.
            let signals = try ProgramSignals()
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            let pictures = NIOThreadPool(numberOfThreads: 1)
            pictures.start()
            let loop = group.next()
            let serial = options.choices.serialNumber
            view.begin(facts, ["\(name.debugDescription) at http://\(listen)/api, serial \(serial)"])
            let view = view
            let bound = try loop.submit {
                let server = BanditServer(
                    on: loop, settings, camera, plan, pictures: pictures, show: { view.show($0) },
                    fail: { signals.end(with: $0) })
                server.listen()
                let bound = NIOLoopBound(server, eventLoop: loop)
                BanditProgram.schedule(scenario, bound, loop, signals)
                follow(bound, loop)
                BanditProgram.takeCommands(bound, loop, view, signals)
                return bound
            }.wait()
            let failure = signals.wait {}
            try? loop.flatSubmit { bound.value.end() }.wait()
            var timeline = try loop.submit { bound.value.timeline }.wait()
            try? pictures.syncShutdownGracefully()
            try? group.syncShutdownGracefully()
            let outcome: Result<Void, CommandError> = failure.map { .failure($0) } ?? .success(())
            try view.end(&timeline, at: BanditServer.now, [facts], outcome)
        }

        // MARK: - Start

        private func scenario() throws(CommandError) -> CameraScenario {
            guard let path = options.scenario else { return CameraScenario() }
            return try InputFile.load(
                path, maximum: CameraScenario.maximumFileCount, "a scenario (docs/emulators/bandit.md)"
            ) { octets throws(JSONPlaceFault) in try CameraScenario(json: octets) }
        }

        private func plan(_ scenario: CameraScenario) -> CameraFaultPlan {
            var plan = CameraFaultPlan(seed: scenario.seed ?? options.seed)
            for rule in scenario.faults { _ = plan.add(rule) }
            return plan
        }

        private func settings() throws -> BanditServer.Settings {
            let ip = "\(options.address)"
            var settings = BanditServer.Settings(
                address: try SocketAddress(ipAddress: ip, port: Int(options.port)),
                backchannel: try SocketAddress(ipAddress: ip, port: Int(options.choices.backchannelPort)),
                local: try SocketAddress(ipAddress: ip, port: 0))
            settings.wrapsNumbers = options.wrapsNumbers
            settings.keepsSending = options.keepsSending
            settings.keptEntries = options.keepsEntries ? Timeline.capacity : 0
            return settings
        }

        private func camera(_ content: CardContent?) -> ActionCamera {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            let now = BanditServer.now
            var camera = ActionCamera(
                options.choices, epoch: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9, at: now)
            if let content {
                camera.fill(with: content)
            } else if !options.hasEmptyCard {
                camera.fillWithSamples(at: now)
            }
            return camera
        }

        /// Prints the state when it changes, and pictures of the lens if asked for.
        private func follow(_ bound: NIOLoopBound<BanditServer>, _ loop: any EventLoop) {
            let states = NIOLoopBoundBox(ObservedStateLog(), eventLoop: loop)
            let (view, hasPictures) = (view, options.hasPictures)
            loop.scheduleRepeatedTask(initialDelay: .zero, delay: BanditProgram.stateTime) { _ in
                view.show(&states.value) { bound.value.observed }
                guard hasPictures, let picture = bound.value.picture() else { return }
                view.show(picture: picture)
            }
        }

        /// The time between two looks at the state, and between two pictures.
        private static let stateTime = TimeAmount.milliseconds(500)

        private static func schedule(
            _ scenario: CameraScenario, _ bound: NIOLoopBound<BanditServer>, _ loop: any EventLoop,
            _ signals: ProgramSignals
        ) {
            for event in scenario.events {
                loop.scheduleTask(in: .nanoseconds(event.after.wholeNanoseconds)) {
                    _ = try? bound.value.receive(event.command, isTyped: false, quit: { signals.end() })
                }
            }
        }

        private static func takeCommands(
            _ bound: NIOLoopBound<BanditServer>, _ loop: any EventLoop, _ view: EmulationView,
            _ signals: ProgramSignals
        ) {
            let hear = { (line: String) in
                view.answer { () throws(CommandFault) in
                    try bound.value.receive(try CameraCommand(line: line), isTyped: true, quit: { signals.end() })
                }
            }
            TypedLines.follow(on: loop, NIOLoopBound(hear, eventLoop: loop))
        }

        // MARK: - End

        private var name: String { "Bandit" }
        private var listen: String { "\(options.address):\(options.port)" }

        private var facts: JSONObject {
            [
                "device": 1, "name": name, "address": listen, "backchannel-port": options.choices.backchannelPort,
                "serial": options.choices.serialNumber,
            ]
        }
    }
#endif

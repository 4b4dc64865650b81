// SPDX-License-Identifier: Apache-2.0

import Commands

#if NetworkDevices
    import ActionCamera
    import Console
    import Emulation
    import Glibc
    import JSON
    import NIOCore
    import NIOHTTP1
    import NIOPosix
    import Timekeeping

    /// The camera on the network: its sockets and timer, on one event loop.
    final class BanditServer {
        /// The settings of the shell.
        struct Settings {
            var address: SocketAddress
            var backchannel: SocketAddress
            var wrapsNumbers = false
            var keepsSending = false
            /// The number of entries kept for a transcript.
            var keptEntries = 0
            /// The source address of the viewfinder and of previews, which is the camera's.
            var local: SocketAddress
        }

        let loop: any EventLoop
        var camera: ActionCamera
        var plan: CameraFaultPlan
        let settings: Settings
        let pictures: NIOThreadPool
        var timeline: Timeline
        private let show: (TimelineEntry) -> Void
        let fail: (CommandError) -> Void

        var listeners: [any Channel] = []
        var isListening = false
        private var connections: [Int: BanditHTTPHandler] = [:]
        private var backchannels: [Int: BanditBackchannel] = [:]
        private var nextNumber = 1
        var timer: Scheduled<Void>?
        var viewfinder: BanditViewfinder?
        var previewChannel: BanditPreview?
        private var told: Set<String> = []
        private var usesBackchannel = false
        /// The time of the last request.
        var lastRequest: Instant?
        /// The time for which a client without a connection counts as present after its last request: clients request
        /// the status more often.
        private static let presence = Duration.seconds(5)

        init(
            on loop: any EventLoop, _ settings: Settings, _ camera: ActionCamera, _ plan: CameraFaultPlan,
            pictures: NIOThreadPool, show: @escaping (TimelineEntry) -> Void, fail: @escaping (CommandError) -> Void
        ) {
            self.loop = loop
            self.settings = settings
            self.camera = camera
            self.plan = plan
            self.pictures = pictures
            self.show = show
            self.fail = fail
            timeline = Timeline(
                start: BanditServer.now, expectations: [AppExpectations()], capacity: settings.keptEntries)
        }

        static var now: Instant { Instant(nanoseconds: Int64(clamping: NIODeadline.now().uptimeNanoseconds)) }

        var resetsOverload: Bool { camera.choices.overload == .reset }
        var pace: Double { camera.choices.previewPace }
        func presentationTime(at now: NIODeadline) -> Double {
            camera.presentationTime(at: Instant(nanoseconds: Int64(clamping: now.uptimeNanoseconds)))
        }

        var isRecording: Bool { camera.isRecording }
        var millisecondsOfDay: Int { Int(camera.epoch(at: BanditServer.now) * 1000) % 86_400_000 }

        func faults(at step: String) -> [CameraFault] {
            guard !plan.isEmpty else { return [] }
            let faults = plan.faults(at: step)
            // A line for each datagram would hide the others.
            if step != "datagram" { for fault in faults { add(.fault(step: step, "\(fault)")) } }
            return faults
        }

        // MARK: - Timeline

        @discardableResult
        func add(_ event: TimelineEntry.Event, link: Int? = nil) -> Int {
            let number = timeline.add(
                event, device: nil, link: link.map { UInt32(truncatingIfNeeded: $0) }, at: BanditServer.now)
            flush()
            return number
        }

        func report(_ text: String) { add(.device(text)) }

        /// Reports a mistake of the client, once for each rule.
        func mistake(_ rule: String, _ sentence: String, link: Int = 0) {
            guard told.insert(rule).inserted else { return }
            timeline.mistake(
                rule, sentence, entry: timeline.count, device: 0,
                link: UInt32(truncatingIfNeeded: link), at: BanditServer.now)
            flush()
        }

        func flush() { while let entry = timeline.next() { show(entry) } }

        // MARK: - Connections

        /// A number for a connection; nil if there are too many.
        func admit(_ channel: any Channel) -> Int? {
            guard connections.count + backchannels.count < camera.choices.maximumConnections else {
                let channels = connections.values.compactMap(\.channel) + backchannels.values.compactMap(\.channel)
                let hosts = Set((channels + [channel]).map { $0.remoteAddress?.ipAddress })
                // A total of several clients is no client's mistake.
                guard hosts.count == 1 else { return nil }
                mistake(
                    "too-many-connections",
                    "opened more than \(camera.choices.maximumConnections) connections at once, the "
                        + "backchannel's included: use fewer, and close idle ones")
                return nil
            }
            defer { nextNumber += 1 }
            return nextNumber
        }

        /// Refuses a connection above the limit.
        func refuse(_ channel: any Channel, _ what: String, isBackchannel: Bool = false) {
            if isBackchannel { usesBackchannel = true }
            report("a connection of \(what) is refused: there are \(camera.choices.maximumConnections)")
            if resetsOverload { BanditServer.reset(channel) } else { channel.close(promise: nil) }
        }

        /// Closes with a reset (SO_LINGER with no time).
        static func reset(_ channel: any Channel) {
            guard let options = channel as? any SocketOptionProvider else { return channel.close(promise: nil) }
            options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in channel.close(promise: nil) }
        }

        func opened(_ handler: BanditHTTPHandler) { connections[handler.number] = handler }

        func closed(_ handler: BanditHTTPHandler) { connections[handler.number] = nil }

        func opened(_ client: BanditBackchannel) {
            backchannels[client.number] = client
            usesBackchannel = true
            add(.device("backchannel \(client.number) is open"))
            for fault in faults(at: "connection") where fault == .close || fault == .reset { client.close() }
        }

        func closed(_ client: BanditBackchannel) {
            guard backchannels.removeValue(forKey: client.number) != nil else { return }
            add(.device("backchannel \(client.number) is closed"))
        }

        func heardBackchannel(_ number: Int) {
            mistake("wrote-to-backchannel", "wrote to the backchannel, which the camera does not read", link: number)
        }

        func malformed(_ number: Int) {
            add(.device("connection \(number) sent what is not HTTP: 400"))
            mistake("not-http", "sent what is not HTTP", link: number)
        }

        func refusedRequest() { add(.device("a request on a connection too many: 503")) }

        /// The connected clients by their addresses, for a page.
        var clients: [JSONObject] {
            let heard = connections.values.compactMap { $0.channel?.remoteAddress?.ipAddress }
            let told = backchannels.values.compactMap { $0.channel?.remoteAddress?.ipAddress }
            return Set(heard + told).sorted().map { peer in
                [
                    "peer": peer, "connections": heard.count { $0 == peer },
                    "backchannel": told.contains(peer),
                ]
            }
        }

        // MARK: - Effects

        /// Performs the camera's effects, and schedules its next deadline.
        func act() {
            while let effect = camera.nextEffect() { act(effect) }
            timer?.cancel()
            timer = nil
            guard let deadline = camera.deadline else { return }
            let own = NIOLoopBound(self, eventLoop: loop)
            timer = loop.scheduleTask(deadline: .uptimeNanoseconds(UInt64(clamping: deadline.nanoseconds))) {
                own.value.camera.advance(to: BanditServer.now)
                own.value.act()
            }
        }

        func act(_ effect: CameraEffect) {
            switch effect {
            case .notify(let line):
                add(.device("backchannel ← \(line)"))
                if backchannels.isEmpty, !usesBackchannel, isClientThere {
                    mistake(
                        "no-backchannel",
                        "has missed a change: connect to backchannel_port of the status before anything else")
                }
                guard !backchannels.isEmpty else { return }
                let faults = faults(at: "line")
                for client in backchannels.values { client.send(line, faults) }
            case .startViewfinder(let host, let port): startViewfinder(host, port)
            case .stopViewfinder:
                viewfinder?.end()
                viewfinder = nil
            case .stopPreview:
                previewChannel?.end()
                previewChannel = nil
            case .leave: leave()
            case .returnToAir: listen()
            case .tell(let text): report(text)
            case .mistake(let rule, let sentence): mistake(rule, sentence)
            }
        }

        /// True if there is a client that a notification could reach.
        private var isClientThere: Bool {
            !connections.isEmpty || lastRequest.map { BanditServer.now - $0 < BanditServer.presence } ?? false
        }

        // MARK: - Commands

        /// Executes a command, and returns the lines of the answer.
        func receive(_ command: CameraCommand, isTyped: Bool, quit: () -> Void) throws(CommandFault) -> [String] {
            switch command {
            case .control(let control):
                add(.command("\(control)", isTyped: isTyped))
                let problem = camera.apply(control, at: BanditServer.now)
                act()
                if let problem { throw CommandFault(problem) }
                return ["done"]
            case .fault(let rule):
                let isAdded = plan.add(rule)
                add(.command("fault \(rule)", isTyped: isTyped))
                guard isAdded else {
                    throw CommandFault("there are \(CameraFaultPlan.maximumRules) faults: clear")
                }
                return ["\(rule)"]
            case .faults: return plan.isEmpty ? ["no faults"] : plan.rules.map(\.description)
            case .clear:
                plan.removeAll()
                return ["no faults"]
            case .release(let fault, let step):
                return [plan.remove(fault, at: step) ? "no \(fault) at \(step)" : "there is no \(fault) at \(step)"]
            case .disconnect:
                disconnect()
                return ["all connections are closed"]
            case .steps: return CameraStep.all.map { "\($0.name) (\($0.place.rawValue))" }
            case .findings: return timeline.findingLines
            case .help: return CameraCommand.helpLines
            case .quit:
                quit()
                return ["the end"]
            }
        }

        func disconnect() {
            for connection in connections.values { connection.close() }
            for client in backchannels.values { client.close() }
        }
    }
#endif

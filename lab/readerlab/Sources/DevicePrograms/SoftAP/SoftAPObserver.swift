// SPDX-License-Identifier: Apache-2.0

package import NordicProvisioning

#if NetworkDevices
    package import Devices
    package import Emulation
    package import Timekeeping
    import WiFi
    import WiFiStation

    /// Observes a device on an access point: keeps its timeline, its apps' mistakes, and the pending faults.
    package final class SoftAPObserver {
        package private(set) var timeline: Timeline
        /// The steps of the profile at which faults can be injected.
        package let steps: [EmulatedStep]
        package private(set) var plan: FaultPlan
        private let show: (TimelineEntry) -> Void
        /// The connection whose input is being handled.
        private var current: SoftAPConnection?
        /// True if a fault has changed the answer to this input.
        private var isFaulted = false

        package init(
            _ profile: NordicProfile, _ scenario: EmulationScenario, start: Instant,
            show: @escaping (TimelineEntry) -> Void
        ) {
            steps = SoftAPObserver.steps(profile)
            plan = FaultPlan(scenario.faults)
            timeline = Timeline(start: start, expectations: [AppExpectations()])
            self.show = show
        }

        /// The steps of a profile.
        package static func steps(_ profile: NordicProfile) -> [EmulatedStep] {
            [EmulatedStep("connect", .connection, "an app connects, before TLS")]
                + SoftAPEndpoint.allCases.filter { $0.isServed(by: profile) }.map {
                    EmulatedStep($0.word, .exchange, "\($0.method) \($0.rawValue)")
                }
        }

        // MARK: - Observation

        /// Sets the connection whose input is handled next; nil for timers and commands.
        package func turn(to connection: SoftAPConnection?) {
            current = connection
            isFaulted = false
        }

        @discardableResult
        package func record(_ event: TimelineEntry.Event, at now: Instant) -> Int {
            let link = current.map { UInt32(clamping: $0.number) }
            let entry = timeline.add(event, device: 0, link: link, at: now)
            showNews()
            return entry
        }

        private func showNews() { while let entry = timeline.next() { show(entry) } }

        /// Records an event of the device, and the app's mistake that it shows.
        package func report(_ notice: SoftAPNotice, at now: Instant) {
            switch notice {
            case .answered(let method, let target, let status):
                let entry = record(SoftAPObserver.requested(method, target, "\(status)"), at: now)
                guard !isFaulted else { return }
                if status == 404 {
                    find("unknown-path", "asked for \(target.shortened), which is not there", entry, now)
                }
                if status == 405 {
                    find("wrong-method", "asked \(target.shortened) by \(method), which it does not take", entry, now)
                }
            case .unanswered(let method, let target):
                record(SoftAPObserver.requested(method, target, "no answer, connection closed"), at: now)
            case .fault(let fault):
                isFaulted = true
                record(.fault(step: fault.place?.word ?? "connect", "\(fault)"), at: now)
            case .refused(let why):
                let entry = record(.happened(notice.word, text: "\(notice)"), at: now)
                // A station refuses a network only on the order of a script.
                guard why != .station else { return }
                find("refused-configuration", "sent a configuration that is refused: \(why)", entry, now)
            case .connectionFailed(let why, let isByApp):
                let entry = record(.happened(notice.word, text: "\(notice)"), at: now)
                guard isByApp, !isFaulted else { return }
                find("connection-failed", "\(why); the firmware starts again after that", entry, now)
            default: record(.happened(notice.word, text: "\(notice)"), at: now)
            }
        }

        private static func requested(_ method: String, _ target: String, _ result: String) -> TimelineEntry.Event {
            .requested(
                step: SoftAPEndpoint(rawValue: target)?.word ?? "other", "\(method) \(target.shortened)",
                result: result)
        }

        private func find(_ rule: String, _ sentence: String, _ entry: Int, _ now: Instant) {
            let link = current.map { UInt32(clamping: $0.number) } ?? 0
            timeline.mistake(rule, sentence, entry: entry, device: 0, link: link, at: now)
            showNews()
        }

        // MARK: - Faults

        /// The fault of a request, or of a new connection, if any.
        package func fault(for request: SoftAPRequest?) -> SoftAPFault? {
            let endpoint = request.flatMap { SoftAPEndpoint(rawValue: $0.target) }
            if let request, endpoint?.method != request.method { return nil }
            let faults = plan.faults(at: endpoint?.word ?? "connect", device: 0)
            return faults.lazy.compactMap { SoftAPFault.Kind($0) }.first.map { SoftAPFault(endpoint, $0, times: 1) }
        }

        /// The reason why a device on an access point cannot execute a command; nil if it can.
        package static func problem(_ command: EmulationCommand) -> String? {
            switch command {
            case .mtu: "an HTTP connection has no ATT_MTU; leave mtu out"
            case .disconnect(_, let end) where end != .user:
                "an HTTP connection ends without a reason; leave \(end.rawValue) out"
            default: nil
            }
        }

        /// Executes a command about faults and findings, and returns the lines of the answer; nil for other commands.
        package func execute(_ command: EmulationCommand) -> [String]? {
            command.answer(&plan, timeline, steps: steps.map(\.description))
        }
    }

    extension SoftAPEndpoint {
        /// True if a profile has the endpoint.
        func isServed(by profile: NordicProfile) -> Bool {
            SoftAPFault.problem([SoftAPFault(self, .close)], profile) == nil
        }
    }

    extension SoftAPFault.Kind {
        /// The device's fault with this common name; nil for a fault that requests cannot have.
        init?(_ fault: Fault) {
            switch fault {
            case .delay(let delay): self = .delay(delay)
            case .code(let status): self = .status(UInt16(clamping: status))
            case .drop: self = .lost
            case .replace(let body): self = .body(body)
            case .truncate(let count): self = .cut(count)
            case .disconnectBefore, .disconnectAfter, .refuse: self = .close
            case .error, .duplicate, .extend, .wrongConfirm, .wrongProof: return nil
            }
        }
    }

    extension String {
        /// A request target, shortened for a line.
        fileprivate var shortened: String { count > 100 ? prefix(100) + "…" : self }
    }
#endif

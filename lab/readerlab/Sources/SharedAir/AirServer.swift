// SPDX-License-Identifier: Apache-2.0

package import Commands
import Console
package import ContactlessAir
import Emulation
import Glibc
import JSON
import Peripheral
import System
import Timekeeping
import VirtualRadio

/// The air in real time: descriptors and timers around an `AirSession`, whose clock follows the monotonic clock.
///
/// Everything happens on the thread that calls `run`, without blocking.
package final class AirServer {
    /// The time between two scenes.
    private static let sceneInterval = Duration.milliseconds(100)
    /// The maximum number of octets queued for a host; further packets stay in its controller.
    private static let maximumWaiting = 64 * 1024
    /// The same for a client of the control socket, and the maximum number of these.
    private static let (maximumAnswers, maximumClients) = (256 * 1024, 8)
    /// The number of reads from the present host before a new host is refused.
    private static let readsBeforeRefusal = 16

    private let reactor: Reactor
    private let session: AirSession
    private let view: AirView
    private let output: LineOutput
    private let capture: AirCaptureFile?
    private var ports: [PlacePort] = []
    private var control: LineServer?
    private var field: FieldServer?
    private let netsim: NetsimRadio?
    private var typing: Watch?
    private lazy var timer = reactor.timer { [weak self] in
        guard let self else { return }
        session.advance(to: reactor.now)
        settle()
    }
    /// The latest floor plan and scene that were written; nil if they are not wanted.
    private var shown: (plan: JSONObject, scene: JSONObject)?
    private lazy var sceneTimer = reactor.timer { [weak self] in self?.showScene() }
    private var observed: ObservedReader?
    private var packets: [UInt8] = []
    private var failure: CommandError?

    /// Opens the places and the control socket.
    package init(
        _ plans: [PlacePlan], seed: UInt64, control path: String?, capture: AirCaptureFile?, json: Bool,
        showsPlan: Bool = false, reader: String? = nil, field plan: FieldPlan? = nil,
        netsim: NetsimRadio? = nil
    ) throws(CommandError) {
        (self.capture, self.netsim) = (capture, netsim)
        do throws(SystemError) { reactor = try Reactor.ofProgram() } catch { throw .failed("\(error)") }
        session = AirSession(plans, seed: seed, start: reactor.now)
        if capture != nil {
            session.air.capture = AirCaptureFile.capture(
                of: "readerlab air --seed \(seed)", epochAtOrigin: AirServer.epoch(at: reactor.now))
        }
        view = AirView(json: json, places: session.names + (plan?.readers.map(\.name) ?? []))
        output = LineOutput(STDOUT_FILENO, on: reactor)
        if showsPlan {
            shown = ([:], [:])
            observed = reader.map { ObservedReader($0, on: reactor) }
        }
        for plan in plans { ports.append(try PlacePort(plan.way)) }
        control = try path.map { path throws(CommandError) in
            try LineServer(
                path: path, clientLimit: AirServer.maximumClients, maximumWaiting: AirServer.maximumAnswers)
        }
        field = try plan.map { plan throws(CommandError) in
            try FieldServer(plan, on: reactor) { [weak self] reader, event in self?.report(event, of: reader) }
        }
    }

    /// The wall clock time of `Instant.origin`, in nanoseconds since 1970-01-01 UTC.
    private static func epoch(at now: Instant) -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec) - (now - .origin).wholeNanoseconds
    }

    /// Runs until a signal or `quit`. `next` contains hints for the user.
    package func run(next: [String]) throws(CommandError) {
        defer { close() }
        for (number, port) in ports.enumerated() {
            try port.open(
                on: reactor, came: { [weak self] in self?.came(number) ?? false },
                ready: { [weak self] in self?.ready(number) })
            session.opened(number, hci: port.hci)
        }
        try field?.open()
        try netsim?.open(
            on: reactor, receive: { [weak self] in self?.receive($0) }, ended: { [weak self] in self?.fail($0) })
        try control?.open(on: reactor) { [weak self] lines, client in
            for line in lines { for answer in self?.receive(line, isTyped: false) ?? [] { client.send(answer) } }
        }
        for line in next { session.report(.next(line)) }
        listen()
        observed?.receive = { [weak self] in self?.showNotice($0) }
        observed?.open()
        settle()
        showScene()
        do {
            try reactor.onSignal(Reactor.endingSignals) { [reactor] _ in reactor.stop() }
            try reactor.run()
        } catch { throw .failed("\(error)") }
        if let failure { throw failure }
    }

    private func close() {
        writeCapture()
        timer.cancel()
        sceneTimer.cancel()
        observed?.close()
        typing?.cancel()
        control?.close()
        field?.close()
        for port in ports { port.close() }
        netsim?.close()
        output.close()
    }

    // MARK: - Hosts

    /// Handles a connected host. True if the place is free.
    private func came(_ number: Int) -> Bool {
        // The previous host may have disconnected already, while its last octets are unread.
        for _ in 0..<AirServer.readsBeforeRefusal where session.places[number].isTaken { ready(number) }
        let mayStay = session.enter(number, at: reactor.now)
        showNotices()
        return mayStay
    }

    /// Handles a host that has sent octets, accepts octets again, or has disconnected.
    private func ready(_ number: Int) {
        guard let stream = ports[number].stream else { return }
        let now = reactor.now
        let isOpen = stream.read { octets in
            if ports[number].isTerminal, !session.places[number].isTaken { _ = session.enter(number, at: now) }
            session.receive(octets, at: number, now: now)
        }
        if !isOpen { free(number) }
        settle()
    }

    private func free(_ number: Int) {
        session.leave(number, at: reactor.now)
        do throws(CommandError) {
            try ports[number].drop(on: reactor) { [weak self] in self?.ready(number) }
        } catch { fail(error) }
    }

    /// Ends the air with this failure.
    private func fail(_ error: CommandError) {
        failure = error
        reactor.stop()
    }

    /// Sends packets to the hosts, disconnects those with a fault, prints the notices, and sets the timer.
    private func settle() {
        for number in ports.indices {
            if session.fault(at: number) != nil || !send(number) { free(number) }
        }
        writeCapture()
        showNotices()
        timer.set(session.nextDeadline)
    }

    /// Writes the captured packets. If they cannot be written the air ends, because the capture was requested.
    private func writeCapture() {
        guard let capture, let octets = session.air.capture?.drain(), !octets.isEmpty else { return }
        do throws(CommandError) { try capture.write(octets) } catch {
            session.air.capture = nil
            fail(error)
        }
    }

    /// Sends packets to the host of a place. False if it has disconnected.
    private func send(_ number: Int) -> Bool {
        guard session.places[number].isTaken, let stream = ports[number].stream else { return true }
        repeat {
            packets.removeAll(keepingCapacity: true)
            session.takePackets(from: number, room: AirServer.maximumWaiting - stream.waiting, into: &packets)
            stream.append(packets)
            guard stream.flush() else { return false }
        } while stream.waiting == 0 && !packets.isEmpty
        return true
    }

    // MARK: - Commands

    private func listen() {
        typing = reactor.watchLines { [weak self] line in
            guard let self else { return }
            for answer in receive(line, isTyped: true) { output.write(answer) }
        }
    }

    /// Executes a line, and returns the lines of the answer.
    private func receive(_ line: String, isTyped: Bool) -> [String] {
        let answer = TypedAnswer.of { () throws(CommandFault) in
            let order = try AirOrder(line: line, places: session.names)
            if case .field(let order) = order, let field { return try field.execute(order) }
            let answer = session.execute(order, at: reactor.now)
            if order == .quit { reactor.stop() }
            if !isTyped, order.changesPaths { session.report(.ordered(answer.lines.joined(separator: "; "))) }
            return answer
        }
        defer { settle() }
        return view.lines(answer, at: session.elapsed)
    }

    /// Writes an event of a field.
    private func report(_ event: FieldEvent, of reader: String?) {
        session.advance(to: reactor.now)
        session.report(.field(event), at: reader)
        showNotices()
    }

    /// Writes a line of the Android Emulator's program.
    private func receive(_ line: NetsimLine) {
        session.advance(to: reactor.now)
        switch line {
        case .open(let endpoint, let files): session.report(.netsimOpen(endpoint: endpoint, files: files))
        case .note(let text, let place): session.report(.netsim(text), at: place)
        }
        settle()
    }

    /// Writes the floor plan and the scene, if they have changed.
    private func showScene() {
        guard let last = shown else { return }
        session.advance(to: reactor.now)
        settle()
        session.status = observed?.present
        let (plan, scene) = (session.plan, session.scene)
        if plan != last.plan { output.write(plan.text) }
        if scene != last.scene { output.write(scene.text) }
        shown = (plan, scene)
        sceneTimer.set(reactor.now + AirServer.sceneInterval)
    }

    /// Writes a notice of the observed reader.
    private func showNotice(_ notice: JSONNode) {
        session.advance(to: reactor.now)
        settle()
        output.write(session.entry(of: notice).text)
    }

    private func showNotices() {
        while let notice = session.nextNotice() { output.write(view.line(notice)) }
    }
}

// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Crypto
import Peripheral
import Phone

/// A run of the generator against a reader's door: phones open it, and the edges of the lock's line are timed.
struct DoorRun<Line: HostLine & ~Copyable>: ~Copyable {
    /// A read of the GAP device name; its response shows that all previous PDUs have been handled.
    private static var fence: [UInt8] { ATTRequest.read(3).octets() }
    /// The number of unmeasured openings before the measurement, after which the reader's buffers have grown to their
    /// size.
    private static var warming: Int { 200 }
    /// The maximum length of a frame in octets.
    private static var frameLimit: Int { Int(LoadController.mtu) - 3 }

    private let plan: DoorPlan
    private let tokens: DoorTokens
    private var bare: BareProcess
    private var run: LoadRun<Line>
    private let lines: LineTimes
    private var session = PhoneSession()
    private var random = SystemRandomSource()
    private var frame: [UInt8] = []
    private var rx: UInt16 = 0

    init(
        plan: DoorPlan, tokens: DoorTokens, bare: consuming BareProcess, line: consuming Line,
        lines: consuming LineTimes
    ) {
        self.plan = plan
        self.tokens = tokens
        self.bare = bare
        self.lines = lines
        var load = LoadPlan()
        (load.phones, load.seed, load.joinsPackets) = (plan.phones, plan.seed, false)
        run = LoadRun(plan: load, line: line)
    }

    /// Connects, and adds measurements to the report as they are made.
    ///
    /// - Parameter isEnding: asked before each kind of opening; true leaves out what is left.
    mutating func run(into report: inout DoorReport, isEnding: () -> Bool = { false }) throws(LoadFault) {
        _ = try run.bringUp()
        for link in 0..<plan.phones { try prepare(link) }
        report.phones = run.controller.linkCount
        try awaitReader()
        for opening in DoorPlan.Opening.allCases {
            report.isInterrupted = isEnding()
            guard !report.isInterrupted else { return }
            report.openings.append(try openings(opening))
        }
        report.isInterrupted = isEnding()
        guard !report.isInterrupted else { return }
        for part in PartResult.Part.allCases { report.parts.append(try measure(part)) }
        report.memory = run.line.memory()
    }

    private mutating func prepare(_ link: Int) throws(LoadFault) {
        run.controller.links[link].keepsValues = true
        try run.exchangeMTU(link)
        let discovery = try run.discover(on: link)
        rx = try run.value(AccessPhoneConfiguration.rxUUID, of: discovery)
        try run.subscribe(link, to: run.value(AccessPhoneConfiguration.txUUID, of: discovery), of: discovery)
    }

    /// Waits until the reader is ready: after its start it answers −21 until its state is loaded.
    private mutating func awaitReader() throws(LoadFault) {
        let patience = Int64(LoadRun<Line>.silence) * 1_000_000_000
        let start = run.line.now
        while try attempt(tokens.ping, on: 0, during: "the start") == .unavailable {
            guard run.line.now - start < patience else { throw .door("the reader does not get ready") }
        }
    }

    // MARK: - Openings

    private mutating func openings(_ opening: DoorPlan.Opening) throws(LoadFault) -> OpeningResult {
        for number in 0..<DoorRun.warming { _ = try open(opening, number) }
        var times = DoorTimes()
        var marks = AllocationMarks()
        let before = run.line.usage()
        marks.record(0, before.counts)
        for number in 0..<plan.openings {
            // The numbers continue, so that no credential is repeated too soon.
            times.append(try open(opening, DoorRun.warming + number))
            if DoorPlan.endsPart(number, of: plan.openings) { marks.record(number + 1, run.line.usage().counts) }
        }
        let after = run.line.usage()
        guard var result = times.result(opening) else { throw .door("no opening was measured") }
        if let from = before.processorNanoseconds, let to = after.processorNanoseconds {
            result.hostMicroseconds = Double(to - from) / 1000 / Double(plan.openings)
        }
        result.allocations = marks.report
        return result
    }

    /// Opens the door with a phone, and performs the bare operations, in alternating order so that both meet the same
    /// conditions of the machine; then secures the door.
    private mutating func open(_ opening: DoorPlan.Opening, _ number: Int) throws(LoadFault) -> DoorTimes.One {
        let former = number.isMultiple(of: 2) ? nil : try bare.run(opening)
        let link = number % plan.phones
        let edges = lines.edges
        try exchange(tokens.token(opening, number), on: link, during: "an opening")
        guard lines.edges == edges + 1, lines.isActive else {
            throw .door("an opening was answered, and the lock's line has \(lines.edges - edges) edges")
        }
        let sent = run.sentAt[link]
        guard lines.lastRead >= sent else { throw .door("the read that brought a token was not seen") }
        var one = DoorTimes.One(
            edge: lines.lastEdge - sent, inside: lines.lastEdge - lines.lastRead, insideProcessor: lines.processor,
            answer: run.receivedAt - sent, bare: 0, bareProcessor: 0)
        let times = if let former { former } else { try bare.run(opening) }
        (one.bare, one.bareProcessor) = (times.wall, times.processor)
        try exchange(tokens.secure, on: link, during: "securing the door")
        guard lines.edges == edges + 2, !lines.isActive else { throw .door("the door is not secured again") }
        return one
    }

    // MARK: - Exchanges

    /// Performs one exchange, which must succeed. `run.sentAt` is the time of its last packet's write.
    private mutating func exchange(
        _ token: DoorTokens.Token, on link: Int, during test: String
    ) throws(LoadFault) {
        let status = try attempt(token, on: link, during: test)
        guard status == .ok else { throw .door("\(test) was answered by status \(status.rawValue)") }
    }

    /// Performs one exchange, and returns the reader's status.
    private mutating func attempt(
        _ token: DoorTokens.Token, on link: Int, during test: String
    ) throws(LoadFault) -> StatusCode {
        var step = session.start(token: token.octets.span, terminal: tokens.terminal, random: &random)
        let start = run.line.now
        while true {
            switch step {
            case .send: write(on: link)
            case .completed: return .ok
            case .failed(let failure):
                guard let status = failure.terminal else { throw .door("\(test) failed: \(failure.code.rawValue)") }
                return status
            case .incomplete, .ignored: break
            }
            step = try receive(on: link, since: start, during: test)
        }
    }

    private mutating func write(on link: Int) {
        while session.nextFrame(limit: DoorRun.frameLimit, into: &frame) {
            run.controller.send(ATTRequest.writeCommand(rx, frame), on: link, awaitsAnswer: true)
        }
    }

    private mutating func receive(
        on link: Int, since start: Int64, during test: String
    ) throws(LoadFault) -> PhoneStep {
        while run.controller.links[link].values.isEmpty {
            _ = try run.turn()
            guard run.controller.links[link].isUp else { throw .linkEnded(during: test) }
            try run.checkSilence(since: start, during: test)
        }
        let value = run.controller.links[link].values.removeFirst()
        return session.receive(value.span, random: &random)
    }

    // MARK: - Parts of a session

    private mutating func measure(_ part: PartResult.Part) throws(LoadFault) -> PartResult {
        var result = PartResult(part: part, count: 0)
        var marks = AllocationMarks()
        switch part {
        case .exchange:
            for _ in 0..<DoorRun.warming { try exchange(tokens.ping, on: 0, during: part.rawValue) }
            marks.record(0, run.line.usage().counts)
            for number in 0..<plan.exchanges {
                try exchange(tokens.ping, on: 0, during: part.rawValue)
                if DoorPlan.endsPart(number, of: plan.exchanges) { marks.record(number + 1, run.line.usage().counts) }
            }
            result.count = plan.exchanges
        case .frame:
            var payload = [UInt8](repeating: 0x41, count: MessageLimit.payload)
            var message: [UInt8] = []
            MessageHeader(payloadCount: payload.count, crc: 0, status: .ok).append(to: &message)
            swap(&payload, &message)
            message = payload + message
            // The checksum is wrong: the last frame ends the message, and the phone receives nothing.
            let frames = stride(from: 0, to: message.count, by: 20).map {
                Array(message[$0..<min($0 + 20, message.count)])
            }
            try send(frames[...], of: part)
            try send(frames[..<4], of: part)
            marks.record(0, run.line.usage().counts)
            let counted = frames[4..<frames.count - 1]
            try send(counted, of: part)
            result.count = counted.count
            marks.record(counted.count, run.line.usage().counts)
            try send(frames[(frames.count - 1)...], of: part)
        }
        result.allocations = marks.report
        return result
    }

    /// Writes frames, and waits until the reader has handled them.
    private mutating func send(_ frames: ArraySlice<[UInt8]>, of part: PartResult.Part) throws(LoadFault) {
        for frame in frames { run.controller.send(ATTRequest.writeCommand(rx, frame), on: 0) }
        try run.ask(DoorRun.fence, on: 0, during: part.rawValue)
    }
}

// SPDX-License-Identifier: Apache-2.0

package import Commands
import Console
import Emulation
import GPIO
import Glibc
import JSON
import System
import Timekeeping

/// The program around the pins of a bench: lines, loop, output.
package final class PinsProgram {
    /// The interval of checks that the chips are present: Linux 6.1 does not report the removal of one.
    private static let check = Duration.seconds(1)
    /// The maximum number of edges read at once, so that a chattering line does not delay the others.
    private static let edgesAtOnce = 4 * PinBoard.keptEdges
    /// The number of attempts to read a level that no edge follows at once.
    private static let levelReads = 8

    /// A requested line.
    private final class Line {
        var input: InputLine?
        var output: OutputLine?
        var watch: Watch?
    }

    private let json: Bool
    private let reactor: Reactor
    private let output: LineOutput
    private let begin: Instant
    private let lines: [Line]
    private var board: PinBoard
    private var failure: CommandError?

    /// Requests the lines.
    package init(_ plans: [PinPlan], json: Bool) throws(CommandError) {
        self.json = json
        do throws(SystemError) { reactor = try Reactor.ofProgram() } catch { throw .failed("\(error)") }
        output = LineOutput(STDOUT_FILENO, on: reactor)
        begin = reactor.now
        var levels: [Bool] = []
        var lines: [Line] = []
        for plan in plans {
            let line = Line()
            do throws(GPIOError) { levels.append(try PinsProgram.open(plan, as: line)) } catch {
                throw PinsProgram.failure(error, plan)
            }
            lines.append(line)
        }
        self.lines = lines
        board = PinBoard(plans, levels: levels)
    }

    /// Requests a line, and returns its level.
    private static func open(_ plan: PinPlan, as line: Line) throws(GPIOError) -> Bool {
        guard !plan.isOutput else {
            line.output = try OutputLine(plan.line, activeLow: plan.isActiveLow, active: false)
            return false
        }
        line.input = try InputLine(
            plan.line, activeLow: plan.isActiveLow, bias: plan.isPulledUp ? .pullUp : .asIs)
        var level = false
        for _ in 0..<levelReads {
            level = try line.input?.get() ?? false
            // An edge that came before is in the level, and is no change of it.
            guard try !edges(of: line).isEmpty else { break }
        }
        return level
    }

    private static func failure(_ error: GPIOError, _ plan: PinPlan) -> CommandError {
        CommandError.failed("pin \(plan.name): \(error)")
    }

    /// Runs until a signal or `quit`. Throws if a line is lost.
    package func run() throws(CommandError) {
        do throws(SystemError) {
            try reactor.onSignal(Reactor.endingSignals) { [reactor] _ in reactor.stop() }
            for notice in board.begin(at: reactor.now) { report(notice) }
            for (index, line) in lines.enumerated() {
                guard let descriptor = line.input?.descriptor else { continue }
                line.watch = try reactor.watch(descriptor, .readable) { [weak self] _ in self?.read(index) }
            }
            let typing = reactor.watchLines { [weak self] in self?.receive($0) }
            checkLater()
            try reactor.run()
            typing?.cancel()
        } catch { failure = CommandError.failed("\(error)") }
        close()
        if let failure { throw failure }
    }

    /// Returns the outputs to their level at the start.
    private func close() {
        for (index, line) in lines.enumerated() {
            line.watch?.cancel()
            do throws(GPIOError) { try line.output?.set(false) } catch { end(error, index) }
        }
        output.close()
    }

    // MARK: - Inputs

    private func read(_ index: Int) {
        attempt(index) { line throws(GPIOError) in
            report(board.receive(try PinsProgram.edges(of: line), of: index))
        }
    }

    private static func edges(of line: Line) throws(GPIOError) -> [PinBoard.Edge] {
        var edges: [PinBoard.Edge] = []
        while edges.count < edgesAtOnce, let edge = try line.input?.nextEdge() {
            edges.append(
                PinBoard.Edge(level: edge.isActive, at: Instant(nanoseconds: Int64(clamping: edge.nanoseconds))))
        }
        return edges
    }

    private func checkLater() {
        reactor.schedule(at: reactor.now + PinsProgram.check) { [weak self] in
            guard let self else { return }
            for index in lines.indices { check(index) }
            checkLater()
        }
    }

    /// Reads a line, which fails without its chip, and finds a level that no edge has reported.
    private func check(_ index: Int) {
        attempt(index) { line throws(GPIOError) in
            _ = try line.output?.get()
            guard let level = try line.input?.get() else { return }
            let edges = try PinsProgram.edges(of: line)
            report(edges.isEmpty ? board.found(level, at: index, now: reactor.now) : board.receive(edges, of: index))
        }
    }

    private func attempt(_ index: Int, _ body: (Line) throws(GPIOError) -> Void) {
        do throws(GPIOError) { try body(lines[index]) } catch { end(error, index) }
    }

    /// The first error is the reason.
    private func end(_ error: GPIOError, _ index: Int) {
        failure = failure ?? PinsProgram.failure(error, board.plans[index])
        reactor.stop()
    }

    // MARK: - Orders

    private func receive(_ line: String) {
        switch board.receive(line) {
        case .answer(let answer): report(answer)
        case .end(let answer):
            report(answer)
            reactor.stop()
        case .set(let index, let level):
            attempt(index) { line throws(GPIOError) in
                try line.output?.set(level)
                let (notices, answer) = board.hasSet(index, level, at: reactor.now)
                report(notices)
                report(answer)
            }
        }
    }

    // MARK: - Output

    private func report(_ notices: [PinNotice]) { for notice in notices { report(notice) } }

    private func report(_ notice: PinNotice) {
        output.write(
            json ? notice.json(since: begin).text : TextColumn.seconds(notice.at - begin) + "  " + notice.text)
    }

    private func report(_ answer: TypedAnswer) {
        let elapsed = reactor.now - begin
        for line in json ? [answer.json(at: elapsed).text] : answer.sentences {
            output.write(json ? line : TextColumn.seconds(elapsed) + "  " + line)
        }
    }
}

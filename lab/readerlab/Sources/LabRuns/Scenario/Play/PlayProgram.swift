// SPDX-License-Identifier: Apache-2.0

package import Commands
import Console
import Emulation
import Glibc
import JSON
package import Scenario
import System
import Timekeeping

/// A scenario in real time: a clock, typed lines, and lines for each event around a `SitePlay`.
package final class PlayProgram {
    /// The time between two scenes.
    private static let interval = Duration.milliseconds(100)

    private let reactor: Reactor
    private let play: SitePlay
    private let json: Bool
    private let output: LineOutput
    private var typing: Watch?
    private var last: Instant
    /// The latest scene that was written.
    private var written: JSONObject?
    private lazy var timer = reactor.timer { [weak self] in self?.pass() }

    /// A scenario that begins with `run`.
    ///
    /// - Parameter json: one JSON object per event, and the floor plan and the scene on it.
    package init(_ play: SitePlay, json: Bool) throws(CommandError) {
        do throws(SystemError) { reactor = try Reactor.ofProgram() } catch { throw .failed("\(error)") }
        (self.play, self.json) = (play, json)
        output = LineOutput(STDOUT_FILENO, on: reactor)
        last = reactor.now
    }

    /// Runs until a signal or `quit`.
    package func run() throws(CommandError) {
        defer {
            timer.cancel()
            typing?.cancel()
            output.close()
        }
        typing = reactor.watchLines { [weak self] line in self?.receive(line) }
        show()
        timer.set(reactor.now + PlayProgram.interval)
        do {
            try reactor.onSignal(Reactor.endingSignals) { [reactor] _ in reactor.stop() }
            try reactor.run()
        } catch { throw .failed("\(error)") }
    }

    private func pass() {
        let now = reactor.now
        play.pass(now - last)
        last = now
        show()
        timer.set(now + PlayProgram.interval)
    }

    private func receive(_ line: String) {
        var ends = false
        let answer = TypedAnswer.of { () throws(PlayOrderFault) in
            let answer = try play.execute(line)
            ends = answer.ends
            var members = JSONObject()
            if let file = answer.file { members.add("file", file) }
            return TypedAnswer(lines: answer.lines, members: members)
        }
        if json {
            output.write(answer.json(at: play.time).text)
        } else {
            for sentence in answer.sentences { output.write(sentence) }
        }
        show()
        if ends { reactor.stop() }
    }

    /// Writes the messages, and the scene if it has changed.
    private func show() {
        while let message = play.nextMessage() { output.write(json ? message.text : PlayProgram.words(message)) }
        guard json else { return }
        let scene = play.scene
        guard scene != written else { return }
        written = scene
        output.write(scene.text)
    }

    private static func words(_ message: JSONObject) -> String {
        guard let node = try? JSONParser.parse(Array(message.text.utf8)), case .object(let members) = node.content
        else {
            return ""
        }
        var texts: [String: String] = [:]
        for member in members {
            if case .string(let text) = member.value.content { texts[member.name] = text }
            if case .number(let text) = member.value.content { texts[member.name] = text }
        }
        let time = texts["at-ms"].flatMap(Double.init) ?? 0
        return TextColumn.seconds(.milliseconds(time)) + " s  " + (texts["place"] ?? texts["name"] ?? "") + "  "
            + (texts["text"] ?? texts["about"] ?? "")
    }
}

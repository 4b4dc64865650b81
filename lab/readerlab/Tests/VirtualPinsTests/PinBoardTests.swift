// SPDX-License-Identifier: Apache-2.0

import JSON
import Testing
import Timekeeping

@testable import Console
@testable import VirtualPins

/// The pins of a bench: edges and typed lines in, levels and notices out.
@Suite struct PinBoardTests {
    private static let second: Int64 = 1_000_000_000
    private var board: PinBoard

    init() throws {
        let plans = try PinPlan.all(inputs: ["lock=gpiochip0:5"], outputs: ["rex=REX"], activeLow: [], pullUp: [])
        board = PinBoard(plans, levels: [false, false])
    }

    private func edge(_ level: Bool, _ nanoseconds: Int64) -> PinBoard.Edge {
        PinBoard.Edge(level: level, at: Instant(nanoseconds: nanoseconds))
    }

    private func json(_ notices: [PinNotice]) -> [String] {
        notices.map { $0.json(since: Instant(nanoseconds: 2 * Self.second)).text }
    }

    @Test func thePinsAreToldFirst() {
        #expect(
            json(board.begin(at: Instant(nanoseconds: 2_001_000_000))) == [
                #"{"at-ms":1,"event":"pin","pin":"lock","output":false,"level":0,"ns":2001000000,"#
                    + #""text":"lock off, an input"}"#,
                #"{"at-ms":1,"event":"pin","pin":"rex","output":true,"level":0,"ns":2001000000,"#
                    + #""text":"rex off, an output"}"#,
            ])
    }

    /// The time is the kernel's, and the length the difference of two of them.
    @Test mutating func aPulseHasItsLength() {
        #expect(
            json(board.receive([edge(true, 3_000_000_017)], of: 0)) == [
                #"{"at-ms":1000,"event":"edge","pin":"lock","level":1,"number":1,"ns":3000000017,"text":"lock on"}"#
            ])
        #expect(
            json(board.receive([edge(false, 8_001_234_585)], of: 0)) == [
                #"{"at-ms":6001,"event":"edge","pin":"lock","level":0,"number":2,"ns":8001234585,"#
                    + #""after-ns":5001234568,"text":"lock off, was on for 5.001 s"}"#
            ])
        let blink = board.receive([edge(true, 9_000_000_000), edge(false, 9_000_050_000)], of: 0)
        #expect(blink.map(\.text) == ["lock on, was off for 998.765 ms", "lock off, was on for 0.050 ms"])
        #expect(board.receive([], of: 0).isEmpty)
    }

    @Test mutating func twoEdgesInOneDirectionAreALoss() {
        _ = board.receive([edge(true, 1000)], of: 0)
        let notices = board.receive([edge(true, 3000), edge(false, 4000)], of: 0)
        #expect(
            notices.map(\.text)
                == ["lock on; edges before may be lost", "lock on", "lock off, was on for 0.001 ms"])
        #expect(notices.map(\.number) == [2, 3, 4])
        #expect(notices.map(\.event) == [.lost, .edge, .edge])
    }

    /// As many as the kernel keeps: others may be missing before and behind them.
    @Test mutating func aFullQueueIsALoss() {
        _ = board.receive([edge(true, 500), edge(false, 900)], of: 0)
        let edges = (0..<16).map { edge($0 % 2 == 0, 1000 + Int64($0) * 1000) }
        #expect(board.receive(Array(edges.dropLast()), of: 0).map(\.event) == Array(repeating: .edge, count: 15))
        _ = board.receive([edge(false, 20_000)], of: 0)
        let notices = board.receive(edges.map { edge($0.level, $0.at.nanoseconds + 30_000) }, of: 0)
        #expect(notices.map(\.event) == [.lost] + Array(repeating: .edge, count: 16))
        #expect(notices[1].after == nil)
        #expect(notices[2].after == .nanoseconds(1000))
        #expect(board.receive([edge(true, 100_000)], of: 0).map(\.after) == [nil])
    }

    @Test mutating func aLevelWithoutAnEdgeIsALoss() {
        _ = board.receive([edge(true, 1000)], of: 0)
        #expect(board.found(true, at: 0, now: Instant(nanoseconds: 2000)).isEmpty)
        let notices = board.found(false, at: 0, now: Instant(nanoseconds: 3000))
        #expect(notices.map(\.text) == ["lock off; edges before may be lost"])
        #expect(board.receive([edge(true, 4000)], of: 0).map(\.after) == [nil])
    }

    @Test mutating func anOutputIsSetAndThenAnswered() {
        #expect(board.receive("rex on") == .set(1, true))
        let (notices, answer) = board.hasSet(1, true, at: Instant(nanoseconds: 3 * Self.second))
        #expect(
            json(notices) == [
                #"{"at-ms":1000,"event":"set","pin":"rex","level":1,"number":1,"ns":3000000000,"text":"rex on"}"#
            ])
        #expect(answer == TypedAnswer(lines: ["rex on"]))
        #expect(answer.json(at: .seconds(1)).text == #"{"at-ms":1000,"event":"answer","ok":true,"lines":["rex on"]}"#)
        // The level that it has: nothing moves, and the line is answered.
        let again = board.hasSet(1, true, at: Instant(nanoseconds: 4 * Self.second))
        #expect(again.0.isEmpty && again.1 == answer)
        #expect(
            board.receive("list") == .answer(TypedAnswer(lines: ["lock off, an input", "rex on, an output"])))
    }

    @Test func otherLinesAreAnswered() {
        let refusal = TypedAnswer(lines: ["lock is an input: the reader drives it"], isError: true)
        #expect(board.receive("lock on") == .answer(refusal))
        #expect(refusal.sentences == ["error: lock is an input: the reader drives it"])
        #expect(board.receive("quit") == .end(TypedAnswer(lines: ["the end"])))
    }
}

// SPDX-License-Identifier: Apache-2.0

import Console
import Emulation
import Timekeeping

/// The pins of a bench as a value: typed lines and edges go in, levels to set and notices come out.
struct PinBoard {
    /// A change of an input, with the kernel's timestamp.
    struct Edge: Equatable {
        var level: Bool
        var at: Instant
    }

    /// The outcome of a typed line.
    enum Outcome: Equatable {
        case answer(TypedAnswer)
        /// The output has to be set; the answer follows from `hasSet`.
        case set(Int, Bool)
        /// The end of the program, after the answer.
        case end(TypedAnswer)
    }

    /// The number of edges that the kernel keeps of a line until they are read (Linux, drivers/gpio/gpiolib-cdev.c: 16
    /// events of a line). Of so many at once, others may be missing.
    static let keptEdges = 16

    private struct Pin {
        var level: Bool
        var number = 0
        /// The time of the latest edge; nil if edges after it may be missing.
        var since: Instant?
    }

    let plans: [PinPlan]
    private var pins: [Pin]

    /// The pins with these levels. Outputs begin off, and end so.
    init(_ plans: [PinPlan], levels: [Bool]) {
        self.plans = plans
        pins = levels.map { Pin(level: $0) }
    }

    /// The notices that the pins are present.
    func begin(at now: Instant) -> [PinNotice] { pins.indices.map { notice(.pin, $0, at: now) } }

    /// Takes a typed line.
    func receive(_ line: String) -> Outcome {
        do throws(CommandFault) {
            switch try PinOrder(line: line, plans) {
            case .set(let index, let level): return .set(index, level)
            case .list:
                return .answer(TypedAnswer(lines: pins.indices.map { notice(.pin, $0, at: .origin).text }))
            case .help: return .answer(TypedAnswer(lines: PinOrder.help(plans)))
            case .quit: return .end(TypedAnswer(lines: ["the end"]))
            }
        } catch {
            return .answer(TypedAnswer(lines: [error.description], isError: true))
        }
    }

    /// An output has this level since now. The notice, if that is another, and the answer to the line.
    mutating func hasSet(_ index: Int, _ level: Bool, at now: Instant) -> ([PinNotice], TypedAnswer) {
        let notices = level == pins[index].level ? [] : [change(.set, index, to: level, at: now)]
        return (notices, TypedAnswer(lines: [PinOrder.line(plans[index].name, level)]))
    }

    /// Takes the edges of an input that were read at once, in their order.
    mutating func receive(_ edges: [Edge], of index: Int) -> [PinNotice] {
        guard let first = edges.first else { return [] }
        var notices: [PinNotice] = []
        let isFull = edges.count >= PinBoard.keptEdges
        if isFull { notices.append(lose(index, at: first.at)) }
        for edge in edges {
            // Two edges in one direction: the one between them is missing.
            if edge.level == pins[index].level, !isFull || edge != first { notices.append(lose(index, at: edge.at)) }
            notices.append(change(.edge, index, to: edge.level, at: edge.at))
        }
        if isFull { pins[index].since = nil }
        return notices
    }

    /// An input was read without an edge being queued.
    mutating func found(_ level: Bool, at index: Int, now: Instant) -> [PinNotice] {
        guard level != pins[index].level else { return [] }
        pins[index].level = level
        return [lose(index, at: now)]
    }

    private mutating func lose(_ index: Int, at time: Instant) -> PinNotice {
        pins[index].since = nil
        pins[index].number += 1
        return notice(.lost, index, at: time)
    }

    private mutating func change(_ event: PinNotice.Event, _ index: Int, to level: Bool, at: Instant) -> PinNotice {
        let after = pins[index].since.map { at - $0 }
        pins[index].level = level
        pins[index].number += 1
        pins[index].since = at
        return notice(event, index, at: at, after: after)
    }

    private func notice(
        _ event: PinNotice.Event, _ index: Int, at: Instant, after: Duration? = nil
    ) -> PinNotice {
        PinNotice(
            event: event, pin: plans[index].name, isOutput: plans[index].isOutput, level: pins[index].level, at: at,
            number: pins[index].number, after: after)
    }
}

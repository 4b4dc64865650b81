// SPDX-License-Identifier: Apache-2.0

import JSON
import VirtualPins

/// The pins of a program over HTTP: GET returns a pin's level, and PUT sets it. As labgrid's
/// `HttpDigitalOutputDriver` expects, the whole body is `1` or `0` in both directions.
struct WebPins {
    /// A request that has presented the token.
    struct Request: Equatable {
        var method: String
        /// The path after `WebPins.path`: a pin, or its edges.
        var place: String
        /// The query after the token.
        var query: String?
    }

    /// The outcome of a request.
    enum Outcome: Equatable {
        /// The body with the level.
        case level(String)
        /// The edges, as a JSON array.
        case edges(String)
        /// A line for the program that sets the pin.
        case line(String)
        /// Refused with an HTTP status, and words for the user.
        case refused(Int, String)
    }

    private struct Pin {
        var name: String
        /// The lines that set the pin; empty for a read-only pin.
        var lines: [Bool: String] = [:]
        var level = false
        /// The latest edges, with their numbers; nil for a pin that is not a line of this computer.
        var edges: [(number: Int, json: String)]?

        var methods: [String] { lines.isEmpty ? ["GET"] : ["GET", "PUT"] }
    }

    /// The prefix of a pin's path.
    static let path = "/v1/gpio/"
    /// The bodies of the two levels.
    static let bodies: [Bool: String] = [false: "0", true: "1"]
    /// The maximum number of edges kept of a pin: half an hour of a door that opens every 4 s.
    static let maximumEdges = 1000
    private static let edges = "/edges"

    private var pins: [Pin]

    /// The pins of an emulated reader's door: contact (1 is open), fire, lockdown, and lock (1 is released).
    static let door = WebPins(pins: [
        Pin(name: "contact", lines: [true: "door open", false: "door closed"]),
        Pin(name: "fire", lines: [true: "fire on", false: "fire off"]),
        Pin(name: "lockdown", lines: [true: "lockdown on", false: "lockdown off"]),
        Pin(name: "lock"),
    ])

    /// The pins of `readerlab pins`, empty until the program reports them.
    static let bench = WebPins(pins: [])

    /// Decides on a request.
    func outcome(of request: Request, body: [UInt8]) -> Outcome {
        guard !pins.isEmpty else { return .refused(503, "the program is starting") }
        let isForEdges = request.place.hasSuffix(WebPins.edges)
        let name = isForEdges ? String(request.place.dropLast(WebPins.edges.count)) : request.place
        guard let pin = pins.first(where: { $0.name == name }) else {
            return .refused(404, "there is no pin \(name); there are \(pins.map(\.name).joined(separator: ", "))")
        }
        if isForEdges { return WebPins.edges(of: pin, request) }
        guard pin.methods.contains(request.method) else {
            return .refused(405, "\(name) takes \(pin.methods.joined(separator: " and "))")
        }
        guard request.query == nil else { return .refused(400, "write ?token=… alone") }
        guard request.method == "PUT" else { return .level(WebPins.bodies[pin.level] ?? "") }
        guard let level = WebPins.bodies.first(where: { Array($0.value.utf8) == body })?.key,
            let line = pin.lines[level]
        else { return .refused(400, "write 1 or 0, and nothing else") }
        return .line(line)
    }

    private static func edges(of pin: Pin, _ request: Request) -> Outcome {
        guard let edges = pin.edges else { return .refused(404, "\(pin.name) is no line: it has no edges") }
        guard request.method == "GET" else { return .refused(405, "edges take GET") }
        let query = request.query ?? "after=0"
        guard query.hasPrefix("after="), let after = Int(query.dropFirst("after=".count)) else {
            return .refused(400, "write ?token=…&after=NUMBER, the number of an edge")
        }
        return .edges("[" + edges.filter { $0.number > after }.map(\.json).joined(separator: ",") + "]")
    }

    /// Applies a line that the program has carried out, from whichever client it came.
    mutating func done(_ line: String) {
        for index in pins.indices {
            for (level, setting) in pins[index].lines where setting == line { pins[index].level = level }
        }
    }

    /// Applies a report of the program: a reader's door, such as `door: unlocked for a grant`, or a line of
    /// `readerlab pins`.
    mutating func told(_ members: [String: JSONNode.Content], _ line: String) {
        if case .string(let text)? = members["text"], let lock = pins.firstIndex(where: { $0.name == "lock" }) {
            if text.hasPrefix("door: unlocked") { pins[lock].level = true }
            if text.hasPrefix("door: secured") { pins[lock].level = false }
        }
        guard let notice = PinNotice.Told(members) else { return }
        if let output = notice.isOutput {
            let lines = output ? [true: PinOrder.line(notice.pin, true), false: PinOrder.line(notice.pin, false)] : [:]
            pins.append(Pin(name: notice.pin, lines: lines, edges: []))
        }
        guard let index = pins.firstIndex(where: { $0.name == notice.pin }) else { return }
        pins[index].level = notice.level
        guard let number = notice.number else { return }
        pins[index].edges?.append((number, line))
        if let count = pins[index].edges?.count, count > WebPins.maximumEdges { pins[index].edges?.removeFirst() }
    }
}

// SPDX-License-Identifier: Apache-2.0

import JSON
import Reader
import System
import Timekeeping

/// The control socket's octets, cut into reads where the input says: the lines are those of the whole, each is a
/// request or is refused by a line that a client can read, and a request that comes twice is carried out once.
func fuzzControl(_ input: inout FuzzInput) {
    let limit = input.octet() & 1 == 0 ? ControlLimits.requestCount : Int(input.octet())
    let sizes = (0..<1 + input.number(below: 8)).map { _ in 1 + Int(input.octet()) }
    let octets = input.rest()
    var lines = LineBuffer(limit: limit)
    var found: [[UInt8]] = []
    var (start, turn) = (0, 0)
    while start < octets.count {
        let end = min(start + sizes[turn % sizes.count], octets.count)
        lines.append(octets[start..<end].span)
        while let line = lines.next() { found.append(line) }
        (start, turn) = (end, turn + 1)
    }
    let (expected, isTooLong) = wholeLines(octets, limit: limit)
    require(found == expected && lines.isTooLong == isTooLong, "in pieces, the lines are others than as a whole")
    var bench = RequestBench()
    for line in found { bench.receive(line) }
}

/// The lines of octets that come at once, and whether one is too long.
private func wholeLines(_ octets: [UInt8], limit: Int) -> (lines: [[UInt8]], isTooLong: Bool) {
    var lines: [[UInt8]] = []
    let parts = octets.split(separator: 0x0A, omittingEmptySubsequences: false)
    for part in parts.dropLast() {
        let line = part.last == 0x0D ? part.dropLast() : part
        guard line.count <= limit else { return (lines, true) }
        lines.append(Array(line))
    }
    // A carriage return may be its last octet.
    return (lines, parts[parts.count - 1].count > limit + 1)
}

extension ControlRequest {
    /// The name of the command in event records; nil for a query.
    fileprivate var command: String? {
        switch action {
        case .door(let order): order.command
        case .revocation(let order): order.command
        case .timed(let verb, _): verb.name
        case .status, .metrics, .quiet, .subscribe: nil
        }
    }
}

private struct RequestBench {
    private var memory = IdempotencyCache()
    private var carriedOut: [IdempotencyCache.Key: ControlRequest.Action] = [:]

    mutating func receive(_ line: [UInt8]) {
        tryJSON(line)
        do throws(ControlRequestError) {
            let request = try ControlRequest(line: line)
            require(isRead(request.line, as: request), "written and read, the request is another: \(request.line)")
            if let name = request.command {
                require(name.utf8.count <= 8 && !name.isEmpty, "an event record has no room for \(name)")
            }
            carryOut(request)
        } catch {
            require(!error.problem.isEmpty, "a fault without a word")
            let answer = ControlAnswer.refused(.badRequest, error.problem).line(id: error.id)
            guard let (ok, id) = members(of: answer) else { finding("nobody can read the answer \(answer)") }
            require(ok == .boolean(false) && id == error.id.map { .string($0) }, "the answer says otherwise: \(answer)")
        }
    }

    private mutating func carryOut(_ request: ControlRequest) {
        guard request.action.isChange, let id = request.id else { return }
        let key = IdempotencyCache.Key(user: 1000, id: id)
        let answer = ControlAnswer.refused(.inactive)
        switch memory.state(of: key, request.action, at: .origin) {
        case .new:
            require(carriedOut.updateValue(request.action, forKey: key) == nil, "\(id) is carried out twice")
            memory.answer(key, answer, at: .origin)
        case .answered(let former):
            require(former == answer && carriedOut[key] == request.action, "another answer to \(id)")
        case .other: require(carriedOut[key].map { $0 != request.action } ?? false, "\(id) was not used for another")
        case .underWay: finding("\(id) was answered")
        case .full: require(carriedOut.count >= IdempotencyCache.limit, "full with \(carriedOut.count)")
        }
    }

    private func isRead(_ line: String, as request: ControlRequest) -> Bool {
        do throws(ControlRequestError) { return try ControlRequest(line: Array(line.utf8)) == request } catch {
            return false
        }
    }

    /// The members `ok` and `id` of an answer; nil if it is not one line of JSON.
    private func members(of answer: String) -> (ok: JSONNode.Content?, id: JSONNode.Content?)? {
        guard !answer.utf8.contains(where: { $0 < 0x20 }) else { return nil }
        do throws(JSONFault) {
            guard case .object(let members) = try JSONParser.parse(Array(answer.utf8)).content else { return nil }
            func value(_ name: String) -> JSONNode.Content? { members.first { $0.name == name }?.value.content }
            return (value("ok"), value("id"))
        } catch {
            return nil
        }
    }
}

/// JSON is the same again when it is written and read; other text gives an error with its place.
private func tryJSON(_ octets: [UInt8]) {
    do throws(JSONFault) {
        let node = try JSONParser.parse(octets)
        require(depth(of: node) <= JSONParser.maximumDepth, "lists deeper than they may be")
        let written = text(of: node)
        do throws(JSONFault) {
            let again = text(of: try JSONParser.parse(Array(written.utf8)))
            require(again == written, "written and read, JSON is another: \(written)")
        } catch {
            finding("what was written is no JSON: \(error.problem)")
        }
    } catch {
        let lines = octets.count { $0 == 0x0A } + 1
        require(!error.problem.isEmpty && (1...lines).contains(error.line), "a fault in line \(error.line) of \(lines)")
    }
}

private func depth(of node: JSONNode) -> Int {
    switch node.content {
    case .array(let elements): 1 + (elements.map(depth).max() ?? 0)
    case .object(let members): 1 + (members.map { depth(of: $0.value) }.max() ?? 0)
    default: 0
    }
}

private func text(of node: JSONNode) -> String {
    switch node.content {
    case .null: return "null"
    case .boolean(let isTrue): return "\(isTrue)"
    case .number(let number): return number
    case .string(let string): return JSONObject.quoted(string)
    case .array(let elements): return "[" + elements.map(text).joined(separator: ",") + "]"
    case .object(let members):
        var object = JSONObject()
        for member in members { object.add(member.name, json: text(of: member.value)) }
        return object.text
    }
}

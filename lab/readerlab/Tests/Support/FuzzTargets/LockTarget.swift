// SPDX-License-Identifier: Apache-2.0

import JSON
import LockChannel

/// A line of the channel between the reader and its Matter lock, in either direction: a message or a fault with its
/// line. A message is the same when written and read again, and its line has the channel's length.
func fuzzLock(_ input: inout FuzzInput) {
    let isReport = input.octet() & 1 == 0
    let line = input.rest()
    do throws(JSONPlaceFault) {
        if isReport {
            let report = try LockReport(line: line)
            require(isRead(report.line, as: report), "written and read, the report is another: \(report.line)")
        } else {
            let request = try LockRequest(line: line)
            let again = String(decoding: request.line, as: UTF8.self)
            require(isRead(again, as: request), "written and read, the request is another: \(again)")
            guard case .order(let order) = request else { return }
            require(order.actor.utf8.count <= 32, "an actor without room in a record")
        }
    } catch {
        require(error.line >= 1, "a fault without a line")
    }
}

private func isRead(_ line: String, as report: LockReport) -> Bool {
    guard isLine(line) else { return false }
    do throws(JSONPlaceFault) { return try LockReport(line: Array(line.utf8)) == report } catch { return false }
}

private func isRead(_ line: String, as request: LockRequest) -> Bool {
    guard isLine(line) else { return false }
    do throws(JSONPlaceFault) { return try LockRequest(line: Array(line.utf8)) == request } catch { return false }
}

private func isLine(_ text: String) -> Bool {
    !text.utf8.contains(0x0A) && text.utf8.count <= LockChannelLimits.lineCount
}

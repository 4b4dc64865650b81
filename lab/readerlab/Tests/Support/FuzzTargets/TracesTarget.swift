// SPDX-License-Identifier: Apache-2.0

import GateTrial
import Reader

/// A file of signal strengths: a fault names a line of it, and what is read has its times in order and its levels in
/// range. A site is evaluated without a trap, and traces without distances are the same when written and read again.
func fuzzTraces(_ input: inout FuzzInput) {
    let octets = input.rest()
    do throws(TraceFault) {
        let traces = try RSSITrace.parse(octets, source: "x")
        for trace in traces {
            require(!trace.name.isEmpty && !trace.readings.isEmpty, "a take without a name or a packet")
            require(trace.readings.allSatisfy { (-126 ... -1).contains($0.dBm) }, "a level that no controller reads")
            require(
                zip(trace.readings, trace.readings.dropFirst()).allSatisfy { $0.at <= $1.at }, "times out of order")
        }
        _ = SiteSurvey(traces, GateTrial(), share: 0.95)
        // Octets that are no text may make two names one.
        guard octets.allSatisfy({ $0 < 0x80 }), traces.allSatisfy({ $0.readings.allSatisfy { $0.metres == nil } })
        else { return }
        require(isRead(RSSITrace.file(traces), as: traces), "written and read, the traces are others")
    } catch {
        let lines = octets.count { $0 == 0x0A } + 1
        require((1...lines).contains(error.line), "a fault in line \(error.line) of \(lines)")
    }
}

private func isRead(_ octets: [UInt8], as traces: [RSSITrace]) -> Bool {
    do throws(TraceFault) { return try RSSITrace.parse(octets, source: "x") == traces } catch { return false }
}

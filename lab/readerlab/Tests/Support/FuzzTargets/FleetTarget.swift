// SPDX-License-Identifier: Apache-2.0

import Fleet
import JSON

/// A message of the link to a fleet: a line of the channel in either direction, a batch at the collector, or a mark at
/// the link. A message is the same when written and read again; what is signed of a batch is all but its signature.
func fuzzFleet(_ input: inout FuzzInput) {
    let choice = input.octet()
    let octets = input.rest()
    do throws(JSONPlaceFault) {
        switch choice & 3 {
        case 0:
            let request = try LinkRequest(line: octets)
            let isSame = try LinkRequest(line: Array(request.line.utf8)) == request
            require(isSame, "written and read, the request is another: \(request.line)")
        case 1:
            let report = try LinkReport(line: octets)
            // A batch keeps its octets, whose spaces may make them no line of this channel.
            if case .batch = report { return }
            let isSame = try LinkReport(line: Array(report.line.utf8)) == report
            require(isSame, "written and read, the report is another: \(report.line)")
        case 2:
            let mark = try DeliveryMark(octets)
            let isSame = try DeliveryMark(Array(mark.text.utf8)) == mark
            require(isSame, "written and read, the mark is another: \(mark.text)")
        default: try check(try EventBatch.Signed(octets), octets)
        }
    } catch {
        require(error.line >= 1, "a fault without a line")
    }
}

private func check(_ signed: EventBatch.Signed, _ octets: [UInt8]) throws(JSONPlaceFault) {
    let batch = signed.batch
    let begin = batch.gap.map { $0.upperBound + 1 } ?? batch.first
    require(UInt64(batch.events.count) == batch.last + 1 - begin, "the events are not those that are covered")
    require(octets.count > signed.signature.count * 2, "the signature is longer than its message")
    // The domain, then the message up to the signature: nothing between is unsigned.
    let tail = ",\"signature\":\"".utf8.count + 2 * signed.signature.count + 2
    require(signed.signedOctets.dropFirst(17).elementsEqual(octets.dropLast(tail)), "octets are not signed")
    let text = EventBatch.text(batch.body, signature: signed.signature)
    let isSame = try EventBatch.Signed(Array(text.utf8)).batch == batch
    require(isSame, "written and read, the batch is another")
}

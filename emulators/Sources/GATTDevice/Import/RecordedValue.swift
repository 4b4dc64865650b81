// SPDX-License-Identifier: Apache-2.0

import Peripheral

/// The reads, writes and sent values of one attribute in a capture.
struct RecordedValue {
    /// A notification or an indication.
    struct Sent {
        /// The time in microseconds since the previous one on the link, or since the subscription.
        var after: Int64
        var octets: [UInt8]
        /// The write to the same attribute that it followed; nil if none is recent.
        var answering: [UInt8]?
    }

    /// The maximum number of values of each kind that are kept of an attribute.
    static let maximumCount = 256

    /// The successive values of reads. Equal ones in succession are kept once.
    private(set) var reads: [[UInt8]] = []
    /// True if the last read may be longer than shown: it fills a response and no further part was read.
    private(set) var isCut = false
    /// The sent values, oldest first.
    private(set) var sent: [Sent] = []
    /// The number of values that were not kept.
    private(set) var left = 0
    /// The error of a refused read that no later read made good.
    var refusedRead: ATTErrorCode?
    /// The error of a refused write that no later write made good.
    var refusedWrite: ATTErrorCode?
    /// The first refusal of a read or write that asked for another security of the link.
    var asksForSecurity = (reading: false, writing: false)
    /// The value of the last accepted write.
    private(set) var written: [UInt8]?

    mutating func read(_ octets: [UInt8], mayBeCut: Bool) {
        refusedRead = nil
        isCut = mayBeCut
        let octets = Array(octets.prefix(AttributeDatabase.maximumValueCount))
        // A client that reads what it has written shows no change by the device.
        guard octets != reads.last, octets != written else { return }
        keepRead(octets)
    }

    /// Appends a further part of a long read.
    mutating func readPart(_ octets: [UInt8], offset: Int, mayBeCut: Bool) {
        guard var whole = reads.last, whole.count == offset else { return }
        isCut = mayBeCut
        whole += octets
        reads[reads.count - 1] = Array(whole.prefix(AttributeDatabase.maximumValueCount))
        // A long read of an unchanged value: its first part alone was another value.
        if reads.count > 1, reads[reads.count - 2] == reads[reads.count - 1] { reads.removeLast() }
    }

    /// The end of a long read.
    mutating func readEnded() { isCut = false }

    mutating func wrote(_ octets: [UInt8]) {
        refusedWrite = nil
        written = octets
    }

    mutating func sent(_ value: Sent) {
        guard sent.count < RecordedValue.maximumCount else { return left += 1 }
        sent.append(value)
    }

    private mutating func keepRead(_ octets: [UInt8]) {
        guard reads.count < RecordedValue.maximumCount else { return left += 1 }
        reads.append(octets)
    }
}

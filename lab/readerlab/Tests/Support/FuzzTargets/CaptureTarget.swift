// SPDX-License-Identifier: Apache-2.0

import Peripheral

/// A file as a capture: every record is in the file, behind the one before, and is not longer than a packet.
func fuzzCapture(_ input: inout FuzzInput) {
    let file = input.rest()
    do throws(BTSnoopError) {
        var reader = try BTSnoopReader(file.span)
        var end = 16
        while let record = try reader.next(file.span) {
            require(record.packet.lowerBound == end + 24, "a record that does not follow the one before")
            require(!record.packet.isEmpty && record.packet.upperBound <= file.count, "a record beyond the file")
            require(record.packet.count <= record.originalCount, "more is kept of a packet than it had")
            end = record.packet.upperBound
        }
        require(end == file.count, "octets behind the last record are passed over")
    } catch {
        require(!error.description.isEmpty && !error.description.contains("\n"), "an error is not one line")
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A capture file being written, readable only by its owner (mode 0600): it contains all data on the air, and the keys
/// exchanged between host and controller.
///
/// Records are buffered until `flush`, which must be called when the host pauses; a killed process loses the records of
/// its last turn. Must be used on one thread.
public final class BTSnoopFile {
    /// The buffer size in octets at which records are written.
    static let gatheredCount = 64 * 1024

    private let file: CaptureFile

    /// Creates the file, or truncates an existing one.
    ///
    /// - Throws: `CaptureFileError`.
    public init(path: String) throws(CaptureFileError) {
        file = try CaptureFile(path: path, capacity: BTSnoopFile.gatheredCount)
        BTSnoop.appendFileHeader(to: &file.octets)
        try flush()
    }

    /// Appends a packet, with its type octet and the present wall-clock time. A failure is thrown by the next `flush`
    /// at the latest.
    public func record(_ packet: Span<UInt8>, _ direction: BTSnoop.Direction) throws(CaptureFileError) {
        guard file.isOpen else { return }
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let microseconds = Int64(now.tv_sec) &* 1_000_000 &+ Int64(now.tv_nsec) / 1000
        BTSnoop.appendRecord(packet, direction, microseconds: microseconds, to: &file.octets)
        if file.octets.count >= BTSnoopFile.gatheredCount { try flush() }
    }

    /// Writes the buffered records. After the first failure, no further records are accepted.
    public func flush() throws(CaptureFileError) { try file.flush() }
}

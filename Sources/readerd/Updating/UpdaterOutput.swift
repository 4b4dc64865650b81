// SPDX-License-Identifier: Apache-2.0

/// Splits a program's output into lines for the log, with limits for the length and the number of lines.
struct UpdaterOutput {
    /// The maximum length of a logged line in octets.
    static let lineLimit = 200
    /// The maximum number of logged lines of a run: enough for a verbose installer.
    static let runLimit = 1000

    private var octets: [UInt8] = []
    private var isCut = false
    private var lines = 0

    /// The number of lines omitted beyond `runLimit`.
    private(set) var omitted = 0

    /// Adds output, and calls `report` with each complete line, without its end.
    mutating func append(_ piece: some Sequence<UInt8>, report: (String) -> Void) {
        for octet in piece {
            switch octet {
            // A carriage return alone ends a line too, as in progress displays.
            case 0x0A, 0x0D: endLine(report)
            case _ where octets.count < UpdaterOutput.lineLimit: octets.append(octet)
            default: isCut = true
            }
        }
    }

    /// Ends the last line when the program has ended.
    mutating func finish(report: (String) -> Void) { endLine(report) }

    private mutating func endLine(_ report: (String) -> Void) {
        defer {
            octets.removeAll(keepingCapacity: true)
            isCut = false
        }
        guard !octets.isEmpty else { return }
        guard lines < UpdaterOutput.runLimit else { return omitted += 1 }
        lines += 1
        report(String(decoding: octets, as: UTF8.self) + (isCut ? " […]" : ""))
    }
}

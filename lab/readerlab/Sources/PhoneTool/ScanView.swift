// SPDX-License-Identifier: Apache-2.0

import Commands
import Emulation
import Glibc
import JSON
import Octets
package import Phone
import Timekeeping

/// Prints a scan: a strip for each reader that is redrawn, or a line for each reader and second.
package struct ScanView {
    package let json: Bool
    /// True if lines are overwritten.
    package let isLive: Bool
    /// The number of lines that the next ones replace.
    private var height = 0

    package init(json: Bool, isLive: Bool) {
        self.json = json
        self.isLive = isLive && !json
    }

    /// True if standard output is a terminal whose lines can be overwritten.
    package static var isLive: Bool {
        isatty(STDOUT_FILENO) == 1 && getenv("TERM").map { String(cString: $0) } != "dumb"
    }

    /// The number of ticks between two lines of a reader in a pipe.
    private static let ticksPerLine = 4

    private var ticks = 0

    /// Prints a notice.
    package mutating func show(_ notice: ScanNotice, _ scan: ReaderScan) {
        for line in lines(notice, scan) { ConsoleOutput.write(line, to: STDOUT_FILENO, isStyled: isLive) }
    }

    /// The lines for a notice.
    package mutating func lines(_ notice: ScanNotice, _ scan: ReaderScan) -> [String] {
        guard case .tick = notice else { return [] }
        ticks += 1
        if isLive { return strips(scan) }
        // The first line of a reader is printed at once, without a wait of a second.
        let isDue = ticks % ScanView.ticksPerLine == 0
        return scan.rows.filter { $0.strip.count == 1 || isDue && $0.silentTicks < ScanView.ticksPerLine }
            .map { json ? object($0, scan.elapsed) : ScanView.line($0, scan.elapsed) }
    }

    private mutating func strips(_ scan: ReaderScan) -> [String] {
        let head = "\(scan.elapsed.wholeMilliseconds / 1000) s, \(scan.rows.count) heard; Ctrl-C ends it"
        let lines = ([head] + scan.rows.map { ScanView.strip($0) }).map { $0 + "\u{1B}[K" }
        // Moves to the first of the previous lines; any that remain below the new ones are cleared.
        let up = height > 0 ? "\u{1B}[\(height)A" : ""
        height = lines.count
        return [up + lines.joined(separator: "\n") + "\u{1B}[J"]
    }

    /// `wa0y1YwS  on-touch       C0:11:22:33:44:55   -48 dBm  ▁▂▄▆`.
    static func strip(_ row: ScanRow) -> String {
        let level = row.sighting.rssi.map { "\($0) dBm" } ?? "? dBm"
        return front(row) + VisitText.right(level, 8) + "  " + row.strip.map(block).joined()
    }

    private static func line(_ row: ScanRow, _ elapsed: Duration) -> String {
        let level = row.strip.last.flatMap { $0 } ?? row.sighting.rssi
        let time = VisitText.right("\(elapsed.wholeMilliseconds)", 7) + " ms  "
        return time + front(row) + VisitText.right(level.map { "\($0) dBm" } ?? "? dBm", 8)
            + (row.sighting.isFactory == true ? "  demo keys" : "")
    }

    private static func front(_ row: ScanRow) -> String {
        TextColumn.padded(row.sighting.name?.printable ?? "?", 9, gap: 1) + " "
            + TextColumn.padded(row.sighting.mode?.rawValue ?? "-", 15, gap: 1) + "\(row.sighting.address) "
    }

    private func object(_ row: ScanRow, _ elapsed: Duration) -> String {
        var object: JSONObject = ["event": "sighting", "at-ms": elapsed.wholeMilliseconds]
        object.add(contentsOf: VisitJSON.sighting(row.sighting))
        object.add("packets", row.packets)
        return object.text
    }

    /// The strength of a tick as a block of eight heights, -100 dBm to -30 dBm; a space without a reception.
    package static func block(_ level: Int8?) -> String {
        guard let level else { return " " }
        let blocks = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
        return blocks[min(max((Int(level) + 100) * blocks.count / 70, 0), blocks.count - 1)]
    }
}

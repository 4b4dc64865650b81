// SPDX-License-Identifier: Apache-2.0

import GateTrial
import Logging
import Peripheral
import Reader
import Timekeeping

/// `--rssi-trace`: records the RSSI of links in a file for `readerlab gate`. After an error or at the maximum size the
/// recording ends with one warning, and the reader continues.
///
/// A take is one link, by its number of this run. Of a phone the file has nothing else, and of the time of day nothing.
final class SignalTrace {
    /// The maximum size of the file in octets, which a disk of a reader can spare: about 2.5 million readings, a day of
    /// one link after another.
    static let maximumCount = 64 << 20
    /// The buffer in octets: half a minute of three links at the usual pace.
    private static let gatheredCount = 64 * 1024
    /// The maximum length of a row in octets, with room.
    private static let rowCount = 64

    private struct Take {
        var link: LinkID
        var name: String
        var condition: String
        var start: Instant
    }

    private var file: CaptureFile?
    private let maximumCount: Int
    private let log: Logger
    /// The links that are up, at most as many as the host has.
    private var takes: [Take] = []

    /// Creates the file.
    ///
    /// - Throws: An error that ends the program, since the trace was requested.
    init(path: String, maximumCount: Int = SignalTrace.maximumCount, log: Logger) throws(ReaderdError) {
        self.maximumCount = maximumCount
        self.log = log
        do throws(CaptureFileError) {
            let file = try CaptureFile(path: path, capacity: SignalTrace.gatheredCount + SignalTrace.rowCount)
            RSSITrace.appendHeader(to: &file.octets)
            try file.flush()
            self.file = file
        } catch {
            throw .failed("--rssi-trace: \(error)")
        }
    }

    /// Records the reading of a notice, at `now`. Names are made once per link, so that a reading allocates nothing.
    func receive(_ notice: ReaderNotice, at now: Instant) {
        guard file != nil else { return }
        switch notice {
        case .connected(let link, let mode, _):
            takes.append(
                Take(link: link, name: "\(link.generation)", condition: mode?.rawValue ?? "unknown", start: now))
        case .measured(let link, let dBm, _), .traced(let link, let dBm): record(link, dBm, at: now)
        case .disconnected(let link, _): takes.removeAll { $0.link == link }
        default: break
        }
    }

    private func record(_ link: LinkID, _ dBm: Int8, at now: Instant) {
        guard let file, let take = takes.first(where: { $0.link == link }) else { return }
        guard file.writtenCount + file.octets.count <= maximumCount - SignalTrace.rowCount else {
            flush()
            self.file = nil
            return log.warning("RSSI trace ended: \(maximumCount) octets are the most; start again to go on")
        }
        RSSITrace.appendRow(
            name: take.name, milliseconds: UInt32(clamping: (now - take.start).wholeMilliseconds),
            condition: take.condition, dBm: dBm, to: &file.octets)
        if file.octets.count >= SignalTrace.gatheredCount { flush() }
    }

    /// Writes the readings since the last call, if no link is up: then no phone waits.
    func pause() { if takes.isEmpty { flush() } }

    /// Writes the readings since the last call.
    func flush() {
        do throws(CaptureFileError) { try file?.flush() } catch {
            file = nil
            log.warning("RSSI trace ended: \(error)")
        }
    }
}

/// `--rssi-trace` among the services.
final class ReaderTrace: ReaderService {
    unowned let process: ReaderProcess
    private let trace: SignalTrace

    init(_ process: ReaderProcess, _ trace: SignalTrace) { (self.process, self.trace) = (process, trace) }

    func receive(_ notice: ReaderNotice) { trace.receive(notice, at: moment.instant) }

    func report() { trace.pause() }

    func release() { trace.flush() }
}

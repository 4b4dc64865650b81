// SPDX-License-Identifier: Apache-2.0

import Glibc
import OSDP
import PanelLine
import System

/// A panel's file on its way to the platform's updater. On the reactor's thread; the disk is the writer's.
final class PanelUpdate {
    /// The octets that are collected for one write, and the maximum that waits for the disk: a panel that does not heed
    /// the delay is refused.
    private static let pieceCount = 16 << 10
    private static let waitingLimit = 4 * pieceCount
    /// The delay that a panel is asked for while the disk is behind, and while the updater is awaited or runs.
    private static let diskDelay: UInt16 = 200
    private static let updaterDelay: UInt16 = 1000

    /// The way of a file.
    private enum State {
        case idle
        /// `count` octets are with the writer, which still has to write `unwritten` of them.
        case receiving(total: Int, count: Int, unwritten: Int)
        /// The whole file waits until a restart disturbs no one.
        case whole
        /// The updater runs. Nothing else is taken until it has ended, whether the panel waits for it or not.
        case updating
    }

    /// A change to report.
    enum Change {
        /// The file is whole: its SHA-256.
        case whole([UInt8])
        /// The file could not be kept, with the reason.
        case unkept(String)
    }

    /// The result of the writer's thread, which this one reads after its end.
    private final class Digest: Sendable {
        nonisolated(unsafe) var octets: [UInt8] = []
    }

    private let file: OSDPIncomingFile
    private let writer: FileWriter
    private var state = State.idle
    private var collected: [UInt8] = []
    /// The number of the transfer, which a late answer of the disk is compared with.
    private var number = 0
    /// Called with each change.
    var onChange: (Change) -> Void = { _ in }
    /// Called with the result of a transfer.
    var onEnd: (OSDPFileStatus.Result) -> Void = { _ in }

    /// Removes the incomplete file of an earlier run.
    init(_ file: OSDPIncomingFile, _ writer: FileWriter) {
        self.file = file
        self.writer = writer
        file.removeIncomplete()
    }

    /// The absolute path of the whole file that waits for the updater; nil for none.
    var waitingPath: String? {
        guard case .whole = state, let path = realpath(file.path, nil) else { return nil }
        defer { free(path) }
        return String(cString: path)
    }

    /// True while the updater has the file, which cannot be dropped then.
    var isHandedOver: Bool { if case .updating = state { true } else { false } }

    /// The delay that the panel is asked for, in milliseconds.
    var delay: UInt16 {
        switch state {
        case .idle: 0
        case .receiving(_, _, let unwritten): unwritten > PanelUpdate.pieceCount ? PanelUpdate.diskDelay : 0
        case .whole, .updating: PanelUpdate.updaterDelay
        }
    }

    /// Receives the next part of a file.
    func receive(_ part: OSDPFileFragment) {
        if part.offset == 0 {
            if case .updating = state { return onEnd(.unable) }
            begin(total: Int(part.total))
        }
        guard case .receiving(let total, let count, let unwritten) = state else { return }
        collected += part.data
        let isLast = count + collected.count == total
        guard isLast || collected.count >= PanelUpdate.pieceCount else { return }
        guard unwritten + collected.count <= PanelUpdate.waitingLimit else { return fail("the disk is too slow") }
        write(isLast: isLast)
    }

    /// Drops the file, unless the updater has it.
    func abort() {
        if case .updating = state { return }
        state = .idle
        number += 1
        collected = []
        let file = file
        writer.perform({ () throws(DurableFile.Failure) in file.removeIncomplete() }) { _ in }
    }

    /// The updater has the file.
    func begun() { state = .updating }

    /// The updater has ended.
    func ended(isDone: Bool) {
        guard case .updating = state else { return }
        state = .idle
        onEnd(isDone ? .processed : .unable)
    }

    private func begin(total: Int) {
        number += 1
        collected = []
        state = .receiving(total: total, count: 0, unwritten: 0)
    }

    private func fail(_ reason: String) {
        abort()
        onChange(.unkept(reason))
        onEnd(.unable)
    }

    private func write(isLast: Bool) {
        guard case .receiving(let total, let count, let unwritten) = state else { return }
        let (octets, file, number) = (collected, file, number)
        collected = []
        state = .receiving(total: total, count: count + octets.count, unwritten: unwritten + octets.count)
        let digest = Digest()
        writer.perform(
            { () throws(DurableFile.Failure) in
                try file.append(octets, at: count)
                if isLast { digest.octets = try file.finish(count: total) }
            },
            done: { [weak self] fault in
                guard let self, number == self.number else { return }
                if let fault { return fail(fault) }
                written(octets.count, isLast ? digest.octets : nil)
            })
    }

    private func written(_ written: Int, _ digest: [UInt8]?) {
        guard case .receiving(let total, let count, let unwritten) = state else { return }
        state = .receiving(total: total, count: count, unwritten: unwritten - written)
        guard let digest else { return }
        state = .whole
        onChange(.whole(digest))
    }
}

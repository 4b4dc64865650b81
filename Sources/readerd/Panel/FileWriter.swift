// SPDX-License-Identifier: Apache-2.0

import System

/// Writes files for a loop that never waits for a disk: one after the other, on a thread that lives as long as the
/// work. To be used on the reactor's thread.
final class FileWriter {
    /// Work on a file; its result is the fault, nil for none, on the reactor's thread.
    private struct Work {
        var write: @Sendable () throws(DurableFile.Failure) -> Void
        var done: (String?) -> Void
    }

    private let reactor: Reactor
    private var waiting: [Work] = []
    private var isWriting = false

    init(_ reactor: Reactor) { self.reactor = reactor }

    /// Carries out `write` after all before it, then `done` with the fault, never within this call.
    func perform(
        _ write: @escaping @Sendable () throws(DurableFile.Failure) -> Void, done: @escaping (String?) -> Void
    ) {
        waiting.append(Work(write: write, done: done))
        if !isWriting { next() }
    }

    private func next() {
        guard !waiting.isEmpty else { return }
        isWriting = true
        let work = waiting.removeFirst()
        let (reactor, write) = (reactor, work.write)
        nonisolated(unsafe) let (writer, done) = (self, work.done)
        let isStarted = DetachedThread.start {
            var fault: String?
            do throws(DurableFile.Failure) { try write() } catch {
                fault = "\(error.path): \(SystemError(call: error.step.rawValue, code: error.errno))"
            }
            let result = fault
            reactor.perform { writer.ended(result, done) }
        }
        guard !isStarted else { return }
        reactor.perform { writer.ended("no thread is left", done) }
    }

    private func ended(_ fault: String?, _ done: (String?) -> Void) {
        isWriting = false
        done(fault)
        next()
    }
}

// SPDX-License-Identifier: Apache-2.0

import Console
import CLinux
package import Commands
import Glibc
import OSDP
import PanelLine
import System
import Timekeeping

/// The program around an observer: reads octets of a line or a file, and prints lines.
package final class OSDPSniffProgram {
    /// The source of the octets.
    package enum Source {
        /// A serial device, at a speed in bit/s.
        case line(path: String, speed: UInt32)
        /// A file; `-` for standard input.
        case file(path: String)
    }

    /// The contents of a file.
    private enum Format {
        case octets
        case capture(OSDPCapture)
    }

    /// The extension of a capture's name.
    private static let captureName = ".osdpcap"

    private let source: Source
    private var observer: OSDPObserver
    private var view: OSDPObservationView
    /// The number of frames so far.
    private var frames = 0

    /// - Parameter keyPaths: the files of devices' keys.
    package init(_ source: Source, keyPaths: [String], json: Bool) throws(CommandError) {
        self.source = source
        var keys: [OSDPKey] = []
        for path in keyPaths {
            guard let key = try OSDPKeyFile(path: path).loadForUse() else {
                throw .misuse("\(path): no such file; name a key of 32 digits")
            }
            keys.append(key)
        }
        observer = OSDPObserver(keys: keys)
        view = OSDPObservationView(json: json)
    }

    /// Runs until the octets end, or a signal.
    package func run() throws(CommandError) {
        switch source {
        case .line(let path, let speed): try listen(path, speed: speed)
        case .file(let path): try read(path)
        }
    }

    private func receive(_ octets: [UInt8], at time: Duration?) {
        observer.receive(octets.span) { show($0, at: time) }
    }

    private func finish(at time: Duration?) { observer.finish { show($0, at: time) } }

    private func show(_ observation: OSDPObservation, at time: Duration?) {
        if observation.frame != nil { frames += 1 }
        ConsoleOutput.write(view.line(observation, at: time), to: STDOUT_FILENO)
    }

    // MARK: - File

    private func read(_ path: String) throws(CommandError) {
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path, errno) }
        defer { if descriptor != STDIN_FILENO { close(descriptor) } }
        var part = [UInt8](repeating: 0, count: 4096)
        var format: Format? = path.hasSuffix(OSDPSniffProgram.captureName) ? .capture(OSDPCapture()) : nil
        var total = 0
        while true {
            let count = Glibc.read(descriptor, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(path, errno) }
            guard count > 0 else { break }
            total += count
            let octets = part[..<count]
            let present = format ?? (OSDPCapture.begins(octets) ? .capture(OSDPCapture()) : .octets)
            format = try explain(octets, present, path)
        }
        if case .capture(var capture) = format {
            try report(path) { (body) throws(OSDPCapture.Fault) in try capture.finish(body) }
        }
        finish(at: lastRecord)
        guard frames > 0 else {
            throw .misuse(
                "\(path): no OSDP frame in \(total) octets; give octets of the line as they are, or a capture "
                    + "(\(OSDPSniffProgram.captureName))")
        }
    }

    private func explain(
        _ octets: ArraySlice<UInt8>, _ format: Format, _ path: String
    ) throws(CommandError) -> Format {
        switch format {
        case .octets:
            receive(Array(octets), at: nil)
            return format
        case .capture(var capture):
            try report(path) { (body) throws(OSDPCapture.Fault) in try capture.receive(octets, body) }
            return .capture(capture)
        }
    }

    /// The time of the capture's first record. `lastRecord` is the last record's time since the first.
    private var firstRecord: Instant?
    private var lastRecord: Duration?

    private func report(
        _ path: String, _ read: ((OSDPCapture.Record) -> Void) throws(OSDPCapture.Fault) -> Void
    ) throws(CommandError) {
        do throws(OSDPCapture.Fault) {
            try read { record in
                if firstRecord == nil { firstRecord = record.time }
                let time = firstRecord.flatMap { first in record.time.map { $0 - first } }
                if let time, let lastRecord, time - lastRecord > OSDPDevice.characterPause { finish(at: lastRecord) }
                lastRecord = time
                receive(record.octets, at: time)
            }
        } catch {
            finish(at: lastRecord)
            throw .misuse("\(path):\(error.line): \(error.problem)")
        }
    }

    private func failure(_ path: String, _ code: CInt) -> CommandError {
        CommandError.misuse(
            "\(path): cannot read it: \(String(cString: strerror(code))); name a file of octets or a capture, or -")
    }

    // MARK: - Line

    private func listen(_ path: String, speed: UInt32) throws(CommandError) {
        let port = try OSDPPort(path)
        defer { port.close() }
        var failure: CommandError?
        do throws(SystemError) {
            try Reactor.blockSignals(Reactor.endingSignals)
            let reactor = try Reactor()
            try reactor.onSignal(Reactor.endingSignals) { _ in reactor.stop() }
            let begin = reactor.now
            var pause: Timer?
            do throws(CommandError) {
                try port.open(speed, on: reactor) { [weak self] in
                    guard let self, let stream = port.stream else { return }
                    var octets: [UInt8] = []
                    guard stream.read({ span in octets = span.indices.map { span[$0] } }) else {
                        failure = CommandError.failed("\(path): the line is lost")
                        return reactor.stop()
                    }
                    receive(octets, at: reactor.now - begin)
                    // After a pause an incomplete frame is noise.
                    pause?.cancel()
                    pause = reactor.schedule(at: reactor.now + OSDPDevice.characterPause) {
                        self.finish(at: reactor.now - begin)
                    }
                }
            } catch { failure = error }
            if failure == nil { try reactor.run() }
        } catch { throw .failed("\(path): \(error)") }
        if let failure { throw failure }
    }
}

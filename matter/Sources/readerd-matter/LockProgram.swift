// SPDX-License-Identifier: Apache-2.0

import Glibc
import Journal
import JSON
import Logging
import System

/// The program: its commands, and the exit status of each.
enum LockProgram {
    typealias Failure = ProgramFailure

    /// Performs the command of these arguments.
    static func perform(_ arguments: [String]) -> Int32 {
        do throws(Failure) {
            switch try LockOptions(arguments) {
            case .help: print(LockOptions.helpText)
            case .initialise(let options): try initialise(options)
            case .reset(let options): try reset(options)
            case .run(let options): try run(options)
            }
            return 0
        } catch {
            StandardStream.write("readerd-matter: \(error)\n", to: STDERR_FILENO)
            return error.exitCode
        }
    }

    private static func print(_ text: String) { StandardStream.write(text + "\n", to: STDOUT_FILENO) }

    // MARK: - Commands

    private static func initialise(_ options: LockOptions.Initialise) throws(Failure) {
        let files = LockFiles(directory: options.state)
        let codes = try LockLabel.make(options, files)
        if options.isJSON {
            return print((["qr": codes.qr, "manual": codes.manual] as JSONObject).text)
        }
        print("QR code      \(codes.qr)")
        print("manual code  \(codes.manual)")
        print("Print them for the owner: they are not kept, and cannot be shown again.")
    }

    private static func reset(_ options: LockOptions.Reset) throws(Failure) {
        guard options.isConfirmed else {
            throw .usage("reset removes all fabrics from the lock; say so with --yes")
        }
        try LockFiles(directory: options.state).removeState()
        let outcome: ReaderReset.Outcome
        do throws(SystemError) { outcome = try ReaderReset.perform(options.reader) } catch {
            outcome = .failed("\(error)")
        }
        switch outcome {
        case .ended: print("The fabrics are removed, and the reader has ended its Aliro keys.")
        case .nothing: print("The fabrics are removed. The reader has no Aliro of Matter.")
        case .failed(let reason):
            throw .failed(
                "the fabrics are removed, but the reader at \(options.reader) may still open by their Aliro keys: "
                    + "\(reason); run reset again with the reader up, or start readerd-matter once")
        }
    }

    private static func run(_ options: LockOptions.Run) throws(Failure) {
        let log = StandardErrorLog.logger(LogThreshold(options.logLevel), label: "readerd-matter")
        let files = LockFiles(directory: options.state)
        let device = try files.device()
        let process: LockProcess
        do throws(SystemError) {
            let reactor = try Reactor.ofProgram()
            reactor.longestWait = LockProcess.longestWait
            process = LockProcess(options, device, files, reactor, log)
            try reactor.onSignal(Reactor.endingSignals) { _ in reactor.stop() }
            process.start()
            try reactor.run()
        } catch {
            throw .failed("\(error)")
        }
        process.end()
        if let failure = process.failure { throw .failed(failure) }
    }
}

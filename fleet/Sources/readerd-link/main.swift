// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Journal
import Logging
import System

/// Performs the command of these arguments.
func perform(_ arguments: [String]) -> Int32 {
    do throws(ProgramFailure) {
        switch try LinkOptions(arguments) {
        case .help: StandardStream.write(LinkOptions.helpText + "\n", to: STDOUT_FILENO)
        case .run(let options): try run(options)
        case .enrol(let files): try files.make()
        }
        return 0
    } catch {
        StandardStream.write("readerd-link: \(error)\n", to: STDERR_FILENO)
        return error.exitCode
    }
}

/// Runs the link until a signal ends it.
func run(_ options: LinkOptions.Run) throws(ProgramFailure) {
    let log = StandardErrorLog.logger(LogThreshold(options.logLevel), label: "readerd-link")
    do throws(SystemError) {
        let reactor = try Reactor.ofProgram()
        let process = LinkProcess(options, reactor, log)
        try reactor.onSignal(Reactor.endingSignals) { _ in reactor.stop() }
        process.start()
        reactor.releaseFilePages()
        try reactor.run()
        process.end()
    } catch {
        throw .failed("\(error)")
    }
}

// Protect the memory before any key is read: keys must not appear in core dumps, or to a debugger of the same user.
if case let code = readerd_close_memory(), code < 0 {
    StandardStream.write(
        "readerd-link: cannot protect its memory: \(String(cString: strerror(-code)))\n", to: STDERR_FILENO)
    exit(1)
}
exit(perform(Array(CommandLine.arguments.dropFirst())))

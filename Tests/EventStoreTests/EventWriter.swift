// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

/// The program that writes a store until it is killed, and tells what was acknowledged.
enum EventWriter {
    private static func products() throws -> String {
        // As SwiftPM runs them: …/readerdPackageTests.xctest, as an argument or as the program.
        let arguments = CommandLine.arguments
        let bundle =
            arguments.firstIndex(of: "--test-bundle-path").flatMap { arguments.dropFirst($0 + 1).first }
            ?? arguments[0]
        let parts = bundle.split(separator: "/", omittingEmptySubsequences: false)
        let index = try #require(parts.firstIndex { $0 == "readerdPackageTests.xctest" }, "\(bundle)")
        return parts[..<index].joined(separator: "/")
    }

    /// Starts the writer; its process and the end of the pipe that it tells on.
    static func start(_ arguments: [String]) throws -> (process: pid_t, pipe: Int32) {
        let program = try products() + "/event-writer"
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        // A writer that another test starts just now must not hold this one's pipe open.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
        defer {
            posix_spawn_file_actions_destroy(&actions)
            for word in words { free(word) }
            close(ends[1])
        }
        var process: pid_t = 0
        try #require(posix_spawn(&process, program, &actions, nil, &words, environ) == 0, "\(program)")
        return (process, ends[0])
    }

    /// Reads numbers until there are so many, or the writer has ended.
    static func read(_ pipe: Int32, _ numbers: inout [UInt64], atMost limit: Int = .max) {
        var number: UInt64 = 0
        while numbers.count < limit, Glibc.read(pipe, &number, 8) == 8 { numbers.append(UInt64(littleEndian: number)) }
    }

    static func wait(_ process: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status
    }

    /// Runs it to its end: its status, and how many acknowledgements it told.
    static func run(_ arguments: [String]) throws -> (code: Int32, numbers: Int) {
        let (process, pipe) = try start(arguments)
        defer { close(pipe) }
        var told: [UInt64] = []
        read(pipe, &told)
        return (wait(process) >> 8, told.count)
    }
}

// SPDX-License-Identifier: Apache-2.0

package import Commands
package import Glibc

/// A program in another process, with pipes as its standard input and output.
package struct ChildProgram {
    package let process: pid_t
    /// Its standard input, to write.
    package let input: CInt
    /// Its standard output, to read.
    package let output: CInt

    /// This executable, as a program.
    package static let own = "/proc/self/exe"

    /// Starts it, with default handling of all signals. It shares standard error and the terminal's signals.
    ///
    /// - Parameter program: its path, or a name that is looked for in PATH.
    package static func start(_ program: String, _ arguments: [String]) throws(CommandError) -> ChildProgram {
        let input = try pipe()
        let output = try pipe()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input.read, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output.write, STDOUT_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var strings = ([program == own ? CommandLine.arguments[0] : program] + arguments).map { strdup($0) } + [nil]
        defer { for string in strings { free(string) } }
        var process = pid_t()
        let code = posix_spawnp(&process, program, &actions, &attributes, &strings, environ)
        close(input.read)
        close(output.write)
        guard code == 0 else {
            close(input.write)
            close(output.read)
            throw failure(code, program)
        }
        return ChildProgram(process: process, input: input.write, output: output.read)
    }

    /// Asks it to end.
    package func end() { kill(process, SIGTERM) }

    /// Waits for its end; its exit code, and that of shells for a signal.
    package func wait() -> Int32 {
        var status: CInt = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + (status & 0x7F)
    }

    /// Both ends, closed in a program that is started.
    private static func pipe() throws(CommandError) -> (read: CInt, write: CInt) {
        var ends: [CInt] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { throw failure(errno, "a program") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private static func failure(_ code: CInt, _ program: String) -> CommandError {
        CommandError.failed("cannot start \(program): \(String(cString: strerror(code)))")
    }
}

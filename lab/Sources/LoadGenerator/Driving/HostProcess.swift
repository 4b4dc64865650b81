// SPDX-License-Identifier: Apache-2.0

public import Glibc

/// The process group of a host, or of a broker; terminated on deinitialization.
public struct HostProcess: ~Copyable {
    /// The time to terminate after SIGTERM, in tenths of a second.
    private static let farewell = 20

    /// The number of its first process.
    public let process: Int32
    private var ending: CInt?

    /// Starts a program without input. Its output goes to `output`: standard output is for the report.
    public init(
        _ arguments: [String], environment: [(name: String, value: String)] = [], output: CInt = STDERR_FILENO
    ) throws(LoadFault) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, output, 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Signals that this process holds back are not held back in a host.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))
        posix_spawnattr_setpgroup(&attributes, 0)

        var strings = arguments.map { strdup($0) } + [nil]
        var variables = HostProcess.variables(environment).map { strdup($0) } + [nil]
        defer { for string in strings + variables { free(string) } }
        var process = pid_t()
        let code = posix_spawnp(&process, arguments[0], &actions, &attributes, &strings, &variables)
        guard code == 0 else { throw .cannotStart(arguments[0], why: SystemText.of(code)) }
        self.process = process
    }

    deinit {
        guard ending == nil else { return }
        kill(-process, SIGTERM)
        var status: CInt = 0
        for _ in 0..<HostProcess.farewell {
            if waitpid(process, &status, WNOHANG) != 0 { return }
            usleep(100_000)
        }
        kill(-process, SIGKILL)
        waitpid(process, &status, 0)
    }

    /// A description of how the process has ended; nil while it runs.
    public mutating func ended() -> String? {
        var status: CInt = 0
        if ending == nil, waitpid(process, &status, WNOHANG) == process { ending = status }
        guard let ending else { return nil }
        return ending & 0x7F == 0 ? "exit status \(ending >> 8 & 0xFF)" : "signal \(ending & 0x7F)"
    }

    /// Ends all of it without a farewell, and waits for that.
    public mutating func crash() {
        guard ending == nil else { return }
        kill(-process, SIGKILL)
        var status: CInt = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        ending = status
    }

    /// This process's environment, with the given variables replaced or added.
    private static func variables(_ added: [(name: String, value: String)]) -> [String] {
        var result: [String] = []
        var next = environ
        while let variable = next.pointee {
            let text = String(cString: variable)
            if !added.contains(where: { text.hasPrefix($0.name + "=") }) { result.append(text) }
            next += 1
        }
        return result + added.map { "\($0.name)=\($0.value)" }
    }
}

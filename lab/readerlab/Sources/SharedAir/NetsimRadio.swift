// SPDX-License-Identifier: Apache-2.0

package import Commands
import Console
import Glibc
import System

/// The program `readerlab-netsim`, which serves the Android Emulator at reserved places of this air: PacketStreamer is
/// gRPC, which this program does not contain.
package final class NetsimRadio {
    private static let program = "readerlab-netsim"
    /// The longest path of a directory for the sockets' directory, in octets: a socket's path has 107 at most.
    private static let maximumParent = 70

    private let plan: NetsimPlan
    private let path: String
    private let sockets: SocketDirectory
    /// The directory of the places' sockets.
    package var directory: String { sockets.path }
    private var child: ChildProgram?
    private var output: OctetStream?
    private var lines = CommandLines()

    /// Looks for the program, and makes the directory.
    package init(_ plan: NetsimPlan) throws(CommandError) {
        self.plan = plan
        path = try NetsimRadio.found()
        let wanted = getenv("TMPDIR").map { String(cString: $0) } ?? ""
        let parent = (1...NetsimRadio.maximumParent).contains(wanted.utf8.count) ? wanted : "/tmp"
        sockets = try SocketDirectory(in: parent)
    }

    deinit { close() }

    /// The program next to this one, else in PATH.
    private static func found() throws(CommandError) -> String {
        var own = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = max(readlink(ChildProgram.own, &own, Int(PATH_MAX)), 0)
        let executable = String(decoding: own.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        var directories = path.split(separator: ":").map(String.init)
        if let slash = executable.lastIndex(of: "/") { directories.insert(String(executable[..<slash]), at: 0) }
        for directory in directories where access("\(directory)/\(program)", X_OK) == 0 {
            return "\(directory)/\(program)"
        }
        throw .failed(
            "--netsim needs the program \(program), next to readerlab or in PATH; build it by "
                + "script/build --product \(program)")
    }

    /// Starts the program. `receive` is called with its lines, `ended` with its failure if it ends by itself.
    func open(
        on reactor: Reactor, receive: @escaping (NetsimLine) -> Void, ended: @escaping (CommandError) -> Void
    ) throws(CommandError) {
        let places = plan.names.flatMap { ["--place", "\($0)=\(directory)/\($0)"] }
        let child = try ChildProgram.start(
            path, places + ["--listen", plan.listen, "--instance", "\(plan.instance)"])
        self.child = child
        _ = fcntl(child.output, F_SETFL, O_NONBLOCK)
        let output = OctetStream(child.output, isSocket: false)
        self.output = output
        do throws(SystemError) {
            try output.watch(on: reactor) { [weak self] in self?.read(receive, ended) }
        } catch { throw .failed("\(NetsimRadio.program): \(error)") }
    }

    private func read(_ receive: (NetsimLine) -> Void, _ ended: (CommandError) -> Void) {
        guard let output else { return }
        var complete: [String] = []
        let isOpen = output.read { octets in
            octets.withUnsafeBufferPointer { complete = lines.append(Array($0)[...]) }
        }
        for line in complete.compactMap(NetsimLine.init) { receive(line) }
        guard !isOpen, let code = end() else { return }
        ended(.failed("\(NetsimRadio.program) has ended with \(code); see its line above"))
    }

    /// Ends the program, and removes the directory.
    func close() {
        child?.end()
        _ = end()
        sockets.remove()
    }

    /// Waits for the end of the program. Returns its exit code, or nil if it does not run.
    private func end() -> Int32? {
        output?.stop()
        output = nil
        guard let child else { return nil }
        self.child = nil
        Glibc.close(child.input)
        return child.wait()
    }
}

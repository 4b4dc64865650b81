// SPDX-License-Identifier: Apache-2.0

import Commands
import Glibc
import NIOCore
import NIOPosix
import PacketStreamer
import Peripheral

/// `netsim.ini`, by which clients find the port. netsim and the emulator look in TMPDIR first, Bumble in
/// XDG_RUNTIME_DIR: the file is in both where they differ.
struct DiscoveryFiles {
    /// The time within which a live owner of a file accepts a connection on this machine.
    private static let answerTime = TimeAmount.seconds(2)

    let paths: [String]

    init(instance: UInt16) throws(CommandError) {
        let own: String
        do throws(TransportFault) { own = try NetsimPlace(instance: instance).file } catch { throw .failed("\(error)") }
        var paths = [own]
        if let directory = getenv("XDG_RUNTIME_DIR").map({ String(cString: $0) }), !directory.isEmpty,
            let slash = own.lastIndex(of: "/")
        {
            let other = (directory.hasSuffix("/") ? String(directory.dropLast()) : directory) + own[slash...]
            if other != own { paths.append(other) }
        }
        self.paths = paths
    }

    /// Refuses to replace the file of a netsim that runs. After its end, the file is replaced.
    func refuseLiveOwner(on loop: any EventLoop) throws(CommandError) {
        for path in paths {
            guard let text = DiscoveryFiles.contents(path), let port = DiscoveryText.port(in: text) else { continue }
            let probe = ClientBootstrap(group: loop).connectTimeout(DiscoveryFiles.answerTime)
                .connect(host: "127.0.0.1", port: port)
            guard let channel = try? probe.wait() else { continue }
            try? channel.close().wait()
            throw .failed(
                "\(path) is of a netsim that answers at port \(port); end it, or take another instance")
        }
    }

    func write(port: Int) throws(CommandError) {
        for path in paths {
            try CommandError.replace(
                path, with: Array(DiscoveryText.text(port: port).utf8),
                remedy: "set TMPDIR, or XDG_RUNTIME_DIR, to a directory that exists")
        }
    }

    /// Removes the files that still name this port.
    func remove(port: Int) {
        for path in paths where DiscoveryFiles.contents(path) == DiscoveryText.text(port: port) { unlink(path) }
    }

    private static func contents(_ path: String) -> String? {
        // Without waiting for a writer, should the path be a pipe.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var octets = [UInt8](repeating: 0, count: DiscoveryText.maximumCount)
        let count = read(descriptor, &octets, octets.count)
        return count > 0 ? String(decoding: octets.prefix(count), as: UTF8.self) : nil
    }
}

// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// The listening socket for a host, in a new directory or on a free port, both released on deinitialization.
struct HostListener: ~Copyable {
    /// The transport name for the host, in the syntax of `--hci`.
    let transport: String
    private let folder: String
    let isTCP: Bool
    private let descriptor: CInt
    private let path: String?

    init(_ listening: LoadPlan.Listening) throws(LoadFault) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array((parent + "/readerlab-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw HostListener.fault() }
        let folder = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
        do {
            switch listening {
            case .unix:
                let path = folder + "/hci"
                descriptor = try HostListener.listen(unix: path)
                transport = "unix:" + path
                self.path = path
            case .tcp:
                let (descriptor, port) = try HostListener.listenTCP()
                self.descriptor = descriptor
                transport = "tcp-client:127.0.0.1:\(port)"
                path = nil
            }
        } catch {
            rmdir(folder)
            throw error
        }
        isTCP = listening == .tcp
        self.folder = folder
    }

    deinit {
        readerd_close(descriptor)
        if let path { unlink(path) }
        unlink(counterPath)
        unlink(linePath)
        rmdir(folder)
    }

    /// The path of the Unix socket.
    var hostPath: String { folder + "/hci" }

    /// The path of the file for allocation counts.
    var counterPath: String { folder + "/allocations" }

    /// The path of the file for the edges of the line.
    var linePath: String { folder + "/lines" }

    /// Waits for the host. Returns its process id, which is unknown with TCP.
    func accept(
        _ process: inout HostProcess, seconds: Int
    ) throws(LoadFault) -> (descriptor: CInt, process: pid_t?) {
        for _ in 0..<seconds * 10 {
            var probe = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            if poll(&probe, 1, 100) > 0 {
                let connection = Glibc.accept(descriptor, nil, nil)
                guard connection >= 0 else { throw HostListener.fault() }
                return (connection, isTCP ? nil : HostListener.peer(connection))
            }
            if let how = process.ended() { throw .hostEnded(how) }
        }
        throw .neverConnected(seconds: seconds)
    }

    /// The process id of the peer: the first of three numbers in `struct ucred`.
    private static func peer(_ connection: CInt) -> pid_t? {
        var credentials: (pid_t, uid_t, gid_t) = (0, 0, 0)
        var count = socklen_t(MemoryLayout.size(ofValue: credentials))
        guard getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &credentials, &count) == 0 else { return nil }
        return credentials.0
    }

    private static func listen(unix path: String) throws(LoadFault) -> CInt {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(path.utf8)
        guard name.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw .cannotListen(why: "the path \(path) is too long")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        return try listen(address, AF_UNIX)
    }

    private static func listenTCP() throws(LoadFault) -> (CInt, UInt16) {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let descriptor = try listen(address, AF_INET)
        var count = socklen_t(MemoryLayout<sockaddr_in>.size)
        let answer = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &count) }
        }
        guard answer == 0 else { throw fault() }
        return (descriptor, address.sin_port.byteSwapped)
    }

    private static func listen<Address: BitwiseCopyable>(
        _ address: Address, _ family: CInt
    ) throws(LoadFault) -> CInt {
        let descriptor = socket(family, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw fault() }
        let answer = withUnsafePointer(to: address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
        guard answer == 0, Glibc.listen(descriptor, 1) == 0 else {
            let fault = fault()
            readerd_close(descriptor)
            throw fault
        }
        return descriptor
    }

    private static func fault() -> LoadFault { .cannotListen(why: SystemText.of(errno)) }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization
import TestSupport
import Testing

/// A wpa_supplicant at a real socket, with no radio behind it: it answers, and knows no network.
final class FakeSupplicant: Sendable {
    let path: String
    private let status: String
    private let descriptor: CInt
    private let asked = Mutex<[String]>([])

    /// - Parameter status: the lines of its answer to `STATUS`.
    init(_ path: String, status: String = "wpa_state=DISCONNECTED\naddress=02:00:00:00:01:00\n") throws {
        self.path = path
        self.status = status
        descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8).prefix($0.count - 1)) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(result == 0)
        startThread { self.serve() }
    }

    deinit { close(descriptor) }

    /// Its answer to a command.
    private func answer(_ command: String) -> String {
        switch command {
        case "GET_CAPABILITY key_mgmt": "NONE WPA-PSK SAE"
        case "GET_CAPABILITY freq": "Mode[G] Channels:\n 6 = 2437 MHz\n"
        case "LIST_NETWORKS": "network id / ssid / bssid / flags\n"
        case "STATUS": status
        case "SIGNAL_POLL": "FAIL\n"
        default: "OK\n"
        }
    }

    /// Waits for so many commands, and returns them; each is answered as it comes.
    func commands(_ count: Int) -> [String] {
        #expect(eventually { asked.withLock { $0.count } >= count })
        return asked.withLock { Array($0.prefix(count)) }
    }

    private func serve() {
        while true {
            var octets = [UInt8](repeating: 0, count: 512)
            var from = sockaddr_un()
            var length = socklen_t(MemoryLayout<sockaddr_un>.size)
            let received = withUnsafeMutablePointer(to: &from) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    recvfrom(descriptor, &octets, octets.count, 0, $0, &length)
                }
            }
            guard received > 0 else { return }
            let command = String(decoding: octets.prefix(received), as: UTF8.self)
            asked.withLock { $0.append(command) }
            let answer = Array(answer(command).utf8)
            _ = withUnsafePointer(to: &from) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    sendto(descriptor, answer, answer.count, 0, $0, length)
                }
            }
        }
    }

    /// Ends, as a supplicant that is killed.
    func end() {
        shutdown(descriptor, CInt(SHUT_RDWR))
        unlink(path)
    }
}

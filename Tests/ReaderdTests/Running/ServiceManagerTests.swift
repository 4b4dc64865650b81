// SPDX-License-Identifier: Apache-2.0

import TestSupport
import CLinux
import Glibc
import Synchronization
import Testing
import Timekeeping

@testable import readerd

/// sd_notify(3), against a real datagram socket.
@Suite struct ServiceManagerTests {
    /// Stands for systemd: a datagram socket that is read without waiting.
    private final class Manager: Sendable {
        let descriptor: Int32
        init(_ name: String, isAbstract: Bool) throws {
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let octets = (isAbstract ? [0] : []) + Array(name.utf8)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: octets) }
            let length = MemoryLayout<sockaddr_un>.size - 108 + octets.count + (isAbstract ? 0 : 1)
            let bound = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(length)) }
            }
            try #require(bound == 0)
        }

        deinit { close(descriptor) }

        func next() -> String? {
            var octets = [UInt8](repeating: 0, count: 4096)
            let count = recv(descriptor, &octets, octets.count, 0)
            return count < 0 ? nil : String(decoding: octets[..<count], as: UTF8.self)
        }
    }

    /// The messages that a thread has received so far.
    private final class Messages: Sendable {
        private let messages = Mutex<[String]>([])
        func add(_ message: String) { messages.withLock { $0.append(message) } }
        var all: [String] { messages.withLock { $0 } }
        var hasEnd: Bool { all.last?.hasPrefix("STOPPING=1\n") == true }
    }

    private func environment(_ values: [String: String]) -> (String) -> String? { { values[$0] } }

    @Test(arguments: [false, true]) func everyMessage(isAbstract: Bool) throws {
        let directory = try TemporaryDirectory()
        let name = isAbstract ? "readerd-test-\(getpid())" : directory.path + "/notify"
        let manager = try Manager(name, isAbstract: isAbstract)
        let service = try #require(
            try ServiceManager(environment: environment(["NOTIFY_SOCKET": (isAbstract ? "@" : "") + name])))
        service.ready(status: "serving\nWATCHDOG=trigger")
        #expect(manager.next() == "READY=1\nSTATUS=serving WATCHDOG=trigger")
        service.status("two")
        #expect(manager.next() == "STATUS=two")
        service.reloading(at: Instant(nanoseconds: 12_345_678_999))
        #expect(manager.next() == "RELOADING=1\nMONOTONIC_USEC=12345678")
        service.watchdog()
        #expect(manager.next() == "WATCHDOG=1")
        service.stopping()
        #expect(manager.next() == "STOPPING=1\nSTATUS=closing links, securing the door")
        #expect(manager.next() == nil)
        #expect(service.watchdogInterval == nil)
    }

    @Test func whoDoesNotReadHoldsNobodyUp() throws {
        let directory = try TemporaryDirectory()
        let manager = try Manager(directory.path + "/n", isAbstract: false)
        let service = try #require(
            try ServiceManager(environment: environment(["NOTIFY_SOCKET": directory.path + "/n"])))
        for _ in 0..<5000 { service.watchdog() }
        // What must be heard waits for room, in its order; beats do not.
        for number in 0..<20 { service.status("\(number)") }
        var heard: [String] = []
        while let message = manager.next() { heard.append(message) }
        #expect(!heard.isEmpty && heard.allSatisfy { $0 == "WATCHDOG=1" })
        service.watchdog()
        heard = []
        while let message = manager.next() { heard.append(message) }
        #expect(heard == (0..<8).map { "STATUS=\($0)" } + ["WATCHDOG=1"])
    }

    @Test func theEnvironmentDecides() throws {
        #expect(try ServiceManager(environment: environment([:])) == nil)
        #expect(try ServiceManager(environment: environment(["NOTIFY_SOCKET": ""])) == nil)
        #expect(throws: ReaderdError.self) {
            try ServiceManager(environment: environment(["NOTIFY_SOCKET": "vsock:2:1"]))
        }
        #expect(throws: ReaderdError.self) {
            try ServiceManager(environment: environment(["NOTIFY_SOCKET": "/nowhere/notify"]))
        }
        let directory = try TemporaryDirectory()
        let manager = try Manager(directory.path + "/n", isAbstract: false)
        let cases: [([String: String], Duration?)] = [
            (["WATCHDOG_USEC": "30000000"], .seconds(10)),
            (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "\(getpid())"], .seconds(10)),
            (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"], nil), (["WATCHDOG_USEC": "x"], nil),
            (["WATCHDOG_USEC": "0"], nil), ([:], nil),
        ]
        for (values, interval) in cases {
            let all = values.merging(["NOTIFY_SOCKET": directory.path + "/n"]) { $1 }
            #expect(try ServiceManager(environment: environment(all))?.watchdogInterval == interval)
        }
        withExtendedLifetime(manager) {}
    }

    /// The process says that it is ready, feeds the watchdog from its loop, and says that it ends.
    @Test func theProcessTellsHowItIs() throws {
        let directory = try TemporaryDirectory()
        let manager = try Manager(directory.path + "/n", isAbstract: false)
        let service = try ServiceManager(
            environment: environment(["NOTIFY_SOCKET": directory.path + "/n", "WATCHDOG_USEC": "600000"]))
        let rig = try ProcessRig(service: service)
        let heard = Messages()
        // The kernel keeps few messages (net.unix.max_dgram_qlen): they are taken as they come.
        startThread {
            while !heard.hasEnd, becomes(manager.descriptor, POLLIN) {
                if let message = manager.next() { heard.add(message) }
            }
        }
        try rig.run { _, rig in
            // Ready, fed at the start, and fed again by the loop.
            #expect(eventually { heard.all.count { $0 == "WATCHDOG=1" } >= 3 })
            rig.onLoop { rig.process.reload() }
        }
        #expect(eventually { heard.hasEnd })
        let others = heard.all.filter { $0 != "WATCHDOG=1" }
        #expect(heard.all.first == "READY=1\nSTATUS=waiting for unix:x")
        #expect(others.dropFirst().first?.hasPrefix("RELOADING=1\nMONOTONIC_USEC=") == true)
        #expect(others.dropFirst(2).first == "READY=1\nSTATUS=waiting for unix:x")
    }

    /// A door that was not advanced starves the watchdog.
    @Test func progressIsTheDoors() {
        let now = Instant.origin + .seconds(100)
        #expect(Progress.isSound(due: nil, at: now))
        #expect(Progress.isSound(due: now + .seconds(60), at: now))
        #expect(Progress.isSound(due: Instant.origin + .seconds(99), at: now))
        #expect(!Progress.isSound(due: Instant.origin + .milliseconds(98_999), at: now))
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Testing

@testable import Peripheral

/// The Android Emulator's netsim: its HCI port, its file, and the faults without them.
@Suite struct NetsimPlaceTests {
    private static func unset(_: String) -> String? { nil }

    @Test func portsCountFromTheFirst() throws {
        #expect(try NetsimPlace(instance: 1, environment: Self.unset).port == 6402)
        #expect(try NetsimPlace(instance: 2, environment: Self.unset).port == 6403)
        #expect(try NetsimPlace(instance: 59134, environment: Self.unset).port == 65535)
        let place = try NetsimPlace(instance: 2) { $0 == "NETSIM_HCI_PORT" ? "7402" : nil }
        #expect(place.port == 7402)
        #expect(try NetsimPlace(instance: 2) { $0 == "NETSIM_HCI_PORT" ? "" : nil }.port == 6403)
    }

    @Test(arguments: ["0", "65536", "x", "-1", "127.0.0.1:6402", " 6402"])
    func aPortThatIsNone(text: String) {
        #expect(throws: TransportFault.netsimPort(text)) {
            try NetsimPlace(instance: 1) { $0 == "NETSIM_HCI_PORT" ? text : nil }
        }
    }

    @Test(
        arguments: [
            ([:], 1, "/tmp/netsim.ini"), ([:], 2, "/tmp/netsim_2.ini"),
            (["XDG_RUNTIME_DIR": "/run/user/1000"], 1, "/run/user/1000/netsim.ini"),
            (["XDG_RUNTIME_DIR": "/run/user/1000", "TMPDIR": "/var/tmp/"], 3, "/var/tmp/netsim_3.ini"),
            (["XDG_RUNTIME_DIR": "/run/user/1000", "TMPDIR": ""], 1, "/run/user/1000/netsim.ini"),
        ] as [([String: String], UInt16, String)])
    func theFile(environment: [String: String], instance: UInt16, file: String) throws {
        #expect(try NetsimPlace(instance: instance) { environment[$0] }.file == file)
    }

    /// The remedy depends on the file's contents.
    @Test(
        arguments: [
            (nil, nil), ("", nil), ("web.port=7681\n", nil), ("grpc.port=\n", nil), ("grpc.port=8\u{1B}[1m\n", nil),
            ("grpc.port=8554\nweb.port=7681\n", "8554"),
            ("web.port=7681\r\ngrpc.port=127.0.0.1:8554\r\n", "127.0.0.1:8554"),
        ] as [(String?, String?)])
    func absence(contents: String?, gRPC: String?) throws {
        let directory = try TemporaryDirectory()
        let file = directory.path + "/netsim.ini"
        if let contents { try directory.write("netsim.ini", contents) }
        let place = try NetsimPlace(instance: 1) { $0 == "TMPDIR" ? directory.path : nil }
        let expected: TransportFault =
            gRPC.map { .netsimWithoutHCI(port: 6402, file: file, gRPC: $0) } ?? .noNetsim(port: 6402, file: file)
        #expect(place.absence() == expected)
        #expect(place.absence().isAbsence)
    }

    /// A pipe at the file's path is not waited for.
    @Test func aPipeIsNoFile() throws {
        let directory = try TemporaryDirectory()
        try #require(mkfifo(directory.path + "/netsim.ini", 0o600) == 0)
        let place = try NetsimPlace(instance: 1) { $0 == "TMPDIR" ? directory.path : nil }
        #expect(place.absence() == .noNetsim(port: 6402, file: directory.path + "/netsim.ini"))
    }

    @Test func theFaultsInOneLine() {
        let name = TransportName.netsim(instance: 1)
        #expect(
            "\(TransportError(transport: name, fault: .noNetsim(port: 6402, file: "/tmp/netsim.ini")))"
                == "netsim: no netsim: /tmp/netsim.ini is not there, and port 6402 is closed; start the Android Emulator "
                + "with -netsim-args=\"--hci-port 6402\"")
        let fault = TransportFault.netsimWithoutHCI(port: 6403, file: "/tmp/netsim_2.ini", gRPC: "8554")
        #expect(
            "\(TransportError(transport: .netsim(instance: 2), fault: fault))"
                == "netsim:2: port 6403 is closed, though /tmp/netsim_2.ini names a netsim (gRPC 8554); start the Android "
                + "Emulator with -netsim-args=\"--hci-port 6403\", set NETSIM_HCI_PORT to its port, or remove a stale file"
        )
        #expect(
            "\(TransportFault.netsimPort("x"))"
                == "NETSIM_HCI_PORT=\"x\" is not a port; set it to a number from 1 to 65535, or not at all")
    }
}

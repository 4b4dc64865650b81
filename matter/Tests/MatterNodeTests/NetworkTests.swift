// SPDX-License-Identifier: Apache-2.0

import TestSupport
import MatterInteraction
import MatterCredentials
import Crypto
import MatterTLV
import Testing
import Timekeeping
import WiFi
import WiFiTestSupport

@testable import MatterNode
@testable import MatterSession
@testable import MatterTestSupport

/// Network Commissioning (Core 11.9).
struct NetworkTests {
    private static let ssid = "h\"6c61626e6574\""
    private static let network = WiFiNetwork(
        name: "labnet", address: WiFiAddress(2, 0, 0, 0, 0, 1), band: .band2GHz, channel: 6, security: .wpa2PSK,
        rssi: -40)

    private func commissioner(_ rig: inout NodeRig, upTo step: CommissioningStep = .credentials) throws -> Commissioner
    {
        var commissioner = try Commissioner(peer: .ble(link: 1))
        try commissioner.commission(&rig, upTo: step)
        return commissioner
    }

    private func wifi() throws -> NodeRig {
        try NodeRig(.test(network: .wifi(address: [2, 0, 0, 0, 0, 9])))
    }

    @Test
    func joining() throws {
        var rig = try wifi()
        var commissioner = try commissioner(&rig)
        try commissioner.expect("{0=0 2=0}", &rig, 0x31, 2, "{0=\(Self.ssid) 1=\(quoted(Array("password".utf8))) 2=4}")
        #expect(rig.advertisement.operational.isEmpty, "not on the network yet")
        var controller = try #require(commissioner.controller)
        #expect(try controller.invoke(&rig, 0x31, 6, "{0=\(Self.ssid) 1=5}") == nil)
        #expect(rig.requests == ["scan"])
        rig.input { $0.receive(.found(Self.network), at: $1) }
        rig.input { $0.receive(.scanEnded(complete: true), at: $1) }
        #expect(rig.joins.map(\.security) == [.wpa2PSK])
        rig.input { $0.receive(.joined(Self.network, IPv4Address(10, 0, 0, 7)), at: $1) }
        #expect(try controller.laterOutcome(&rig) == "{0=0 2=null}")
        commissioner.controller = controller
        #expect(rig.advertisement.operational.count == 1)
        #expect(
            try controller.readAll(&rig, "<2=0 3=49 4=5> <2=0 3=49 4=6> <2=0 3=49 4=7> <2=0 3=48 4=0>").map(\.value)
                == ["0", Self.ssid, "null", "5"])
        try commissioner.perform(.session, &rig)
        try commissioner.perform(.complete, &rig)
        try rig.cutPower()
        #expect(rig.requests.last == "join")
        #expect(rig.joins.last?.name == "labnet")
    }

    /// WiFiSecurityBitmap (Matter 1.4, 11.9.5.1): a network of WPA2 and WPA3 has both bits. A scan for a name probes
    /// for it, as does a join; a network that is not found is joined with any security that has a passphrase.
    @Test
    func transitionAndHiddenNetworks() throws {
        var rig = try wifi()
        var commissioner = try commissioner(&rig)
        var controller = try #require(commissioner.controller)
        #expect(try controller.invoke(&rig, 0x31, 0, "{0=\(Self.ssid)}") == nil)
        var network = Self.network
        network.security = .wpa2WPA3PSK
        rig.input { $0.receive(.found(network), at: $1) }
        rig.input { $0.receive(.scanEnded(complete: true), at: $1) }
        let scanned = try controller.laterOutcome(&rig)
        #expect(scanned?.contains("{0=24 1=\(Self.ssid)") == true, "\(scanned ?? "nothing")")
        commissioner.controller = controller
        try commissioner.expect("{0=0 2=0}", &rig, 0x31, 2, "{0=\(Self.ssid) 1=\(quoted(Array("password".utf8)))}")
        controller = try #require(commissioner.controller)
        #expect(try controller.invoke(&rig, 0x31, 6, "{0=\(Self.ssid)}") == nil)
        rig.input { $0.receive(.scanEnded(complete: true), at: $1) }
        #expect(rig.probed == ["labnet", "labnet"] && rig.joins.map(\.security) == [.personal])
    }

    /// matter-extra, 4: every failure has its code and a signed error value; then the roll-back takes the network.
    @Test(
        arguments: [
            (.authentication, 7), (.networkNotFound, 5), (.address, 10), (.timeout, 9), (.other, 9),
        ] as [(WiFiJoinFailure, Int)])
    func failures(failure: WiFiJoinFailure, status: Int) throws {
        var rig = try wifi()
        var commissioner = try commissioner(&rig)
        try commissioner.expect("{0=0 2=0}", &rig, 0x31, 2, "{0=\(Self.ssid) 1=\(quoted(Array("password".utf8)))}")
        var controller = try #require(commissioner.controller)
        #expect(try controller.invoke(&rig, 0x31, 6, "{0=\(Self.ssid)}") == nil)
        rig.input { $0.receive(.scanEnded(complete: true), at: $1) }
        rig.input { $0.receive(.joinFailed(failure), at: $1) }
        #expect(try controller.laterOutcome(&rig) == "{0=\(status) 2=\(status)}")
        #expect(rig.notices.contains(.networkJoined(Array("labnet".utf8), status: UInt8(status))))
        rig.advance(by: .seconds(60))
        #expect(rig.node.model.state.network == nil)
        rig.advance(by: MatterNode.linkClosingTime)
        #expect(rig.requests.contains("disconnect \(TransportPeer.ble(link: 1))"))
        #expect(rig.requests.contains("leave"))
        #expect(rig.advertisement.commissionable != nil)
    }

    @Test
    func unsupportedSecurity() throws {
        var rig = try wifi()
        var commissioner = try commissioner(&rig)
        try commissioner.expect("{0=0 2=0}", &rig, 0x31, 2, "{0=\(Self.ssid) 1=h\"\"}")
        var controller = try #require(commissioner.controller)
        #expect(try controller.invoke(&rig, 0x31, 6, "{0=\(Self.ssid)}") == nil)
        rig.input { $0.receive(.found(Self.network), at: $1) }
        rig.input { $0.receive(.scanEnded(complete: true), at: $1) }
        #expect(try controller.laterOutcome(&rig) == "{0=8 2=8}")
    }

    @Test
    func aStationThatDoesNotAnswer() throws {
        var rig = try wifi()
        var commissioner = try commissioner(&rig)
        try commissioner.expect("{0=0 2=0}", &rig, 0x31, 2, "{0=\(Self.ssid) 1=\(quoted(Array("password".utf8)))}")
        var controller = try #require(commissioner.controller)
        #expect(try controller.invoke(&rig, 0x31, 6, "{0=\(Self.ssid)}") == nil)
        #expect(try controller.invoke(&rig, 0x31, 6, "{0=\(Self.ssid)}") == "status 156", "busy")
        rig.advance(by: .seconds(20))
        #expect(try controller.laterOutcome(&rig) == "{0=9 2=9}")
    }

    @Test
    func storedNetworks() throws {
        var rig = try wifi()
        var commissioner = try commissioner(&rig, upTo: .passcode)
        let password = quoted(Array("password".utf8))
        try commissioner.expect("{0=1}", &rig, 0x31, 2, "{0=h\"\" 1=\(password)}")
        try commissioner.expect(
            "{0=1}", &rig, 0x31, 2, "{0=\(quoted([UInt8](repeating: 65, count: 33))) 1=\(password)}")
        try commissioner.expect("{0=1}", &rig, 0x31, 2, "{0=\(Self.ssid) 1=h\"00\"}")
        try commissioner.expect("{0=3 2=3}", &rig, 0x31, 6, "{0=h\"41\"}")
        try commissioner.expect("{0=0 2=0}", &rig, 0x31, 2, "{0=\(Self.ssid) 1=\(password)}")
        try commissioner.expect("{0=2}", &rig, 0x31, 2, "{0=h\"41\" 1=\(password)}")
        try commissioner.expect("{0=3}", &rig, 0x31, 8, "{0=h\"41\" 1=0}")
        try commissioner.expect("{0=1}", &rig, 0x31, 8, "{0=\(Self.ssid) 1=1}")
        try commissioner.expect("{0=0 2=0}", &rig, 0x31, 8, "{0=\(Self.ssid) 1=0}")
        var controller = try #require(commissioner.controller)
        #expect(try controller.read(&rig, 0x31, 1) == "[{0=\(Self.ssid) 1=false}]")
        try commissioner.expect("{0=3}", &rig, 0x31, 4, "{0=h\"41\"}")
        try commissioner.expect("{0=0 2=0}", &rig, 0x31, 4, "{0=\(Self.ssid)}")
        #expect(rig.node.model.state.network == nil)
    }

    @Test(arguments: ["0=null ", "0=h\"\" ", ""])
    func scanning(ssid: String) throws {
        var rig = try wifi()
        var commissioner = try commissioner(&rig, upTo: .passcode)
        var controller = try #require(commissioner.controller)
        #expect(try controller.invoke(&rig, 0x31, 0, "{\(ssid)1=6}") == nil)
        for index in 0..<20 {
            var network = Self.network
            network.rssi = Int8(-40 - index)
            rig.input { $0.receive(.found(network), at: $1) }
        }
        rig.input { $0.receive(.scanEnded(complete: true), at: $1) }
        let answer = try #require(try controller.laterOutcome(&rig))
        #expect(answer.hasPrefix("{0=0 2=[{0=8 1=\(Self.ssid) 2=h\"020000000001\" 3=6 4=0 5=-40} {"))
        #expect(answer.split(separator: "0=8").count == 13, "the strongest twelve")
        commissioner.controller = controller
    }

    @Test
    func thread() throws {
        var rig = try NodeRig(.test(network: .thread(address: [0, 0, 0, 0, 0, 0, 0, 1])))
        var commissioner = try commissioner(&rig)
        let dataset = "h\"0e080000000000010000000300000f02081111111122222222\""
        try commissioner.expect("{0=1}", &rig, 0x31, 3, "{0=h\"0e08000000\"}")
        try commissioner.expect("{0=1}", &rig, 0x31, 3, "{0=h\"000300000f\"}")
        try commissioner.expect("{0=0 2=0}", &rig, 0x31, 3, "{0=\(dataset)}")
        try commissioner.expect("{0=0 2=null}", &rig, 0x31, 6, "{0=h\"1111111122222222\"}")
        try commissioner.perform(.session, &rig)
        try commissioner.perform(.complete, &rig)
        try rig.cutPower()
        #expect(rig.node.model.state.network?.id == octets("11 11 11 11 22 22 22 22"))
    }

    @Test
    func ethernet() throws {
        var (rig, controller) = try NodeRig.commissioned(.test())
        #expect(try controller.read(&rig, 0x31, 1) == "[{0=h\"65746830\" 1=true}]")
        #expect(try controller.read(&rig, 0x31, 0xFFFC) == "4")
        #expect(try controller.invoke(&rig, 0x31, 0) == "status 129")
    }

    /// Changes need the fail-safe.
    @Test
    func failSafeRequired() throws {
        var rig = try wifi()
        var commissioner = try Commissioner()
        try commissioner.commission(&rig)
        for (command, fields) in [
            (2, "{0=h\"41\" 1=h\"\"}"), (4, "{0=h\"41\"}"), (6, "{0=h\"41\"}"), (8, "{0=h\"41\" 1=0}"),
        ] as [(UInt32, String)] {
            try commissioner.expect("status 202", &rig, 0x31, command, fields)
        }
    }

    /// The loss of the connection, and the return to it.
    @Test
    func lostConnection() throws {
        var rig = try wifi()
        var commissioner = try commissioner(&rig)
        try commissioner.expect("{0=0 2=0}", &rig, 0x31, 2, "{0=\(Self.ssid) 1=\(quoted(Array("password".utf8)))}")
        rig.input { $0.receive(.joined(Self.network, IPv4Address(10, 0, 0, 7)), at: $1) }
        try commissioner.perform(.session, &rig)
        try commissioner.perform(.complete, &rig)
        rig.input { $0.receive(.lost, at: $1) }
        #expect(rig.advertisement.operational.isEmpty)
        rig.advance(by: .seconds(10))
        #expect(rig.requests.last == "join")
    }
}

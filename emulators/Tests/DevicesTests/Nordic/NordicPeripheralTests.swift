// SPDX-License-Identifier: Apache-2.0

import AirRig
import Peripheral
import Phone
import Protobuf
import Devices
import NordicProvisioning
import WiFi
import WiFiStation
import TestSupport
import Testing
import Timekeeping
import VirtualRadio
import WiFiTestSupport

/// The device on a host: the order of responses, and the handling of values without room.
@Suite struct NordicPeripheralTests {
    private static func control(_ rig: NordicPeripheralRig) -> String {
        NordicPeripheralRig.handle(rig.device.service.controlPoint)
    }

    private static func data(_ rig: NordicPeripheralRig) -> String {
        NordicPeripheralRig.handle(rig.device.service.dataOut)
    }

    private static func failures(_ rig: NordicPeripheralRig) -> [NordicSendFailure] {
        rig.notices.compactMap { if case .notSent(_, let failure) = $0 { failure } else { nil } }
    }

    @Test(arguments: NordicProfile.allCases)
    func theAnswerGoesBeforeTheWriteResponse(profile: NordicProfile) throws {
        let rig = try NordicPeripheralRig(profile)
        let phone = try rig.connected()
        try rig.prepare(phone)
        let answer = profile == .exact ? "080110005200" : "0801100052020800"
        #expect(try rig.write("0801", phone) == ["1d" + Self.control(rig) + answer, "13"])
        #expect(try rig.send("1e", phone) == [])
        #expect(rig.notices.contains(.confirmed(rig.links[0])))
    }

    @Test func theVersionIsReadAndTold() throws {
        let rig = try NordicPeripheralRig(.exact)
        let phone = try rig.connected()
        let handle = NordicPeripheralRig.handle(rig.device.service.information)
        #expect(try rig.send("0a" + handle, phone) == ["0b0802"])
        #expect(rig.notices.contains(.informationRead(rig.links[0])))
    }

    @Test func aJoinFromTheFirstWriteToWhatIsStored() throws {
        let rig = try NordicPeripheralRig(.gateway)
        let phone = try rig.connected()
        try rig.prepare(phone)
        let came = try rig.write(NordicRig.configure, phone, wait: .seconds(1))
        let values = ["1001", "1002", "1003", "1004"].map { "1b" + Self.data(rig) + $0 }
        #expect(
            came == ["1d" + Self.control(rig) + "08041000", "1b" + Self.data(rig) + "1001", "13"] + values.dropFirst())
        #expect(rig.stored.map { $0.networks.map(\.name) } == [["MyWiFi"]])
    }

    /// Of three requests without a confirmation the firmware answers one; the gateway answers all, one after the other.
    @Test(arguments: NordicProfile.allCases)
    func aRequestBeforeTheConfirmation(profile: NordicProfile) throws {
        let rig = try NordicPeripheralRig(profile)
        let phone = try rig.connected()
        try rig.prepare(phone)
        #expect(try rig.write("0803", phone) == ["1d" + Self.control(rig) + "08031000", "13"])
        #expect(try rig.write("0801", phone) == ["13"])
        #expect(try rig.write("0806", phone) == ["13"])
        let first = try rig.send("1e", phone)
        let second = try rig.send("1e", phone)
        if profile == .exact {
            #expect(first.isEmpty && second.isEmpty)
            #expect(Self.failures(rig) == [.notConfirmed, .notConfirmed])
        } else {
            #expect(first == ["1d" + Self.control(rig) + "0801100052020800"])
            #expect(second == ["1d" + Self.control(rig) + "08061001"])
            #expect(Self.failures(rig).isEmpty)
        }
    }

    @Test(arguments: NordicProfile.allCases)
    func anAppThatHasNotSubscribedHearsNothing(profile: NordicProfile) throws {
        let rig = try NordicPeripheralRig(profile)
        let phone = try rig.connected()
        try rig.send("020502", phone)
        #expect(try rig.write("0802", phone, wait: .seconds(2)) == ["13"])
        #expect(Self.failures(rig) == [.notSubscribed, .notSubscribed, .notSubscribed])
    }

    /// 20 octets: states and short responses. A longer one is reported as a notice, and by the gateway to the app.
    @Test(arguments: NordicProfile.allCases)
    func anAppThatStaysAt23Octets(profile: NordicProfile) throws {
        let rig = try NordicPeripheralRig(profile, stored: [.home])
        rig.run(.seconds(1))
        let phone = try rig.connected()
        try rig.prepare(phone, mtu: "")
        let shorter = ["1d" + Self.control(rig) + "08011003", "13"]
        #expect(try rig.write("0801", phone) == (profile == .exact ? ["13"] : shorter))
        #expect(Self.failures(rig) == [.tooLong(limit: 20)])
        try rig.send("1e", phone)
        #expect(try rig.write("0802", phone, wait: .seconds(2)) == ["1d" + Self.control(rig) + "08021000", "13"])
        #expect(Self.failures(rig).count == 3, "and two networks")
    }

    /// More than the host's queue holds: nothing is lost, and the order is kept.
    @Test func manyNetworks() throws {
        let rig = try NordicPeripheralRig(.exact)
        let phone = try rig.connected()
        try rig.prepare(phone)
        rig.wifi.simulation.accessPoints = (0..<300).map { number in
            var network = NordicRig.home
            network.channel = UInt32(number)
            return WiFiSimulation.AccessPoint(network)
        }
        phone.received.removeAll()
        let came = try rig.write("0802", phone, wait: .seconds(30))
        #expect(came.count == 302)
        let channels = try came.dropFirst(2).map { pdu -> UInt32 in
            let result = octets(String(pdu.dropFirst(6)))
            return try #require(try NordicResult(decoding: result.span).record?.network?.channel)
        }
        #expect(channels == Array(0..<300))
    }

    @Test func thirtyNetworksAtOnce() throws {
        let rig = try NordicPeripheralRig(.gateway)
        let phone = try rig.connected()
        try rig.prepare(phone)
        var events = [String]()
        for _ in 0..<3 {
            // Each is answered while the phone's controller still receives the previous response.
            events += try rig.write("0801", phone, wait: .zero)
        }
        rig.run(.seconds(1))
        for _ in 0..<3 { events += try rig.send("1e", phone) }
        #expect(Self.failures(rig).isEmpty)
    }

    // MARK: - Being found

    @Test func theFirmwareIsNotFoundWhileAPhoneIsConnected() throws {
        let rig = try NordicPeripheralRig(.exact, links: 2)
        let phone = try rig.connected()
        #expect(phone.found.contains { hex($0.data).hasPrefix("020106110758b29cc8") })
        #expect(try rig.listening().found.isEmpty)
        phone.central.disconnect(try #require(phone.link), at: rig.air.now)
        rig.run(.milliseconds(900))
        #expect(try rig.listening(.milliseconds(60)).found.isEmpty)
        #expect(try rig.listening(.milliseconds(500)).found.isEmpty == false)
    }

    @Test func theGatewayIsFoundWhileAPhoneIsConnected() throws {
        let rig = try NordicPeripheralRig(.gateway, links: 2)
        _ = try rig.connected()
        #expect(try rig.listening().found.isEmpty == false)
    }

    /// States go to the phone that wrote last; after it has disconnected, to none.
    @Test func twoPhones() throws {
        let rig = try NordicPeripheralRig(.gateway, links: 2)
        let first = try rig.connected()
        let second = try rig.connected()
        try rig.prepare(first)
        try rig.prepare(second)
        #expect(try rig.write("0803", first).count == 2)
        #expect(try rig.write("0803", second).count == 2)
        rig.wifi.drop()
        first.received.removeAll()
        second.received.removeAll()
        try? rig.wifi.join(WiFiJoin.home.anywhere, at: rig.air.now)
        rig.run(.seconds(1))
        rig.wifi.drop()
        rig.run(.milliseconds(100))
        #expect(first.pdus == [])
        #expect(second.pdus == [octets("1b" + Self.data(rig) + "1000")])
    }
}

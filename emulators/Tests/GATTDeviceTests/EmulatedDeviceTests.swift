// SPDX-License-Identifier: Apache-2.0

import AirRig
import TestSupport
import Peripheral
import Phone
import Testing
import Timekeeping
import VirtualRadio

@testable import GATTDevice

/// Devices from files on the virtual air, with the phones of this project.
@Suite struct EmulatedDeviceTests {
    private func rig(
        _ characteristics: String, name: String = "x", mtu: Int = 517, profile: ControllerProfile = .modern
    ) throws -> DeviceRig<EmulatedDevice> {
        let table = try device(
            """
            {"name": "\(name)", "mtu": \(mtu), "services": [{"uuid": "180D", "characteristics": [\(characteristics)]}]}
            """)
        // The controller is asked nothing, so that each deadline is the device's.
        var settings = EmulationSettings()
        settings.host.verificationPeriod = nil
        let played = PlayedDevice(table, address: DeviceRig<EmulatedDevice>.address)
        return DeviceRig(EmulatedDevice([played], settings: settings), profile: profile)
    }

    private func notices(_ rig: DeviceRig<EmulatedDevice>) -> [DeviceNotice] {
        all { rig.device.nextNotice() }
    }

    private let uuid = BluetoothUUID(0x2A38)

    @Test(arguments: [ControllerProfile.modern, .legacy, .minimal])
    func isFoundReadAndFoundAgain(_ profile: ControllerProfile) throws {
        let rig = try rig(#"{"uuid": "2A38", "properties": ["read"], "value": "01"}"#, profile: profile)
        let phone = try rig.connected()
        let report = try #require(phone.found.last { $0.scanResponse != nil })
        #expect(report.data == [2, 0x01, 0x06, 3, 0x03, 0x0D, 0x18])
        #expect(report.scanResponse == [2, 0x09, 0x78])
        let found = try rig.value(uuid, phone)
        #expect(try rig.perform(.read(found.value), phone) == .value([0x01]))
        let link = try #require(phone.link)
        phone.central.disconnect(link, at: rig.air.now)
        rig.run(.milliseconds(500))
        #expect(phone.link == nil)
        _ = try rig.connected()
        #expect(rig.controller.violations == [])
        let events = notices(rig).map { notice in
            switch notice {
            case .ready: "ready"
            case .connected: "connected"
            case .disconnected(_, let reason): "disconnected \(reason.rawValue)"
            default: "other"
            }
        }
        #expect(events == ["ready", "connected", "disconnected 19", "connected"])
    }

    @Test func longValueIsReadInParts() throws {
        let octets = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
        let rig = try rig(#"{"uuid": "2A38", "properties": ["read"], "value": "\#(hex(octets))"}"#)
        let phone = try rig.connected()
        let found = try rig.value(uuid, phone)
        #expect(try rig.perform(.read(found.value), phone) == .value(Array(octets.prefix(22))))
        #expect(try rig.perform(.readLong(found.value), phone) == .value(octets))
    }

    @Test func whatIsStoredIsReadByEveryPhone() throws {
        let rig = try rig(#"{"uuid": "2A38", "properties": ["read", "write", "write-without-response"]}"#)
        let (one, other) = (try rig.connected(), try rig.connected())
        let found = try rig.value(uuid, one)
        #expect(try rig.perform(.write(found.value, [1, 2, 3]), one) == .written)
        #expect(try rig.perform(.read(found.value), other) == .value([1, 2, 3]))
        #expect(try rig.perform(.writeCommand(found.value, [4]), other) == .sent)
        #expect(try rig.perform(.read(found.value), one) == .value([4]))
    }

    @Test func theFilesMTUIsOffered() throws {
        let rig = try rig(#"{"uuid": "2A38", "properties": ["read"]}"#, mtu: 64)
        let phone = try rig.connected(mtu: 247)
        #expect(phone.client.mtu == 64)
    }

    @Test func echoGoesToTheWriterAlone() throws {
        let rig = try rig(
            """
            {"uuid": "2A39", "properties": ["write", "write-without-response"],
             "on-write": "echo", "on-write-to": "2A37"},
            {"uuid": "2A37", "properties": ["notify", "read"]}
            """)
        let (one, other) = (try rig.connected(mtu: 517), try rig.connected())
        let target = try rig.subscribe(BluetoothUUID(0x2A37), one)
        _ = try rig.subscribe(BluetoothUUID(0x2A37), other)
        let written = try rig.value(BluetoothUUID(0x2A39), one)
        let octets = [UInt8](repeating: 7, count: 40)
        #expect(try rig.perform(.write(written.value, octets), one) == .written)
        rig.run(.milliseconds(200))
        #expect(one.values.map(\.octets) == [octets])
        #expect(one.values.map(\.handle) == [target])
        #expect(other.values.isEmpty)
        // The value that is read has changed as well.
        #expect(try rig.perform(.readLong(AttributeHandle(rawValue: target)), other) == .value(octets))
        let last = notices(rig).suffix(2)
        guard case .written(_, let value)? = last.first, case .notified(_, let sent)? = last.last else {
            Issue.record("\(last)")
            return
        }
        #expect(value == DeviceValue(handle: written.value, type: BluetoothUUID(0x2A39), octets: octets))
        #expect(sent.octets == octets)
    }

    @Test func notifyGoesToAllCutToEachLink() throws {
        let rig = try rig(#"{"uuid": "2A38", "properties": ["write", "notify"], "on-write": "notify"}"#)
        let phones = [try rig.connected(mtu: 100), try rig.connected(), try rig.connected()]
        for phone in phones.dropLast() { _ = try rig.subscribe(uuid, phone) }
        let found = try rig.value(uuid, phones[2])
        #expect(try rig.perform(.write(found.value, [9]), phones[2]) == .written)
        let long = (0..<90).map { UInt8($0) }
        #expect(try rig.perform(.write(found.value, long), phones[0]) == .written)
        rig.run(.milliseconds(200))
        // Core 5.4, Vol 3, Part G, 4.10.1: the first ATT_MTU - 3 octets.
        #expect(phones[0].values.map(\.octets) == [[9], long])
        #expect(phones[1].values.map(\.octets) == [[9], Array(long.prefix(20))])
        #expect(phones[2].values.isEmpty)
    }

    @Test func echoWithoutSubscriptionIsLeftOut() throws {
        let rig = try rig(#"{"uuid": "2A38", "properties": ["write", "notify"], "on-write": "echo"}"#)
        let phone = try rig.connected()
        let found = try rig.value(uuid, phone)
        #expect(try rig.perform(.write(found.value, [9]), phone) == .written)
        rig.run(.milliseconds(100))
        #expect(phone.values.isEmpty)
        guard case .leftOut(_, found.value, uuid, .notSubscribed)? = notices(rig).last else {
            Issue.record("nothing was told")
            return
        }
    }

    @Test func valuesComeInTheirRhythmWhileSomebodyListens() throws {
        let rig = try rig(
            """
            {"uuid": "2A38", "properties": ["read", "notify"], "values": ["01", "02", "03"], "notify-every": "250 ms"}
            """)
        #expect(rig.device.nextDeadline == nil)
        let phone = try rig.connected()
        let handle = try rig.subscribe(uuid, phone)
        let began = rig.air.now
        rig.run(.seconds(1))
        #expect(phone.values.map(\.octets) == [[1], [2], [3], [1]])
        // Each value is sent at its time, in the connection event that follows it; the interval is at most 30 ms.
        for (number, value) in phone.values.enumerated() {
            let due = Duration.milliseconds(250 * (number + 1))
            #expect(value.at - began <= due + .milliseconds(60))
            #expect(value.at - began >= due - .milliseconds(60))
        }
        #expect(try rig.perform(.read(AttributeHandle(rawValue: handle)), phone) == .value([1]))
        let descriptor = AttributeHandle(rawValue: handle + 1)
        #expect(try rig.perform(.subscribe(descriptor: descriptor, []), phone) == .written)
        let count = phone.values.count
        rig.run(.seconds(2))
        #expect(phone.values.count == count)
    }

    @Test func rhythmEndsWithTheLink() throws {
        let rig = try rig(
            #"{"uuid": "2A38", "properties": ["notify"], "value": "01", "notify-every": "100 ms"}"#)
        let phone = try rig.connected()
        _ = try rig.subscribe(uuid, phone)
        rig.run(.milliseconds(500))
        let link = try #require(phone.link)
        phone.central.disconnect(link, at: rig.air.now)
        rig.run(.seconds(1))
        _ = notices(rig)
        rig.run(.seconds(1))
        #expect(notices(rig) == [])
        #expect(rig.device.nextDeadline == nil)
    }

    @Test func indicationsAreConfirmed() throws {
        let rig = try rig(
            #"{"uuid": "2A38", "properties": ["read", "indicate"], "values": ["01", "02"], "notify-every": "200 ms"}"#)
        let phone = try rig.connected()
        let found = try rig.value(uuid, phone)
        let descriptor = AttributeHandle(rawValue: found.value.rawValue + 1)
        #expect(try rig.perform(.subscribe(descriptor: descriptor, .indication), phone) == .written)
        rig.run(.milliseconds(700))
        #expect(phone.values.map(\.octets) == [[1], [2], [1]])
        var told: [String] = []
        for notice in notices(rig) {
            if case .indicated(_, let value) = notice { told.append("indicated \(value.octets)") }
            if case .confirmed(_, found.value, uuid) = notice { told.append("confirmed") }
        }
        #expect(told == ["indicated [1]", "confirmed", "indicated [2]", "confirmed", "indicated [1]", "confirmed"])
    }

    @Test func writtenValueIsIndicatedToWhoWantsThat() throws {
        let rig = try rig(
            #"{"uuid": "2A38", "properties": ["write", "notify", "indicate"], "on-write": "notify"}"#)
        let (one, other) = (try rig.connected(), try rig.connected())
        let found = try rig.value(uuid, one)
        let descriptor = AttributeHandle(rawValue: found.value.rawValue + 1)
        #expect(try rig.perform(.subscribe(descriptor: descriptor, .indication), one) == .written)
        #expect(try rig.perform(.subscribe(descriptor: descriptor, .notification), other) == .written)
        #expect(try rig.perform(.write(found.value, [9]), one) == .written)
        rig.run(.milliseconds(200))
        #expect(one.values.map(\.octets) == [[9]])
        #expect(other.values.map(\.octets) == [[9]])
        let kinds = notices(rig).compactMap { notice in
            switch notice {
            case .indicated: "indicated"
            case .notified: "notified"
            case .confirmed: "confirmed"
            default: nil
            }
        }
        #expect(kinds.sorted() == ["confirmed", "indicated", "notified"])
    }

    @Test func writesOfStoredValuesAreTold() throws {
        let rig = try rig(#"{"uuid": "2A38", "properties": ["read", "write"], "value": "01"}"#)
        let phone = try rig.connected()
        let found = try rig.value(uuid, phone)
        _ = notices(rig)
        #expect(try rig.perform(.write(found.value, [2, 3]), phone) == .written)
        guard case .written(_, let value)? = notices(rig).last else {
            Issue.record("nothing was told")
            return
        }
        #expect(value == DeviceValue(handle: found.value, type: uuid, octets: [2, 3]))
        #expect(try rig.perform(.read(found.value), phone) == .value([2, 3]))
    }

    @Test func valueThatIsEchoedCanBeRead() throws {
        let rig = try rig(
            #"{"uuid": "2A38", "properties": ["read", "write", "notify"], "value": "01", "on-write": "echo"}"#)
        let phone = try rig.connected()
        let handle = AttributeHandle(rawValue: try rig.subscribe(uuid, phone))
        #expect(try rig.perform(.read(handle), phone) == .value([1]))
        #expect(try rig.perform(.write(handle, [2]), phone) == .written)
        rig.run(.milliseconds(200))
        #expect(phone.values.map(\.octets) == [[2]])
        #expect(try rig.perform(.read(handle), phone) == .value([2]))
    }

    @Test func readsAreToldOnceEach() throws {
        let json = """
            {"name": "x", "services": [{"uuid": "180D", "characteristics": [
             {"uuid": "2A38", "properties": ["read", "write", "notify"], "value": "\(String(repeating: "ab", count: 60))",
              "max-length": 60, "on-write": "echo"}]}]}
            """
        let table = try DeviceTable(json: Array(json.utf8), holdsValues: true)
        let rig = DeviceRig(EmulatedDevice(table, address: DeviceRig<EmulatedDevice>.address))
        let phone = try rig.connected()
        let handle = AttributeHandle(rawValue: try rig.subscribe(uuid, phone))
        _ = notices(rig)
        // Three requests, with the ATT_MTU of 23: one read.
        let octets = [UInt8](repeating: 0xAB, count: 60)
        #expect(try rig.perform(.readLong(handle), phone) == .value(octets))
        let told = notices(rig)
        #expect(told.count == 1)
        guard case .read(_, let value)? = told.first else {
            Issue.record("no read was told")
            return
        }
        #expect(value == DeviceValue(handle: handle, type: uuid, octets: octets))
        #expect(try rig.perform(.write(handle, [7]), phone) == .written)
        #expect(try rig.perform(.read(handle), phone) == .value([7]))
        rig.run(.milliseconds(200))
        #expect(phone.values.map(\.octets) == [[7]])
        let other = try rig.connected(mtu: 517)
        #expect(throws: GATTClientError.refused(handle: handle, code: 0x0D)) {
            try rig.perform(.write(handle, [UInt8](repeating: 1, count: 61)), other)
        }
    }

    @Test func severalLinksWhileItCanStillBeFound() throws {
        let rig = try rig(#"{"uuid": "2A38", "properties": ["read"], "value": "01"}"#)
        for _ in 0..<4 { _ = try rig.connected() }
        #expect(rig.phones.allSatisfy { $0.link != nil })
        #expect(try rig.listening().found.isEmpty == false)
    }

    @Test func protectedValueIsRefused() throws {
        let rig = try rig(#"{"uuid": "2A38", "properties": ["read"], "security": "encrypted", "value": "01"}"#)
        let phone = try rig.connected()
        let found = try rig.value(uuid, phone)
        #expect(throws: GATTClientError.refused(handle: found.value, code: 0x05)) {
            try rig.perform(.read(found.value), phone)
        }
    }

    @Test func lostTransportEndsLinksAndComesBack() throws {
        let rig = try rig(
            #"{"uuid": "2A38", "properties": ["notify"], "value": "01", "notify-every": "100 ms"}"#)
        let phone = try rig.connected()
        _ = try rig.subscribe(uuid, phone)
        rig.device.transportLost(at: rig.air.now)
        #expect(rig.device.nextDeadline == nil)
        rig.device.start(at: rig.air.now)
        rig.run(.seconds(3))
        #expect(try rig.listening().found.isEmpty == false)
    }

    @Test func refusedRequestIsTold() throws {
        let rig = try rig(
            #"{"uuid": "2A38", "properties": ["read", "write"], "security": "encrypted", "value": "01"}"#)
        let phone = try rig.connected()
        let found = try rig.value(uuid, phone)
        _ = notices(rig)
        for operation in [GATTOperation.read(found.value), .write(found.value, [1])] {
            #expect(throws: GATTClientError.refused(handle: found.value, code: 0x05)) {
                try rig.perform(operation, phone)
            }
        }
        let link = try #require(phone.link)
        let told = notices(rig).compactMap { notice -> RefusedRequest? in
            guard case .refused(_, let request, uuid) = notice else { return nil }
            return request
        }
        #expect(link == phone.link)
        #expect(
            told
                == [ATTOpcode.readRequest, .writeRequest].map {
                    RefusedRequest(opcode: $0, handle: found.value, error: .insufficientAuthentication)
                })
    }

    private static let changing = """
        {"name": "NAME", "services": [{"uuid": "180D", "characteristics": [
         {"uuid": "2A38", "properties": ["read", "notify"], "value": "VALUE", "notify-every": "100 ms"}MORE]}]}
        """

    private func changing(_ name: String, _ value: String, _ more: String = "") throws -> DeviceTable {
        let json = Self.changing.replacing("NAME", with: name).replacing("VALUE", with: value)
            .replacing("MORE", with: more)
        return try DeviceTable(json: Array(json.utf8), tellsOfChanges: true)
    }

    /// A changed file takes effect at once: links stay, values and rhythms are the file's, subscriptions hold.
    @Test func fileThatChangesIsPlayedFromThenOn() throws {
        let rig = DeviceRig(
            EmulatedDevice(try changing("old", "01"), address: DeviceRig<EmulatedDevice>.address))
        let phone = try rig.connected()
        let handle = try rig.subscribe(uuid, phone)
        let changed = try rig.value(.serviceChanged, phone)
        let configuration = AttributeHandle(rawValue: changed.value.rawValue + 1)
        #expect(try rig.perform(.subscribe(descriptor: configuration, .indication), phone) == .written)
        rig.run(.milliseconds(250))
        #expect(phone.values.last?.octets == [1])
        let link = phone.link
        rig.device.replace(
            0, with: try changing("new", "02", #", {"uuid": "2A39", "properties": ["read"], "value": "03"}"#),
            at: rig.air.now)
        rig.run(.milliseconds(250))
        #expect(phone.link == link)
        #expect(phone.values.contains { $0.handle == changed.value.rawValue }, "Service Changed is indicated")
        #expect(phone.values.last { $0.handle == handle }?.octets == [2])
        #expect(try rig.perform(.read(AttributeHandle(rawValue: handle)), phone) == .value([2]))
        let added = try rig.value(BluetoothUUID(0x2A39), phone)
        #expect(try rig.perform(.read(added.value), phone) == .value([3]))
        let scanner = try rig.listening()
        #expect(scanner.found.contains { $0.scanResponse == [4, 0x09, 0x6E, 0x65, 0x77] })
        #expect(notices(rig).contains(.replaced(device: 0)))
    }

    /// A client of the same handle and another type is not subscribed to it.
    @Test func subscriptionEndsWithItsCharacteristic() throws {
        let rig = DeviceRig(
            EmulatedDevice(try changing("x", "01"), address: DeviceRig<EmulatedDevice>.address))
        let phone = try rig.connected()
        _ = try rig.subscribe(uuid, phone)
        let other = Self.changing.replacing("2A38", with: "2A39").replacing("VALUE", with: "02")
            .replacing("MORE", with: "")
        rig.device.replace(
            0, with: try DeviceTable(json: Array(other.utf8), tellsOfChanges: true), at: rig.air.now)
        phone.values.removeAll()
        rig.run(.milliseconds(500))
        #expect(phone.values.isEmpty)
        #expect(
            notices(rig).contains {
                if case .subscribed(_, _, _, []) = $0 { true } else { false }
            })
    }
}

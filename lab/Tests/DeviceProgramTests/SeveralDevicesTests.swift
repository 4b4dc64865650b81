// SPDX-License-Identifier: Apache-2.0

import AirRig
import TestSupport
import HostLoop
import Peripheral
import Phone
import Testing
import VirtualRadio

/// Several devices of one program, and their discovery.
@Suite struct SeveralDevicesTests {
    struct Counters {
        var switches = 0
        var shown: [UInt8] = []
    }

    /// A switch counts how often it is written to, and a display shows the count.
    static func devices() -> [DeviceDefinition<Counters>] {
        var button = DeviceDefinition<Counters>(name: "switch")
        button.addService(BluetoothUUID(0xAA00))
        let state = button.addCharacteristic(BluetoothUUID(0xAA01), [.write, .notify])
        button.onWrite(state) { counters, context, write in
            counters.switches += 1
            context.notify(state, write.value)
            return .accept
        }

        var display = DeviceDefinition<Counters>(name: "display")
        display.addService(BluetoothUUID(0xBB00))
        let count = display.addCharacteristic(BluetoothUUID(0xBB01), [.read, .notify])
        display.onRead(count) { counters, _, _ in .value([UInt8(counters.switches)]) }
        return [button, display]
    }

    @Test func eachHasItsAddressNameServicesAndHandlers() throws {
        let rig = try ProgramRig(Counters(), SeveralDevicesTests.devices())
        let scanner = try rig.listening()
        let names = (0...1).map { number in
            let address = rig.keys.address(ofDevice: number)
            return scanner.found.first { $0.address == address }?.data
        }
        #expect(names[0] == [2, 1, 6, 3, 3, 0x00, 0xAA, 7, 9] + Array("switch".utf8))
        #expect(names[1] == [2, 1, 6, 3, 3, 0x00, 0xBB, 8, 9] + Array("display".utf8))

        let (finger, eye) = (try rig.connected(to: 0), try rig.connected(to: 1))
        #expect(try rig.send([0x12, 19, 0, 1, 0], eye) == [[0x13]])
        #expect(try rig.send([0x12, 18, 0, 1], finger) == [[0x13]])
        // The same handle in the other device: it does not return the switch's value, and the state is shared.
        #expect(eye.pdus == [[0x13]])
        #expect(try rig.send([0x0A, 18, 0], eye) == [[0x0B, 1]])
        #expect(rig.controller.violations == [])
    }

    /// The ATT_MTU of a link to the second device.
    @Test func whatElseHappensIsToldWithItsDevice() throws {
        let rig = try ProgramRig(Counters(), SeveralDevicesTests.devices())
        rig.device.onOther { counters, context, event in
            if case .mtuExchanged(let link, let mtu) = event, context.links == [link], mtu == 100 {
                counters.shown.append(UInt8(context.device))
            }
        }
        let eye = try rig.connected(to: 1)
        #expect(try rig.send([0x02, 100, 0], eye) == [[0x03, 0x05, 0x02]])
        #expect(rig.device.state.shown == [1])
    }

    @Test func aNameThatDoesNotFitIsInTheScanResponse() throws {
        var device = DeviceDefinition<Counters>(name: "a name of more than is left")
        device.addService(BluetoothUUID(high: 0x6E40_0001_B5A3_F393, low: 0xE0A9_E50E_24DC_CA9E))
        let rig = try ProgramRig(Counters(), [device])
        let scanner = try rig.listening()
        let report = try #require(scanner.found.last { $0.scanResponse != nil })
        #expect(report.data.prefix(5) == [2, 1, 6, 17, 7] && report.data.count == 21)
        #expect(report.scanResponse == [28, 9] + Array("a name of more than is left".utf8))
    }

    @Test func advertisingCanBeTheAuthors() throws {
        var device = DeviceDefinition<Counters>(name: "plain")
        device.advertisingData = AdvertisingData()
        try device.advertisingData?.add(manufacturerData: [1, 2, 3], company: 0xFFFF)
        var response = AdvertisingData()
        try response.add(name: "other")
        device.scanResponse = response
        let rig = try ProgramRig(Counters(), [device])
        let scanner = try rig.listening()
        let report = try #require(scanner.found.last { $0.scanResponse != nil })
        #expect(report.data == [6, 0xFF, 0xFF, 0xFF, 1, 2, 3])
        #expect(report.scanResponse == [6, 9] + Array("other".utf8))
    }

    /// Core 5.4, Vol 6, Part B, 1.3.2.2: only a peer with the key can resolve the address.
    @Test func privateAddressesAreResolvable() throws {
        var settings = ProgramSettings()
        settings.usesPrivateAddresses = true
        let rig = try ProgramRig(Counters(), SeveralDevicesTests.devices(), settings: settings)
        let scanner = try rig.listening()
        let addresses = Set(scanner.found.map(\.address))
        #expect(addresses.count == 2)
        #expect(addresses.allSatisfy { IdentityResolution.resolves($0, with: rig.keys.identity.resolvingKey) })
    }
}

/// Errors in a program's definition, reported before anything is advertised.
@Suite struct DeviceProgramErrorTests {
    private func fault(_ change: (inout DeviceDefinition<Int>) -> Void) -> String? {
        var device = DeviceDefinition<Int>(name: "lamp")
        change(&device)
        return thrown { () throws(DeviceProgramError) in _ = try DeviceProgram(0, devices: [device]) }?.description
    }

    private let uuid = BluetoothUUID(0xAA01)

    @Test func noneOrTooManyDevices() {
        #expect(throws: DeviceProgramError.deviceCount(0)) { _ = try DeviceProgram(0, devices: []) }
        let many = [DeviceDefinition<Int>](repeating: DeviceDefinition(name: "x"), count: 17)
        #expect(throws: DeviceProgramError.deviceCount(17)) { _ = try DeviceProgram(0, devices: many) }
        #expect(DeviceProgramError.deviceCount(17).description == "17 devices: define 1 to 16 for one radio")
    }

    @Test func aCharacteristicNeedsAService() {
        #expect(
            fault { $0.addCharacteristic(uuid, .read) }
                == "device \"lamp\": AA01 is in no service; call addService before it")
    }

    @Test func whatIsWrittenNeedsSomebody() {
        let text = fault { device in
            device.addService(BluetoothUUID(0xAA00))
            let value = device.addCharacteristic(uuid, [.read, .write])
            device.onRead(value) { _, _, _ in .value([]) }
        }
        #expect(text == "device \"lamp\": AA01 is writable and has onRead; add onWrite")
    }

    @Test func aValueFitsItsCharacteristic() {
        let text = fault { device in
            device.addService(BluetoothUUID(0xAA00))
            device.addCharacteristic(uuid, .read, value: [1, 2, 3], maximumCount: 2)
        }
        #expect(text == "device \"lamp\": the value of AA01 is longer than its maximumCount; shorten it")
    }

    @Test func anIntervalIsOneThatAControllerTakes() {
        #expect(
            fault { $0.advertisingInterval = .milliseconds(10) }
                == "device \"lamp\": advertising interval 0.01 seconds: use 20 ms to 10.24 s")
    }

    @Test func servicesFitTheAdvertisement() {
        let text = fault { device in
            for number in 0..<12 { device.addService(BluetoothUUID(UInt16(0xAA00 + number))) }
            device.addService(BluetoothUUID(high: 1, low: 2))
        }
        #expect(text?.hasPrefix("device \"lamp\": an advertising structure of 18 octets does not fit") == true)
        #expect(text?.hasSuffix("advertisedServices names fewer services, advertisingData replaces all") == true)
    }
}

/// The identity that is stored in a file of bonds.
@Suite struct DeviceKeysTests {
    @Test func isTheSameFromRunToRun() throws {
        let directory = try TemporaryDirectory()
        let first = try DeviceKeys(bonds: directory.path + "/bonds")
        let again = try DeviceKeys(bonds: directory.path + "/bonds")
        let other = try DeviceKeys(bonds: directory.path + "/others")
        #expect(first.identity == again.identity && first.areKept)
        #expect(first.identity.address != other.identity.address)
        #expect(first.address(ofDevice: 1).value == first.identity.address.value + 1)
        let transient = (DeviceKeys(), DeviceKeys())
        #expect(transient.0.identity != transient.1.identity && !transient.0.areKept)
    }

    @Test func aFileThatIsNoneIsRefused() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("bonds", Array("hello".utf8), mode: 0o600)
        #expect(throws: BondFileError.self) { _ = try DeviceKeys(bonds: path) }
    }
}

// SPDX-License-Identifier: Apache-2.0

import AirRig
import Peripheral
import Phone
import TestSupport
import Testing
import Timekeeping

@testable import GATTDevice

/// Devices of profiles by their names.
@Suite struct ProfileTests {
    private static let link = LinkID(slot: 0, generation: 1)

    private func client(_ subscribed: [BluetoothUUID], isBusy: Bool = false) -> ProfileClient {
        ProfileClient(link: ProfileTests.link, subscribed: Set(subscribed), isBusy: isBusy)
    }

    private func rig(_ name: String, _ faults: Set<String> = []) throws -> DeviceRig<EmulatedDevice> {
        let profile = try #require(DeviceProfile(named: name))
        return DeviceRig(EmulatedDevice(try profile.table(faults: faults), address: DeviceRig<EmulatedDevice>.address))
    }

    /// The built-in descriptions have no fault, with any set of faults; each advertises its service.
    @Test(arguments: DeviceProfile.all.map(\.name))
    func eachProfileIsADevice(_ name: String) throws {
        let profile = try #require(DeviceProfile(named: name))
        #expect(!profile.faults.isEmpty)
        for bits in 0..<(1 << profile.faults.count) {
            let faults = profile.faults.enumerated().filter { bits & 1 << $0.offset != 0 }.map(\.element.name)
            let table = try profile.table(faults: Set(faults), tellsOfChanges: true)
            #expect(table.name == name && !table.services.isEmpty && table.advertisingOmission == nil)
        }
    }

    /// No octets that a client writes trap a control point.
    @Test func anyOctetsAreAnswered() throws {
        var numbers = SplitMix64(seed: 5)
        for profile in DeviceProfile.all {
            var logic: any ProfileLogic = try profile.table().logic ?? HeartRateLogic([])
            for _ in 0..<2000 {
                let count = Int(numbers.next() % 9)
                var octets = numbers.octets(count)
                if count > 0 { octets[0] %= 24 }
                for type: UInt16 in [0x2A21, 0x2A39, 0x2A52, 0x2A55, 0x2AD9] {
                    let uuid = BluetoothUUID(type)
                    _ = logic.refusal(octets, to: uuid, client([uuid]))
                    _ = logic.perform(octets, to: uuid, client([uuid]))
                }
                for type: UInt16 in [0x2A18, 0x2A19, 0x2A1C, 0x2A37, 0x2A5B, 0x2A63, 0x2AD2] {
                    _ = logic.nextValue(BluetoothUUID(type))
                }
            }
        }
    }

    // MARK: - Measurements

    /// Heart Rate Service 1.0, 3.1: flags, rate, energy with the first and each tenth, RR intervals of 1/1024 s.
    @Test func heartRates() {
        var logic = HeartRateLogic([])
        let measurement = BluetoothUUID(0x2A37)
        let values = (0..<11).map { _ in logic.nextValue(measurement).map { hex($0) } }
        #expect(
            values[0] == "1e48" + "0100" + "5503" && values[1] == "1649" + "4903"
                && values[10] == "1e4b" + "0b00" + "3303")
        // 3.3.1: Reset Energy Expended; other octets are not supported.
        #expect(logic.refusal([1], to: BluetoothUUID(0x2A39), client([])) == nil)
        #expect(logic.refusal([2], to: BluetoothUUID(0x2A39), client([]))?.error.rawValue == 0x80)
        var wide = HeartRateLogic(["wide"])
        #expect(wide.nextValue(measurement).map { hex($0) } == "1f4800" + "0100" + "5503")
        var off = HeartRateLogic(["no-contact"])
        #expect(off.nextValue(measurement).map { hex($0) } == "0c00" + "0100")
    }

    /// Health Thermometer Service 1.0, 3.1: 36.7 °C as a FLOAT, the type; Fahrenheit; Not a Number.
    @Test func temperatures() {
        let measurement = BluetoothUUID(0x2A1C)
        func first(_ faults: Set<String>) -> String? {
            var logic = ThermometerLogic(faults)
            return logic.nextValue(measurement).map { hex($0) }
        }
        #expect(
            first([]) == "046f0100ff02" && first(["fahrenheit"]) == "05d40300ff02" && first(["nan"]) == "04ffff7f0002")
        #expect(first(["no-type"]) == "006f0100ff")
    }

    @Test func intervalOfAThermometerIsSet() throws {
        let rig = try rig("thermometer")
        let phone = try rig.connected()
        let measurement = try rig.value(BluetoothUUID(0x2A1C), phone).value.rawValue
        let interval = try rig.value(BluetoothUUID(0x2A21), phone).value
        let descriptor = AttributeHandle(rawValue: measurement + 1)
        #expect(try rig.perform(.subscribe(descriptor: descriptor, .indication), phone) == .written)
        rig.run(.milliseconds(4500))
        #expect(phone.values.count == 2)
        #expect(throws: (any Error).self) { try rig.perform(.write(interval, [61, 0]), phone) }
        #expect(try rig.perform(.write(interval, [1, 0]), phone) == .written)
        phone.values.removeAll()
        rig.run(.milliseconds(3500))
        #expect((3...4).contains(phone.values.count))
        #expect(try rig.perform(.write(interval, [0, 0]), phone) == .written)
        phone.values.removeAll()
        rig.run(.seconds(5))
        #expect(phone.values.isEmpty)
    }

    /// Cycling Speed and Cadence Service 1.0, 3.1: counts and times wrap.
    @Test func revolutionsWrap() {
        var logic = CyclingSpeedLogic(["wraps"])
        let values = (0..<2).map { _ in logic.nextValue(BluetoothUUID(0x2A5B)).map { hex($0) } }
        #expect(values == ["03" + "feffffff" + "23fe" + "ffff" + "23fe", "03" + "01000000" + "2302" + "0000" + "2302"])
    }

    // MARK: - Record Access Control Point

    private static let racp = BluetoothUUID(0x2A52)

    private func racp(_ written: String, _ logic: inout GlucoseLogic) -> [String] {
        logic.perform(octets(written), to: ProfileTests.racp, client([])).values.map { hex($0.octets) }
    }

    /// Glucose Service 1.0, 3.4: op codes, operators, operands, and the responses to each.
    @Test func recordAccess() {
        var logic = GlucoseLogic([])
        for (written, response) in [
            ("0401", "05000a00"), ("0403 01 0800", "05000300"), ("0402 01 0200", "05000200"),
            ("0404 01 0300 0500", "05000300"), ("0405", "05000100"), ("0403 01 ff00", "05000000"),
            ("0103 01 0b00", "06000106"), ("0400", "06000403"), ("0407", "06000404"), ("0404 01 0500 0300", "06000405"),
            ("0403 01 01", "06000405"), ("0403 02 00000000000000", "06000409"), ("0901", "06000902"),
            ("0300", "06000301"),
            ("0301", "06000303"), ("04", "06000403"), ("0401 01", "06000405"), ("", "06000002"),
        ] { #expect(racp(written, &logic) == [response], "\(written)") }
        #expect(racp("0106", &logic) == ["030a00ea07010a071e0000006" + "4b011", "06000101"])
        #expect(racp("0202 01 0900", &logic) == ["06000201"] && racp("0401", &logic) == ["05000100"])
        #expect(racp("0201", &logic) == ["06000201"] && racp("0201", &logic) == ["06000206"])
    }

    @Test func recordsComeBeforeTheResponse() throws {
        let rig = try rig("glucose", ["unprotected"])
        let phone = try rig.connected()
        let measurement = try rig.value(BluetoothUUID(0x2A18), phone).value.rawValue
        let control = try rig.value(ProfileTests.racp, phone).value
        // Configurations first (Core Specification Supplement, Part B, 1.2).
        #expect(throws: (any Error).self) { try rig.perform(.write(control, [1, 1]), phone) }
        let descriptors = [measurement + 1, control.rawValue + 1].map { AttributeHandle(rawValue: $0) }
        #expect(try rig.perform(.subscribe(descriptor: descriptors[1], .indication), phone) == .written)
        #expect(throws: (any Error).self) { try rig.perform(.write(control, [1, 1]), phone) }
        #expect(try rig.perform(.subscribe(descriptor: descriptors[0], .notification), phone) == .written)
        #expect(try rig.perform(.write(control, [1, 1]), phone) == .written)
        // A second procedure is refused while the first runs; an abort is not.
        #expect(throws: (any Error).self) { try rig.perform(.write(control, [4, 1]), phone) }
        rig.run(.seconds(1))
        #expect(phone.values.map(\.handle) == Array(repeating: measurement, count: 10) + [control.rawValue])
        #expect(phone.values.last.map { hex($0.octets) } == "06000101")
        let rules = all { rig.device.nextNotice() }
            .compactMap { if case .mistaken(_, _, let rule, _) = $0 { rule } else { nil } }
        #expect(rules == ["control-point-not-enabled", "measurement-not-enabled", "procedure-in-progress"])
    }

    // MARK: - Fitness Machine Control Point

    /// Fitness Machine Service 1.0, 4.16: control first, parameters in range, the status of what has changed.
    @Test func fitnessMachineIsControlled() {
        let (control, status) = (FitnessLogic.controlPoint, BluetoothUUID(0x2ADA))
        var logic = FitnessLogic([])
        func write(_ written: String) -> [String] {
            logic.perform(octets(written), to: control, client([control, status])).values.map { hex($0.octets) }
        }
        #expect(write("05c800") == ["800505"])
        #expect(write("00") == ["800001"])
        #expect(write("05c800") == ["800501", "08c800"] && write("05e903") == ["800503"] && write("05") == ["800503"])
        #expect(
            write("0464") == ["800401", "0764"] && write("07") == ["800701", "04"]
                && write("0802") == ["800801", "0202"])
        #expect(write("11000064002833") == ["801101", "12000064002833"] && write("02") == ["800202"])
        #expect(logic.nextValue(BluetoothUUID(0x2AD2)).map { hex($0) } == "6400" + "0000" + "0000" + "0a00" + "0000")
        #expect(write("01") == ["800101", "01"] && write("07") == ["800705"])
        #expect(logic.refusal([0], to: control, client([]))?.error == .configurationImproper)
        var losing = FitnessLogic(["loses-control"])
        _ = losing.perform([0], to: control, client([control, status]))
        let lost = losing.perform([7], to: control, client([control, status]))
        #expect(lost.values.map { hex($0.octets) } == ["800701", "04", "ff"])
    }

    /// Cycling Speed and Cadence Service 1.0, 3.4; its own code for an improper configuration.
    @Test func cyclingControlPoint() {
        let control = CyclingSpeedLogic.controlPoint
        var logic = CyclingSpeedLogic([])
        func write(_ written: String) -> [String] {
            logic.perform(octets(written), to: control, client([control])).values.map { hex($0.octets) }
        }
        #expect(write("0110000000") == ["100101"] && write("04") == ["100401" + "0c04"] && write("030c") == ["100301"])
        #expect(write("0301") == ["100303"] && write("01") == ["100103"] && write("02") == ["100202"])
        #expect(logic.nextValue(BluetoothUUID(0x2A5B)).map { hex($0) } == "03" + "13000000" + "0004" + "0100" + "0004")
        #expect(logic.refusal([4], to: control, client([]))?.error.rawValue == 0x81)
    }

    // MARK: - Keyboard

    /// The report map's collections, input of 8 octets and output of 1, as its items say (USB HID 1.11, 6.2.2.7).
    @Test func reportMapDescribesTheReports() {
        var (position, size, count, depth) = (0, 0, 0, 0)
        var bits = [0x80: 0, 0x90: 0]
        while position < KeyboardReports.map.count {
            let head = KeyboardReports.map[position]
            let length = Int(head & 3)
            let value = length == 0 ? 0 : Int(KeyboardReports.map[position + 1])
            switch head & 0xFC {
            case 0x74: size = value
            case 0x94: count = value
            case 0x80, 0x90: bits[Int(head & 0xFC), default: 0] += size * count
            case 0xA0: depth += 1
            case 0xC0: depth -= 1
            default: break
            }
            position += 1 + length
        }
        #expect(position == KeyboardReports.map.count && depth == 0 && bits == [0x80: 64, 0x90: 8])
        #expect(KeyboardReports.typed([]).count == 12 && KeyboardReports.typed(["stuck-key"]).count == 6)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral

extension DeviceProfile {
    /// A heart rate sensor (Heart Rate Service 1.0): a measurement each second, the energy expended with each tenth.
    static let heartRate = DeviceProfile(
        "heart-rate",
        faults: [
            "wide": "rates in 16 bits, though they fit in 8",
            "no-contact": "the skin is not touched: contact is supported and not detected, and the rate is 0",
            "reserved": "the reserved bits of the flags are set",
        ]
    ) { faults in
        let json = """
            {"name": "heart-rate", "appearance": 833, "services": [
              {"uuid": "180D", "characteristics": [
                {"uuid": "2A37", "properties": ["notify"], "value": "0648", "notify-every": "1 s"},
                {"uuid": "2A38", "properties": ["read"], "value": "01"},
                {"uuid": "2A39", "properties": ["write"], "max-length": 1}
              ]},
              \(batteryService), \(information)
            ]}
            """
        return (json, HeartRateLogic(faults))
    }

    /// A battery (Battery Service 1.0), which loses a per cent every five seconds and is charged at 10 %.
    static let battery = DeviceProfile(
        "battery",
        faults: ["over": "a level of 101 %, which is reserved", "empty": "levels without an octet"]
    ) { faults in
        let json = """
            {"name": "battery", "services": [
              {"uuid": "180F", "characteristics": [
                {"uuid": "2A19", "properties": ["read", "notify"], "value": "64", "notify-every": "5 s",
                 "descriptors": [{"uuid": "2904", "value": "0400ad27010000"}]}
              ]},
              \(information)
            ]}
            """
        return (json, BatteryLogic(faults))
    }

    /// A clinical thermometer (Health Thermometer Service 1.0): indications at the interval that clients may set.
    static let thermometer = DeviceProfile(
        "thermometer",
        faults: [
            "nan": "measurements that are Not a Number", "fahrenheit": "degrees Fahrenheit, which the flags say",
            "no-type": "measurements without their type",
        ]
    ) { faults in
        let json = """
            {"name": "thermometer", "appearance": 768, "services": [
              {"uuid": "1809", "characteristics": [
                {"uuid": "2A1C", "properties": ["indicate"], "value": "046e0100ff02", "notify-every": "2 s"},
                {"uuid": "2A1D", "properties": ["read"], "value": "02"},
                {"uuid": "2A1E", "properties": ["notify"], "value": "046e0100ff02", "notify-every": "1 s"},
                {"uuid": "2A21", "properties": ["read", "write", "indicate"], "value": "0200", "max-length": 2,
                 "descriptors": [{"uuid": "2906", "value": "01003c00"}]}
              ]},
              \(batteryService), \(information)
            ]}
            """
        return (json, ThermometerLogic(faults))
    }
}

/// Heart Rate Measurement and Heart Rate Control Point (Heart Rate Service 1.0, 3.1, 3.3).
struct HeartRateLogic: ProfileLogic {
    private static let controlPoint = BluetoothUUID(0x2A39)
    private static let measurement = BluetoothUUID(0x2A37)
    /// Each so many measurements have the energy expended.
    private static let energyRhythm = 10
    private static let rates: [UInt8] = [72, 73, 75, 78, 80, 79, 76, 74]

    private let faults: Set<String>
    private var count = 0
    /// Kilojoules; it stays at the maximum.
    private var energy: UInt16 = 0

    init(_ faults: Set<String>) { self.faults = faults }

    /// Octets other than 1 are reserved: Control Point Not Supported.
    func refusal(_ octets: [UInt8], to type: BluetoothUUID, _ client: ProfileClient) -> ProfileRefusal? {
        guard type == HeartRateLogic.controlPoint, octets != [0x01] else { return nil }
        return ProfileRefusal(
            error: .firstOfService,
            mistake: ProfileMistake(
                rule: "control-point-request",
                sentence: "wrote something else than 01, Reset Energy Expended, to the Heart Rate Control Point"))
    }

    mutating func perform(_ octets: [UInt8], to type: BluetoothUUID, _ client: ProfileClient) -> ProfileReply {
        if type == HeartRateLogic.controlPoint { energy = 0 }
        return ProfileReply()
    }

    mutating func nextValue(_ type: BluetoothUUID) -> [UInt8]? {
        guard type == HeartRateLogic.measurement else { return nil }
        let rate = faults.contains("no-contact") ? 0 : HeartRateLogic.rates[count % HeartRateLogic.rates.count]
        let hasEnergy = count % HeartRateLogic.energyRhythm == 0
        count += 1
        energy = energy == .max ? .max : energy + 1
        // Bit 0: 16 bits; 1 and 2: contact detected, supported; 3: energy; 4: RR intervals.
        var flags: UInt8 = faults.contains("no-contact") ? 0x04 : 0x16
        if faults.contains("wide") { flags |= 0x01 }
        if faults.contains("reserved") { flags |= 0xE0 }
        if hasEnergy { flags |= 0x08 }
        var octets = [flags, rate]
        if faults.contains("wide") { octets.append(0) }
        if hasEnergy { octets.append(littleEndian: energy) }
        // In units of 1/1024 s.
        if rate > 0 { octets.append(littleEndian: 61_440 / UInt16(rate)) }
        return octets
    }
}

/// Battery Level (Battery Service 1.0, 3.1).
struct BatteryLogic: ProfileLogic {
    private static let level = BluetoothUUID(0x2A19)
    private static let lowest: UInt8 = 10

    private let faults: Set<String>
    private var level: UInt8 = 100

    init(_ faults: Set<String>) { self.faults = faults }

    mutating func nextValue(_ type: BluetoothUUID) -> [UInt8]? {
        guard type == BatteryLogic.level else { return nil }
        if faults.contains("empty") { return [] }
        if faults.contains("over") { return [101] }
        level = level <= BatteryLogic.lowest ? 100 : level - 1
        return [level]
    }
}

/// Temperature Measurement, Intermediate Temperature and Measurement Interval (Health Thermometer Service 1.0, 3).
struct ThermometerLogic: ProfileLogic {
    private static let measurement = BluetoothUUID(0x2A1C)
    private static let intermediate = BluetoothUUID(0x2A1E)
    private static let interval = BluetoothUUID(0x2A21)
    /// The Valid Range descriptor of the interval, in seconds.
    private static let range: ClosedRange<UInt16> = 1...60
    /// The special value Not a Number (IEEE 11073-20601).
    private static let notANumber: Int32 = 0x007F_FFFF

    private let faults: Set<String>
    private var count: Int32 = 0

    init(_ faults: Set<String>) { self.faults = faults }

    /// Out of Range, for intervals outside the valid range; 0 is no periodic measurement.
    func refusal(_ octets: [UInt8], to type: BluetoothUUID, _ client: ProfileClient) -> ProfileRefusal? {
        guard type == ThermometerLogic.interval else { return nil }
        guard let seconds = ThermometerLogic.seconds(octets) else {
            return ProfileRefusal(error: .invalidAttributeValueLength)
        }
        guard seconds != 0, !ThermometerLogic.range.contains(seconds) else { return nil }
        return ProfileRefusal(
            error: .firstOfService,
            mistake: ProfileMistake(
                rule: "out-of-range",
                sentence: "wrote a Measurement Interval of \(seconds) s: read its Valid Range (2906) first, 1 to 60 s"))
    }

    func perform(_ octets: [UInt8], to type: BluetoothUUID, _ client: ProfileClient) -> ProfileReply {
        var reply = ProfileReply()
        guard type == ThermometerLogic.interval, let seconds = ThermometerLogic.seconds(octets) else { return reply }
        reply.period = (ThermometerLogic.measurement, seconds == 0 ? nil : .seconds(Int64(seconds)))
        return reply
    }

    private static func seconds(_ octets: [UInt8]) -> UInt16? {
        octets.count == 2 ? UInt16(octets[0]) | UInt16(octets[1]) << 8 : nil
    }

    mutating func nextValue(_ type: BluetoothUUID) -> [UInt8]? {
        guard type == ThermometerLogic.measurement || type == ThermometerLogic.intermediate else { return nil }
        if type == ThermometerLogic.measurement { count += 1 }
        let isFahrenheit = faults.contains("fahrenheit")
        let hasType = !faults.contains("no-type")
        var octets: [UInt8] = [(isFahrenheit ? 0x01 : 0) | (hasType ? 0x04 : 0)]
        if faults.contains("nan") {
            octets.append(mantissa: ThermometerLogic.notANumber, exponent: 0)
        } else {
            // Tenths of a degree: 36.6 °C to 37.0 °C, or 97.9 °F to 98.3 °F.
            octets.append(mantissa: (isFahrenheit ? 979 : 366) + count % 5, exponent: -1)
        }
        if hasType { octets.append(0x02) }  // body
        return octets
    }
}

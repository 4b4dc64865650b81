// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral

extension DeviceProfile {
    /// A speed and cadence sensor (Cycling Speed and Cadence Service 1.0): 3 wheel revolutions and 1 of the crank in a
    /// second.
    static let cyclingSpeed = DeviceProfile(
        "cycling-speed",
        faults: [
            "wraps": "the counts begin just before they wrap", "standing": "the wheel and the crank stand still",
        ]
    ) { faults in
        let json = """
            {"name": "cycling-speed", "appearance": 1157, "services": [
              {"uuid": "1816", "characteristics": [
                {"uuid": "2A5B", "properties": ["notify"], "value": "03", "notify-every": "1 s"},
                {"uuid": "2A5C", "properties": ["read"], "value": "0700"},
                {"uuid": "2A5D", "properties": ["read"], "value": "0c"},
                {"uuid": "2A55", "properties": ["write", "indicate"]}
              ]},
              \(batteryService), \(information)
            ]}
            """
        return (json, CyclingSpeedLogic(faults))
    }

    /// A power meter (Cycling Power Service 1.1) with crank revolutions.
    static let cyclingPower = DeviceProfile(
        "cycling-power",
        faults: ["negative": "a power of −10 W", "standing": "the crank stands still, at 0 W"]
    ) { faults in
        let json = """
            {"name": "cycling-power", "appearance": 1156, "services": [
              {"uuid": "1818", "characteristics": [
                {"uuid": "2A63", "properties": ["notify"], "value": "2000", "notify-every": "1 s"},
                {"uuid": "2A65", "properties": ["read"], "value": "08000000"},
                {"uuid": "2A5D", "properties": ["read"], "value": "05"}
              ]},
              \(batteryService), \(information)
            ]}
            """
        return (json, CyclingPowerLogic(faults))
    }
}

/// CSC Measurement and SC Control Point (Cycling Speed and Cadence Service 1.0, 3.1, 3.4).
struct CyclingSpeedLogic: ProfileLogic {
    private static let measurement = BluetoothUUID(0x2A5B)
    static let controlPoint = BluetoothUUID(0x2A55)
    /// The locations that it has: rear wheel, front wheel (Sensor Location).
    private static let locations: [UInt8] = [0x0C, 0x04]
    /// A second in the unit of event times.
    private static let second: UInt16 = 1024

    private let isStanding: Bool
    private var wheel: UInt32
    private var crank: UInt16
    private var time: UInt16

    init(_ faults: Set<String>) {
        isStanding = faults.contains("standing")
        (wheel, crank, time) = faults.contains("wraps") ? (.max - 4, .max - 1, .max - 1500) : (0, 0, 0)
    }

    /// The service has its own code for a configuration that is improper, 0x81.
    func refusal(_ octets: [UInt8], to type: BluetoothUUID, _ client: ProfileClient) -> ProfileRefusal? {
        type == CyclingSpeedLogic.controlPoint ? client.refusalOfControlPoint(type, error: .secondOfService) : nil
    }

    mutating func perform(_ octets: [UInt8], to type: BluetoothUUID, _ client: ProfileClient) -> ProfileReply {
        guard type == CyclingSpeedLogic.controlPoint else { return ProfileReply() }
        let opcode = octets.first ?? 0
        var result: [UInt8] = [0x10, opcode]
        switch (opcode, octets.count) {
        case (0x01, 5):  // Set Cumulative Value
            wheel = octets.dropFirst().reversed().reduce(0) { $0 << 8 | UInt32($1) }
            result.append(0x01)
        case (0x03, 2): result.append(CyclingSpeedLogic.locations.contains(octets[1]) ? 0x01 : 0x03)
        case (0x04, 1): result += [0x01] + CyclingSpeedLogic.locations
        case (0x01, _), (0x03, _), (0x04, _): result.append(0x03)  // Invalid Parameter
        default: result.append(0x02)  // Op Code Not Supported
        }
        var reply = ProfileReply()
        reply.values = [.init(type: CyclingSpeedLogic.controlPoint, octets: result)]
        if result[2] != 0x01 {
            reply.mistake = ProfileMistake(
                rule: "control-point-request",
                sentence:
                    "wrote op code \(opcode) to the SC Control Point, which is answered with code \(result[2]): look "
                    + "at the features, and at the length of its parameter")
        }
        return reply
    }

    mutating func nextValue(_ type: BluetoothUUID) -> [UInt8]? {
        guard type == CyclingSpeedLogic.measurement else { return nil }
        if !isStanding {
            wheel &+= 3
            crank &+= 1
            time &+= CyclingSpeedLogic.second
        }
        var octets: [UInt8] = [0x03]
        octets.append(littleEndian: wheel)
        octets.append(littleEndian: time)
        octets.append(littleEndian: crank)
        octets.append(littleEndian: time)
        return octets
    }
}

/// Cycling Power Measurement with crank revolutions (Cycling Power Service 1.1, 3.2).
struct CyclingPowerLogic: ProfileLogic {
    private static let measurement = BluetoothUUID(0x2A63)
    private static let powers: [Int16] = [180, 185, 192, 188, 176]

    private let faults: Set<String>
    private var count = 0
    private var crank: UInt16 = 0
    private var time: UInt16 = 0

    init(_ faults: Set<String>) { self.faults = faults }

    mutating func nextValue(_ type: BluetoothUUID) -> [UInt8]? {
        guard type == CyclingPowerLogic.measurement else { return nil }
        let isStanding = faults.contains("standing")
        var power = isStanding ? 0 : CyclingPowerLogic.powers[count % CyclingPowerLogic.powers.count]
        if faults.contains("negative") { power = -10 }
        count += 1
        if !isStanding {
            crank &+= 1
            time &+= 768  // 80 revolutions a minute, in 1/1024 s
        }
        var octets: [UInt8] = []
        octets.append(littleEndian: UInt16(0x0020))
        octets.append(littleEndian: UInt16(bitPattern: power))
        octets.append(littleEndian: crank)
        octets.append(littleEndian: time)
        return octets
    }
}

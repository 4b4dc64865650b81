// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral

extension DeviceProfile {
    /// An indoor bike (Fitness Machine Service 1.0) that a client controls: resistance, power, simulation.
    static let fitnessMachine = DeviceProfile(
        "ftms",
        faults: [
            "refuses-control": "Request Control is answered with Operation Failed",
            "loses-control": "control is lost after each accepted procedure, with the status FF",
            "slow": "the responses of the control point come after 3 s",
        ]
    ) { faults in
        let json = """
            {"name": "ftms", "appearance": 1156, "advertising": {"packet": [
              {"flags": ["general-discoverable", "no-br-edr"]}, {"services": ["1826"]},
              {"service-data": {"uuid": "1826", "value": "012000"}}
            ], "scan-response": [{"name": "ftms"}]}, "services": [
              {"uuid": "1826", "characteristics": [
                {"uuid": "2ACC", "properties": ["read"], "value": "824000000c200000"},
                {"uuid": "2AD2", "properties": ["notify"], "value": "0000", "notify-every": "1 s"},
                {"uuid": "2AD3", "properties": ["read", "notify"], "value": "0001"},
                {"uuid": "2AD6", "properties": ["read"], "value": "0000e8030a00"},
                {"uuid": "2AD8", "properties": ["read"], "value": "0000e8030100"},
                {"uuid": "2AD9", "properties": ["write", "indicate"]},
                {"uuid": "2ADA", "properties": ["notify"]}
              ]},
              \(information)
            ]}
            """
        return (json, FitnessLogic(faults))
    }
}

/// Indoor Bike Data and the Fitness Machine Control Point (Fitness Machine Service 1.0, 4.9, 4.16, 4.17).
struct FitnessLogic: ProfileLogic {
    static let controlPoint = BluetoothUUID(0x2AD9)
    private static let bikeData = BluetoothUUID(0x2AD2)
    private static let status = BluetoothUUID(0x2ADA)
    private static let slowness = Duration.seconds(3)
    /// The supported ranges: 0 to 100.0 of resistance in one octet of 0.1, 0 to 1000 W.
    private static let powers: ClosedRange<Int16> = 0...1000

    private enum Result: UInt8 {
        case success = 1
        case opcodeNotSupported = 2
        case invalidParameter = 3
        case operationFailed = 4
        case controlNotPermitted = 5
    }

    private let faults: Set<String>
    /// The client that has requested control.
    private var controller: LinkID?
    private var resistance: UInt8 = 0
    private var power: Int16 = 100
    private var isRunning = true
    private var count = 0

    init(_ faults: Set<String>) { self.faults = faults }

    func refusal(_ octets: [UInt8], to type: BluetoothUUID, _ client: ProfileClient) -> ProfileRefusal? {
        type == FitnessLogic.controlPoint ? client.refusalOfControlPoint(type) : nil
    }

    mutating func perform(_ octets: [UInt8], to type: BluetoothUUID, _ client: ProfileClient) -> ProfileReply {
        guard type == FitnessLogic.controlPoint else { return ProfileReply() }
        guard let opcode = octets.first else { return response(0, .opcodeNotSupported, [], client) }
        if opcode == 0x00 {
            guard octets.count == 1 else { return response(opcode, .invalidParameter, [], client) }
            if faults.contains("refuses-control") { return response(opcode, .operationFailed, [], client) }
            controller = client.link
            return response(opcode, .success, [], client)
        }
        guard controller == client.link else {
            var reply = response(opcode, .controlNotPermitted, [], client)
            reply.mistake = ProfileMistake(
                rule: "no-control",
                sentence:
                    "wrote op code \(opcode) to the Fitness Machine Control Point without Request Control (00) before "
                    + "it: it is answered with Control Not Permitted")
            return reply
        }
        let (result, status) = procedure(opcode, Array(octets.dropFirst()))
        return response(opcode, result, status, client)
    }

    /// Performs a procedure; returns its result and the status that it brings.
    private mutating func procedure(_ opcode: UInt8, _ parameters: [UInt8]) -> (Result, status: [UInt8]) {
        switch (opcode, parameters.count) {
        case (0x01, 0):  // Reset
            (resistance, power, isRunning, controller) = (0, 100, true, nil)
            return (.success, [0x01])
        case (0x04, 1):  // Set Target Resistance Level
            resistance = parameters[0]
            return (.success, [0x07, resistance])
        case (0x05, 2):  // Set Target Power
            let target = Int16(bitPattern: UInt16(parameters[0]) | UInt16(parameters[1]) << 8)
            guard FitnessLogic.powers.contains(target) else { return (.invalidParameter, []) }
            power = target
            return (.success, [0x08] + parameters)
        case (0x07, 0):  // Start or Resume
            isRunning = true
            return (.success, [0x04])
        case (0x08, 1) where parameters[0] == 1 || parameters[0] == 2:  // Stop or Pause
            isRunning = false
            return (.success, [0x02] + parameters)
        case (0x11, 6): return (.success, [0x12] + parameters)  // Set Indoor Bike Simulation Parameters
        case (0x01, _), (0x04, _), (0x05, _), (0x07, _), (0x08, _), (0x11, _): return (.invalidParameter, [])
        default: return (.opcodeNotSupported, [])
        }
    }

    /// The response, and the status if the client has subscribed to it.
    private mutating func response(
        _ opcode: UInt8, _ result: Result, _ status: [UInt8], _ client: ProfileClient
    ) -> ProfileReply {
        var reply = ProfileReply()
        let after = faults.contains("slow") ? FitnessLogic.slowness : .zero
        reply.values = [
            .init(type: FitnessLogic.controlPoint, octets: [0x80, opcode, result.rawValue], after: after)
        ]
        var states = status.isEmpty ? [] : [status]
        if result == .success, opcode != 0x00, faults.contains("loses-control") {
            controller = nil
            states.append([0xFF])
        }
        if client.subscribed.contains(FitnessLogic.status) {
            reply.values += states.map { .init(type: FitnessLogic.status, octets: $0) }
        }
        if result == .invalidParameter || result == .opcodeNotSupported {
            reply.mistake = ProfileMistake(
                rule: "control-point-request",
                sentence: "wrote op code \(opcode) to the Fitness Machine Control Point, which is answered with "
                    + "\(result == .invalidParameter ? "Invalid Parameter" : "Op Code Not Supported"): read the features "
                    + "and the ranges")
        }
        return reply
    }

    /// Speed, cadence, resistance and power (4.9.1).
    mutating func nextValue(_ type: BluetoothUUID) -> [UInt8]? {
        guard type == FitnessLogic.bikeData else { return nil }
        count += 1
        let sway = UInt16(count % 4)
        var octets: [UInt8] = []
        octets.append(littleEndian: UInt16(0x0064))  // instantaneous cadence, resistance, power
        octets.append(littleEndian: isRunning ? 2500 + sway * 10 : 0)  // 0.01 km/h
        octets.append(littleEndian: isRunning ? 160 + sway : 0)  // 0.5 per minute
        octets.append(littleEndian: UInt16(resistance / 10))
        octets.append(littleEndian: UInt16(bitPattern: isRunning ? power : 0))
        return octets
    }
}

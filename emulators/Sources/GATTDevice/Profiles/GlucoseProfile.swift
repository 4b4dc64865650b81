// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral

extension DeviceProfile {
    /// A glucose meter with ten records (Glucose Service 1.0), for bonded clients on encrypted links.
    static let glucose = DeviceProfile(
        "glucose",
        faults: [
            "no-records": "the meter has no records", "busy": "every procedure is refused: one is in progress",
            "no-response": "records without the response that ends the procedure",
            "unprotected": "no pairing is asked for",
        ]
    ) { faults in
        let security = faults.contains("unprotected") ? "none" : "encrypted"
        let json = """
            {"name": "glucose", "appearance": 1024, "services": [
              {"uuid": "1808", "characteristics": [
                {"uuid": "2A18", "properties": ["notify"], "security": "\(security)"},
                {"uuid": "2A51", "properties": ["read"], "value": "0000", "security": "\(security)"},
                {"uuid": "2A52", "properties": ["write", "indicate"], "security": "\(security)"}
              ]},
              \(batteryService), \(information)
            ]}
            """
        return (json, GlucoseLogic(faults))
    }
}

/// The records of a meter and its Record Access Control Point (Glucose Service 1.0, 3.1, 3.4).
struct GlucoseLogic: ProfileLogic {
    private static let measurement = BluetoothUUID(0x2A18)
    static let controlPoint = BluetoothUUID(0x2A52)
    /// The time between two records, so that others have the link as well.
    private static let gap = Duration.milliseconds(30)

    private enum Opcode: UInt8 {
        case report = 1
        case delete = 2
        case abort = 3
        case count = 4
    }

    private enum Response: UInt8 {
        case success = 1
        case opcodeNotSupported = 2
        case invalidOperator = 3
        case operatorNotSupported = 4
        case invalidOperand = 5
        case noRecords = 6
        case operandNotSupported = 9
    }

    private enum Operator: UInt8 {
        case all = 1
        case upTo = 2
        case from = 3
        case within = 4
        case first = 5
        case last = 6
    }

    private let faults: Set<String>
    /// The sequence numbers of the records, in their order.
    private var records: [UInt16]

    init(_ faults: Set<String>) {
        self.faults = faults
        records = faults.contains("no-records") ? [] : Array(1...10)
    }

    func refusal(_ octets: [UInt8], to type: BluetoothUUID, _ client: ProfileClient) -> ProfileRefusal? {
        guard type == GlucoseLogic.controlPoint else { return nil }
        if faults.contains("busy") { return ProfileRefusal(error: .firstOfService) }
        let reports = octets.first == Opcode.report.rawValue
        return client.refusalOfControlPoint(
            type, needing: reports ? [GlucoseLogic.measurement] : [],
            mayInterrupt: octets.first == Opcode.abort.rawValue)
    }

    mutating func perform(_ octets: [UInt8], to type: BluetoothUUID, _ client: ProfileClient) -> ProfileReply {
        guard type == GlucoseLogic.controlPoint else { return ProfileReply() }
        let code = octets.first ?? 0
        guard let opcode = Opcode(rawValue: code) else { return response(code, .opcodeNotSupported) }
        if opcode == .abort {
            var reply = response(code, octets.count == 2 && octets[1] == 0 ? .success : .invalidOperator)
            reply.aborts = reply.mistake == nil
            return reply
        }
        let chosen: [UInt16]
        switch GlucoseLogic.chosen(octets, of: records) {
        case .success(let found): chosen = found
        case .failure(let refusal): return response(code, refusal.response)
        }
        switch opcode {
        case .count:
            var number: [UInt8] = [5, 0]
            number.append(littleEndian: UInt16(chosen.count))
            return answer(number)
        case .delete where !chosen.isEmpty:
            records.removeAll { chosen.contains($0) }
            return response(code, .success)
        case .report where !chosen.isEmpty:
            var reply = ProfileReply()
            reply.values = chosen.map {
                ProfileReply.Value(
                    type: GlucoseLogic.measurement, octets: GlucoseLogic.record($0), after: GlucoseLogic.gap)
            }
            if !faults.contains("no-response") { reply.values += response(code, .success).values }
            return reply
        case .delete, .report, .abort: return response(code, .noRecords)
        }
    }

    private struct Refusal: Error { var response: Response }

    /// The records that an operator and its operand choose.
    private static func chosen(_ octets: [UInt8], of records: [UInt16]) -> Result<[UInt16], Refusal> {
        func refused(_ response: Response) -> Result<[UInt16], Refusal> { .failure(Refusal(response: response)) }
        guard octets.count >= 2, octets[1] != 0 else { return refused(.invalidOperator) }
        guard let chooser = Operator(rawValue: octets[1]) else { return refused(.operatorNotSupported) }
        let operand = octets.dropFirst(2)
        switch chooser {
        case .all, .first, .last:
            guard operand.isEmpty else { return refused(.invalidOperand) }
            return .success(
                chooser == .all ? records : Array(chooser == .first ? records.prefix(1) : records.suffix(1)))
        case .upTo, .from, .within:
            guard let filter = operand.first else { return refused(.invalidOperand) }
            // The user facing time is the other filter.
            guard filter == 1 else { return refused(.operandNotSupported) }
            let numbers = operand.dropFirst().map { UInt16($0) }
            guard numbers.count == (chooser == .within ? 4 : 2) else { return refused(.invalidOperand) }
            let low = numbers[0] | numbers[1] << 8
            let high = chooser == .within ? numbers[2] | numbers[3] << 8 : low
            guard low <= high else { return refused(.invalidOperand) }
            return .success(
                records.filter {
                    chooser == .upTo ? $0 <= high : chooser == .from ? $0 >= low : (low...high).contains($0)
                })
        }
    }

    /// Response Code (Glucose Service 1.0, 3.4.2). A response that is not about the records shows a mistake of the app.
    private func response(_ opcode: UInt8, _ response: Response) -> ProfileReply {
        var reply = answer([6, 0, opcode, response.rawValue])
        switch response {
        case .success, .noRecords, .operandNotSupported, .operatorNotSupported: break
        case .opcodeNotSupported, .invalidOperator, .invalidOperand:
            reply.mistake = ProfileMistake(
                rule: "control-point-request",
                sentence: "wrote a request to the Record Access Control Point that is answered with code "
                    + "\(response.rawValue): look at its op code, operator and operand")
        }
        return reply
    }

    private func answer(_ octets: [UInt8]) -> ProfileReply {
        var reply = ProfileReply()
        reply.values = [ProfileReply.Value(type: GlucoseLogic.controlPoint, octets: octets)]
        return reply
    }

    /// Glucose Measurement: time offset, concentration in kg/L, type and location (Glucose Service 1.0, 3.1).
    private static func record(_ number: UInt16) -> [UInt8] {
        var octets: [UInt8] = [0x03]
        octets.append(littleEndian: number)
        octets.append(littleEndian: UInt16(2026))
        octets += [1, UInt8(truncatingIfNeeded: number), 7, 30, 0]  // month, day, hours, minutes, seconds
        octets.append(littleEndian: UInt16(0))
        octets.append(shortMantissa: 90 + Int16(number % 30), exponent: -5)
        octets.append(0x11)  // capillary whole blood, finger
        return octets
    }
}

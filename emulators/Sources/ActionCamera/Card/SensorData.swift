// SPDX-License-Identifier: Apache-2.0

import Emulation
import JSON
import Octets

/// Made-up sensor data of a recording, a set a second, which depends on nothing but its time (Bandit §3.9, §8.3).
struct SensorData {
    /// The sensors, with their names in `filter`.
    enum Sensor: String, CaseIterable {
        case gnss
        case accel
        case gyro
        case magnet
        case temp
        case pressure
        case heartRate = "heart_rate"
        case cadence

        /// The sensors of a filter: names and commas, or the array that the iOS library prints (Bandit §2.3).
        static func list(_ text: String) throws(CameraRefusal) -> [Sensor] {
            var names = text[...]
            if names.first == "[", names.last == "]" { names = names.dropFirst().dropLast() }
            var sensors: [Sensor] = []
            for name in names.split(separator: ",", omittingEmptySubsequences: false) {
                let word = name.filter { $0 != " " && $0 != "\"" && $0 != "+" }
                guard let sensor = Sensor(rawValue: word) else { throw .wrongParameter }
                sensors.append(sensor)
            }
            return sensors
        }
    }

    private let recording: Recording
    private let surroundings: Surroundings
    private let sensors: [Sensor]

    init(_ recording: Recording, _ surroundings: Surroundings, _ sensors: [Sensor]) {
        self.recording = recording
        self.surroundings = surroundings
        self.sensors = sensors
    }

    // MARK: - Values

    private func wave(_ second: Int, _ period: Int, _ size: Int) -> Int {
        let step = second % period
        return (2 * step < period ? 4 * step - period : 3 * period - 4 * step) * size / period
    }

    private func acceleration(_ second: Int) -> [Int] { [wave(second, 7, 120), wave(second, 5, 80), 1000] }
    private func rotation(_ second: Int) -> [Int] { [wave(second, 9, 12), wave(second, 11, 8), wave(second, 13, 20)] }
    private func magnetism(_ second: Int) -> [Int] { [21 + wave(second, 17, 3), -4, 43] }
    private func pressure(_ second: Int) -> Int { 100_800 + wave(second, 60, 40) }
    private func latitude(_ second: Int) -> Double { surroundings.position.latitude + Double(second) * 0.00005 }

    private static let speed = 5.5
    private static let track = 12.0
    private static let ranges = (altitude: 13.34, latitude: 17.218, longitude: 17.218)

    // MARK: - JSON

    /// The sets of these seconds. Each has a sensor array at least, or is left out.
    func json(_ seconds: Range<Int>) -> [JSONObject] {
        seconds.compactMap { second in
            var object = JSONObject()
            object.add("offset_msecs", second * 1000)
            let before = object
            for sensor in sensors { add(sensor, second, to: &object) }
            return object == before ? nil : object
        }
    }

    private func add(_ sensor: Sensor, _ second: Int, to object: inout JSONObject) {
        switch sensor {
        case .accel: object.add("accel_mg", json: SensorData.vectors([acceleration(second)]))
        case .gyro: object.add("gyro_degsec", json: SensorData.vectors([rotation(second)]))
        case .magnet: object.add("magnet_mt", json: SensorData.vectors([magnetism(second)]))
        case .temp: object.add("temp_mc", json: "[\(surroundings.temperature)]")
        case .pressure: object.add("pressure_pa", json: "[\(pressure(second))]")
        case .heartRate: if let rate = surroundings.heartRate { object.add("heart_rate", json: "[\(rate)]") }
        case .cadence: if let cadence = surroundings.cadence { object.add("cadence", json: "[\(cadence)]") }
        case .gnss: object.add("gnss", [position(second)])
        }
    }

    private static func vectors(_ vectors: [[Int]]) -> String {
        "[" + vectors.map { "[" + $0.map { "\($0)" }.joined(separator: ",") + "]" }.joined(separator: ",") + "]"
    }

    private func position(_ second: Int) -> JSONObject {
        [
            "time_secs": Double(recording.created) + Double(second), "mode": surroundings.hasFix ? "3D" : "NoFix",
            "speed_mps": SensorData.speed, "alt_m": 3.0, "lat_deg": latitude(second),
            "lon_deg": surroundings.position.longitude, "track_deg": SensorData.track,
            "range_alt_m": SensorData.ranges.altitude, "range_lat_m": SensorData.ranges.latitude,
            "range_lon_m": SensorData.ranges.longitude, "heading_deg": SensorData.track, "range_track_deg": 1.0,
        ]
    }

    // MARK: - Records

    /// The records of these seconds, least significant octet first: a type and its payload.
    func records(_ seconds: Range<Int>) -> [UInt8] {
        var octets: [UInt8] = []
        for second in seconds {
            octets.append(0xFF)
            octets.append(littleEndian: UInt32(truncatingIfNeeded: second * 1000))
            for sensor in sensors {
                switch sensor {
                case .gyro: SensorData.append(0, rotation(second), to: &octets)
                case .pressure: SensorData.append(1, [pressure(second)], to: &octets)
                case .magnet: SensorData.append(2, magnetism(second), to: &octets)
                case .accel: SensorData.append(3, acceleration(second), to: &octets)
                case .gnss: appendPosition(second, to: &octets)
                // The types of these are not public (Bandit §15.10).
                case .temp, .heartRate, .cadence: break
                }
            }
        }
        return octets
    }

    private static func append(_ type: UInt8, _ values: [Int], to octets: inout [UInt8]) {
        octets.append(type)
        for value in values { octets.append(littleEndian: UInt32(bitPattern: Int32(truncatingIfNeeded: value))) }
    }

    private func appendPosition(_ second: Int, to octets: inout [UInt8]) {
        func append(_ value: Double) { octets.append(littleEndian: value.bitPattern) }
        octets.append(5)
        append(Double(recording.created) + Double(second))
        octets.append(littleEndian: UInt32(surroundings.hasFix ? 3 : 1))
        append(SensorData.speed)
        append(3)
        append(latitude(second))
        append(surroundings.position.longitude)
        octets.append(littleEndian: UInt32(0))
        append(SensorData.track)
        append(SensorData.ranges.altitude)
        append(SensorData.ranges.latitude)
        append(SensorData.ranges.longitude)
        append(.nan)
        octets.append(littleEndian: UInt32(6))
    }
}

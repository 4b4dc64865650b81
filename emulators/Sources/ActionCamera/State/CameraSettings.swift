// SPDX-License-Identifier: Apache-2.0

import JSON
import Octets

/// The section `camera` of the settings (Bandit §3.6).
struct CameraSettings: Equatable, Sendable {
    static let switches = [
        "gnss_enabled", "sound_enabled", "lights_enabled", "image_rotation_enabled", "external_microphone_enabled",
        "video_stabilisation_enabled",
    ]
    static let choices: [(name: String, values: [String])] = [
        ("metering", ["center", "normal", "wide"]),
        ("white_balance_mode", ["auto", "7500K", "5000K", "4000K", "3000K", "2000K"]),
    ]
    /// Accepted, and ignored: the iOS library sends them back.
    static let readOnly = ["serial_number", "ble_camera_id", "ble_verification_code"]

    let serialNumber: String
    private var enabled: [Bool]
    private var chosen: [String]

    init(serialNumber: String) {
        self.serialNumber = serialNumber
        enabled = [true, true, true, true, false, true]
        chosen = ["normal", "auto"]
    }

    /// Takes any of the settings; nothing changes if one is wrong.
    mutating func apply(_ fields: JSONFields) throws(CameraRefusal) {
        var changed = self
        for name in fields.names where !CameraSettings.readOnly.contains(name) {
            if let index = CameraSettings.switches.firstIndex(of: name), let value = fields.boolean(name) {
                changed.enabled[index] = value
            } else if let index = CameraSettings.choices.firstIndex(where: { $0.name == name }),
                let value = fields.text(name), CameraSettings.choices[index].values.contains(value)
            {
                changed.chosen[index] = value
            } else {
                throw .wrongParameter
            }
        }
        self = changed
    }

    var json: JSONObject {
        var object = JSONObject()
        object.add("serial_number", serialNumber)
        object.add("ble_camera_id", CameraSettings.crc32(of: Array(serialNumber.utf8)).padded(to: 8, radix: 16))
        object.add("ble_verification_code", verificationCode)
        for (name, value) in zip(CameraSettings.switches, enabled) { object.add(name, value) }
        for (choice, value) in zip(CameraSettings.choices, chosen) { object.add(choice.name, value) }
        return object
    }

    /// Eight letters and digits that stay the same.
    private var verificationCode: String {
        let letters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
        var state = CameraSettings.hash(serialNumber)
        return String(
            (0..<8).map { _ in
                defer { state = CameraSettings.mixed(state) }
                return letters[Int(state % UInt64(letters.count))]
            })
    }

    /// CRC-32 of IEEE 802.3.
    static func crc32(of octets: [UInt8]) -> UInt32 {
        var crc = UInt32.max
        for octet in octets {
            crc ^= UInt32(octet)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return ~crc
    }

    /// The beginning of the ids of a camera's files: a UUID that depends on its serial number.
    static func uuid(of serialNumber: String) -> String {
        let high = hash(serialNumber), low = mixed(high)
        let digits = Array(
            (high.padded(to: 16, radix: 16, uppercase: true) + low.padded(to: 16, radix: 16, uppercase: true)))
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
    }

    /// FNV-1a.
    private static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    private static func mixed(_ value: UInt64) -> UInt64 {
        let half = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        return half ^ half >> 27
    }
}

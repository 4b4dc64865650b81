// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral

extension DeviceProfile {
    /// A keyboard (HID over GATT 1.0, HID Service 1.0), for clients on encrypted links: it types "hello" and a line
    /// end, a key each second.
    static let keyboard = DeviceProfile(
        "hid-keyboard",
        faults: [
            "stuck-key": "keys are not released", "roll-over": "too many keys are pressed: the report has 01 for each",
            "unprotected": "no pairing is asked for",
        ]
    ) { faults in
        let security = faults.contains("unprotected") ? "none" : "encrypted"
        let reports = KeyboardReports.typed(faults).map { "\"\(Hexadecimal.text($0))\"" }.joined(separator: ", ")
        let none = Hexadecimal.text(KeyboardReports.none)
        let json = """
            {"name": "hid-keyboard", "appearance": 961, "services": [
              {"uuid": "1812", "characteristics": [
                {"uuid": "2A4E", "properties": ["read", "write-without-response"], "value": "01", "max-length": 1,
                 "security": "\(security)"},
                {"uuid": "2A4D", "properties": ["read", "notify"], "values": ["\(none)", \(reports)],
                 "notify-every": "500 ms", "security": "\(security)", "descriptors": [{"uuid": "2908", "value": "0101"}]},
                {"uuid": "2A4D", "properties": ["read", "write", "write-without-response"], "value": "00",
                 "max-length": 1, "security": "\(security)", "descriptors": [{"uuid": "2908", "value": "0102"}]},
                {"uuid": "2A22", "properties": ["read", "notify"], "value": "\(none)", "security": "\(security)"},
                {"uuid": "2A32", "properties": ["read", "write", "write-without-response"], "value": "00",
                 "max-length": 1, "security": "\(security)"},
                {"uuid": "2A4B", "properties": ["read"], "value": "\(Hexadecimal.text(KeyboardReports.map))",
                 "security": "\(security)"},
                {"uuid": "2A4A", "properties": ["read"], "value": "11010002", "security": "\(security)"},
                {"uuid": "2A4C", "properties": ["write-without-response"], "max-length": 1, "security": "\(security)"}
              ]},
              {"uuid": "180A", "characteristics": [
                {"uuid": "2A29", "properties": ["read"], "text": "readerlab"},
                {"uuid": "2A50", "properties": ["read"], "value": "01ffff01000100"}
              ]},
              \(batteryService)
            ]}
            """
        return (json, nil)
    }
}

/// The reports of a keyboard: eight modifier bits, a reserved octet, six keys.
enum KeyboardReports {
    /// Nothing is pressed.
    static let none = [UInt8](repeating: 0, count: 8)

    /// The report map: input report 1 as above, output report 1 with five lights (USB HID 1.11, 6.2.2, appendix B.1).
    static let map: [UInt8] = [
        0x05, 0x01, 0x09, 0x06, 0xA1, 0x01,  // generic desktop, keyboard, application
        0x85, 0x01,  // report 1
        0x05, 0x07, 0x19, 0xE0, 0x29, 0xE7, 0x15, 0x00, 0x25, 0x01, 0x75, 0x01, 0x95, 0x08, 0x81, 0x02,  // modifiers
        0x95, 0x01, 0x75, 0x08, 0x81, 0x01,  // reserved
        0x95, 0x05, 0x75, 0x01, 0x05, 0x08, 0x19, 0x01, 0x29, 0x05, 0x91, 0x02,  // lights
        0x95, 0x01, 0x75, 0x03, 0x91, 0x01,  // padding
        0x95, 0x06, 0x75, 0x08, 0x15, 0x00, 0x25, 0x65, 0x05, 0x07, 0x19, 0x00, 0x29, 0x65, 0x81, 0x00,  // keys
        0xC0,
    ]

    /// h, e, l, l, o and Enter (HID Usage Tables, Keyboard page): each pressed, then released.
    static func typed(_ faults: Set<String>) -> [[UInt8]] {
        if faults.contains("roll-over") { return [[0, 0] + [UInt8](repeating: 1, count: 6)] }
        let keys: [UInt8] = [0x0B, 0x08, 0x0F, 0x0F, 0x12, 0x28]
        return keys.flatMap { key in
            let pressed = [0, 0, key] + [UInt8](repeating: 0, count: 5)
            return faults.contains("stuck-key") ? [pressed] : [pressed, none]
        }
    }
}

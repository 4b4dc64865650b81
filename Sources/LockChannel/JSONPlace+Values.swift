// SPDX-License-Identifier: Apache-2.0

import JSON
import WiFi

extension JSONPlace {
    /// A number of 32 bits.
    func unsigned() throws(JSONPlaceFault) -> UInt32 { UInt32(try number(0...Int(UInt32.max))) }

    /// A text of limited length.
    func shortText() throws(JSONPlaceFault) -> String {
        let text = try text()
        guard text.utf8.count <= LockChannelLimits.textCount else {
            throw fault("has \(text.utf8.count) octets, and \(LockChannelLimits.textCount) are the most")
        }
        return text
    }

    /// A value that may be null.
    func optional<Value>(
        _ value: (JSONPlace) throws(JSONPlaceFault) -> Value
    ) throws(JSONPlaceFault) -> Value? { node.content == .null ? nil : try value(self) }

    /// The address of a Wi-Fi station or access point.
    func wifiAddress() throws(JSONPlaceFault) -> WiFiAddress {
        guard let address = WiFiAddress(try text()) else { throw fault("is no address such as 02:11:22:33:44:55") }
        return address
    }

    /// The name of a network, in digits.
    func wifiName() throws(JSONPlaceFault) -> WiFiName {
        guard let name = WiFiName(try octets(maximum: WiFiName.maximumCount)) else { throw fault("is no name") }
        return name
    }
}

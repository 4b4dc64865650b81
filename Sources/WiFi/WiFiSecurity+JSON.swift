// SPDX-License-Identifier: Apache-2.0

public import JSON

extension JSONPlace {
    /// A security by its name.
    public func wifiSecurity() throws(JSONPlaceFault) -> WiFiSecurity {
        let word = try text()
        guard let security = WiFiSecurity(word: word) else {
            let names = WiFiSecurity.allCases.map(\.word).joined(separator: ", ")
            throw fault("\(word.debugDescription) is not known; write \(names), or several with + between")
        }
        return security
    }
}

// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
package import Peripheral

extension BluetoothUUID {
    /// Parses the value of an option.
    package init(option: String, _ text: String) throws {
        guard let uuid = BluetoothUUID(text) else {
            throw ValidationError(
                "\(option) \(text.debugDescription) is no UUID; write four hexadecimal digits, or 36 characters with "
                    + "hyphens")
        }
        self = uuid
    }
}

// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Peripheral
import Reader

extension AccessTable {
    /// The table of a reader with the demo identity.
    static func demo(_ configuration: AccessConfiguration) throws -> AccessTable {
        try AccessTable(
            deviceName: ReaderIdentity.demo().deviceID, modes: configuration.modes.map(\.mode),
            identifiers: configuration.identifiers,
            record: ManufacturerRecord(isFactory: true, applicationVersion: 1, localMidnight: 0))
    }
}

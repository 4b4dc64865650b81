// SPDX-License-Identifier: Apache-2.0

import Peripheral

/// The advertising and scan response data of a device (Core Specification Supplement, Part A, 1). What does not fit is
/// left out.
struct DeviceAdvertising {
    /// Flags, and the first services that fit.
    let data: [UInt8]
    /// The name, cut between two characters to the part that fits.
    let scanResponse: [UInt8]

    /// The data of a device with this name and these services.
    init(name: String, services: [BluetoothUUID]) {
        var data = AdvertisingData()
        try? data.add(flags: .generalDiscoverable)
        try? data.add(services: services)
        var response = AdvertisingData()
        try? response.add(name: name)
        (self.data, scanResponse) = (data.octets, response.octets)
    }
}

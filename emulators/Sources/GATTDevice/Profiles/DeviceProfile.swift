// SPDX-License-Identifier: Apache-2.0

import Peripheral

/// A profile of the Bluetooth SIG as a device, by its name: its services, its values, its control points.
public struct DeviceProfile: Sendable {
    /// A fault of a profile's device.
    public struct NamedFault: Equatable, Sendable {
        /// Its name.
        public let name: String
        /// The misbehaviour, in a few words.
        public let meaning: String
    }

    /// The name for `--profile`.
    public let name: String
    /// The faults that can be chosen.
    public let faults: [NamedFault]
    private let description: @Sendable (Set<String>) -> (json: String, logic: (any ProfileLogic)?)

    /// All profiles.
    public static let all: [DeviceProfile] = [
        heartRate, battery, thermometer, glucose, keyboard, fitnessMachine, cyclingSpeed, cyclingPower,
    ]

    /// The profile with this name.
    public init?(named name: String) {
        guard let profile = DeviceProfile.all.first(where: { $0.name == name }) else { return nil }
        self = profile
    }

    init(
        _ name: String, faults: KeyValuePairs<String, String>,
        _ description: @escaping @Sendable (Set<String>) -> (json: String, logic: (any ProfileLogic)?)
    ) {
        self.name = name
        self.faults = faults.map { NamedFault(name: $0.key, meaning: $0.value) }
        self.description = description
    }

    /// The device with these faults, of which unknown ones are ignored.
    ///
    /// - Parameters: as of a device file.
    /// - Throws: a fault of the built-in description, which the tests exclude for every set of faults.
    public func table(
        faults: Set<String> = [], name: String? = nil, tellsOfChanges: Bool = false
    ) throws(DeviceFault) -> DeviceTable {
        let (json, logic) = description(faults)
        var table = try DeviceTable(
            json: Array(json.utf8), name: name, holdsValues: true, tellsOfChanges: tellsOfChanges)
        table.logic = logic
        return table
    }

    /// The Device Information service of the built-in devices (DIS 1.1).
    static let information = """
        {"uuid": "180A", "characteristics": [
          {"uuid": "2A29", "properties": ["read"], "text": "readerlab"},
          {"uuid": "2A24", "properties": ["read"], "text": "emulated"}
        ]}
        """

    /// The Battery service of the built-in devices that have a battery next to their purpose (BAS 1.0).
    static let batteryService = """
        {"uuid": "180F", "characteristics": [{"uuid": "2A19", "properties": ["read", "notify"], "value": "5a"}]}
        """
}

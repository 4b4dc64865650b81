// SPDX-License-Identifier: Apache-2.0

import Configuration
import Peripheral
import Proximity
import Reader

extension AccessConfiguration {
    /// Creates the configuration from settings that have been checked: their numbers are in range and their UUIDs
    /// valid.
    init(_ settings: ReaderSettings, addresses: AddressBook) throws(ReaderdError) {
        var modes: [Mode] = []
        for mode in settings.advertising.modes {
            guard let address = addresses[mode] else { throw .failed("no address for mode \(mode.rawValue)") }
            modes.append(Mode(mode: mode, address: address, gate: settings.proximity.gate(of: mode).map { .init($0) }))
        }
        self.init(modes: modes)
        maximumLinks = settings.links.maximum
        maximumConnection = .milliseconds(settings.links.maximumConnectionMilliseconds)
        longestConnection = .seconds(settings.links.longestConnectionSeconds)
        advertisingInterval = .milliseconds(settings.advertising.intervalMilliseconds)
        zone = try LocalZone.load(settings)
        credentials = settings.credentialPolicy
        cards = settings.cardReading
        blacklistCapacity = settings.credentials.blacklistCapacity
        identifiers = try AdvertisingPackets.Identifiers(settings.advertising)
        version = .current
        pushable = Set(settings.reader.pushable)
        reArm = .milliseconds(settings.door.reArmMilliseconds)
        officeHours = settings.door.officeHours
        for input in DoorInput.allCases {
            debounce[input] = .milliseconds(settings.gpio.debounceMilliseconds(of: input))
        }
        isAudited = true
        audit = settings.events.policy
    }
}

extension ProximityGate.Configuration {
    init(_ gate: ReaderSettings.Proximity.Gate) {
        self.init()
        threshold = Int8(clamping: gate.thresholdDBm)
        window = .milliseconds(gate.windowMilliseconds)
        interval = .milliseconds(gate.intervalMilliseconds)
        samples = gate.samples
        maximumPathLoss = gate.maximumPathLossDB
    }
}

extension AdvertisingPackets.Identifiers {
    init(_ settings: ReaderSettings.Advertising) throws(ReaderdError) {
        func uuid(_ key: String, _ text: String) throws(ReaderdError) -> BluetoothUUID {
            guard let uuid = BluetoothUUID(text) else {
                throw .failed("advertising.\(key): \"\(text)\" is not a UUID; write 36 characters with hyphens")
            }
            return uuid
        }
        self.init()
        company = UInt16(truncatingIfNeeded: settings.companyID)
        accessService = BluetoothUUID(UInt16(truncatingIfNeeded: settings.accessService))
        classicService = try uuid("classic-service", settings.classicService)
        onTouchService = try uuid("on-touch-service", settings.onTouchService)
        pkocService = try uuid("pkoc-service", settings.pkocService)
        iBeacon = try uuid("ibeacon-uuid", settings.iBeaconUUID)
    }
}

extension FirmwareVersion {
    /// This firmware, built 2026-11-21. A clock with an earlier time counts as not set.
    static var current: FirmwareVersion {
        var version = FirmwareVersion()
        version.buildTime = 1_795_219_200
        version.version = 0x0001
        return version
    }
}

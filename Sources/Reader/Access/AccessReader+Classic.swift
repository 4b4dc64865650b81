// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import CBOR
import Peripheral
import Proximity
import Timekeeping

/// The commands `gcfg` and `gver`. The published protocol says only that their answers are CBOR, and what they are
/// about; the maps and their keys are our own profile, named as in the configuration file (docs/protocol/commands.md).
extension AccessReader {
    /// Appends the lock's identifier and the Bluetooth settings in force. No secret is among them: this reader has no
    /// API key, and its keys never leave it.
    mutating func appendConfiguration() -> StatusCode {
        append(.map(configuration.bluetoothSettings.merging([.text("id"): .text(identity.deviceID)]) { $1 }))
    }

    /// Appends the answer to `PING` as a map.
    mutating func appendVersions() -> StatusCode {
        let version = configuration.version
        return append(
            .map([
                .text("build-time"): .integer(Int64(version.buildTime)),
                .text("version"): .integer(Int64(version.version)),
                .text("test-version"): .integer(Int64(version.testVersion)),
            ]))
    }

    private mutating func append(_ value: CBORValue) -> StatusCode {
        do { try value.encode(limit: PhoneAnswer.octetLimit, into: &result) } catch { return .encode }
        return .ok
    }
}

extension AccessConfiguration {
    /// The tables `advertising` and `links` of the configuration file.
    fileprivate var bluetoothSettings: [CBORValue: CBORValue] {
        [
            .text("advertising"): .map([
                .text("modes"): .array(modes.map { $0.settings(identifiers) }),
                .text("interval-ms"): .milliseconds(advertisingInterval),
                .text("company-id"): .integer(Int64(identifiers.company)),
            ]),
            .text("links"): .map([
                .text("max"): .integer(Int64(maximumLinks)),
                .text("max-connection-ms"): .milliseconds(maximumConnection),
            ]),
        ]
    }
}

extension AccessConfiguration.Mode {
    fileprivate func settings(_ identifiers: AdvertisingPackets.Identifiers) -> CBORValue {
        .map([
            .text("mode"): .text(mode.rawValue),
            .text("service"): .text("\(identifiers.service(of: mode))"),
            .text("address"): .text("\(address)"),
            .text("proximity"): gate?.settings ?? .null,
        ])
    }
}

extension ProximityGate.Configuration {
    fileprivate var settings: CBORValue {
        var settings: [CBORValue: CBORValue] = [
            .text("threshold-dbm"): .integer(Int64(threshold)),
            .text("window-ms"): .milliseconds(window),
            .text("interval-ms"): .milliseconds(interval),
            .text("samples"): .integer(Int64(samples)),
        ]
        if let maximumPathLoss { settings[.text("max-path-loss-db")] = .integer(Int64(maximumPathLoss)) }
        return .map(settings)
    }
}

extension CBORValue {
    fileprivate static func milliseconds(_ duration: Duration) -> CBORValue { .integer(duration.wholeMilliseconds) }
}

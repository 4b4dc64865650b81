// SPDX-License-Identifier: Apache-2.0

import Octets
public import Peripheral
import Timekeeping
public import WiFi
import WiFiStation

/// The state of a device's advertising, and of its updates.
struct NordicAdvertising: Sendable {
    /// The name, once it is known.
    var name = ""
    /// The current advertising, or the advertising after the pending restart; nil before the start.
    var shown: NordicAdvertisement?
    /// The time of the next service data update.
    var refresh: Instant?
    /// The time of the restart of advertising.
    var restart: Instant?

    var deadline: Instant? { Instant.earlier(refresh, restart) }
}

extension NordicProvisioning {
    /// The UUID of the Wi-Fi provisioning service.
    public static let service = BluetoothUUID(high: 0x1438_7800_130C_49E7, low: 0xB877_2881_C89C_B258)

    /// The default name of a device with this Wi-Fi address: `PV` and its last three octets.
    public static func usualName(_ address: WiFiAddress) -> String {
        "PV" + Hexadecimal.text(address.octets.suffix(3), uppercase: true)
    }

    /// The last four octets of the scan response: version, flags (with the reserved octet), RSSI.
    func serviceData(_ wifi: some WiFiStation) -> [UInt8] {
        let status = try? wifi.status()
        let isConnected = status?.isLinkUp ?? false
        var flags: UInt8 = 0
        if isProvisioned { flags |= 0x01 }
        if isConnected { flags |= 0x02 }
        let rssi = isConnected ? status?.network?.rssi ?? .min : .min
        return [settings.version, flags, settings.repeatsFlags ? flags : 0, UInt8(bitPattern: rssi)]
    }

    private var isProvisioned: Bool { !stored.isEmpty || volatileNetwork != nil }

    private func advertisement(_ serviceData: [UInt8], interval: Duration) -> NordicAdvertisement {
        var data = AdvertisingData()
        var response = AdvertisingData()
        // Both fit; only a long name is cut.
        try? data.add(flags: .generalDiscoverable)
        try? data.add(services: [settings.uuids.service])
        try? data.add(name: advertising.name)
        try? response.add(data: serviceData, ofService: settings.uuids.service)
        return NordicAdvertisement(data: data.octets, scanResponse: response.octets, interval: interval)
    }

    /// Starts advertising. The firmware does so before it has read its state, and always at the fast interval.
    mutating func beginAdvertising(_ wifi: some WiFiStation, at now: Instant) {
        advertising.name = settings.name ?? NordicProvisioning.usualName(wifi.address)
        show(
            isExact ? advertisement([0, 0, 0, 0], interval: NordicTiming.fastInterval) : wantedAdvertisement(wifi),
            at: now)
    }

    private func wantedAdvertisement(_ wifi: some WiFiStation) -> NordicAdvertisement {
        advertisement(
            serviceData(wifi), interval: isProvisioned ? NordicTiming.slowInterval : NordicTiming.fastInterval)
    }

    private mutating func show(_ advertisement: NordicAdvertisement, at now: Instant) {
        if advertising.shown != advertisement { act(.advertise(advertisement)) }
        advertising.shown = advertisement
        advertising.refresh = now + NordicTiming.refresh
    }

    /// Stops advertising when a client has connected: the firmware does not advertise then.
    mutating func pauseAdvertising() {
        advertising.refresh = nil
        advertising.restart = nil
        act(.stopAdvertising)
    }

    /// Resumes advertising when the last client has disconnected: the firmware reads its state immediately, and
    /// advertises a second later at the interval that applies then.
    mutating func resumeAdvertising(_ wifi: some WiFiStation, at now: Instant) {
        advertising.shown = wantedAdvertisement(wifi)
        advertising.restart = now + NordicTiming.restart
        advertising.refresh = now + NordicTiming.refresh
    }

    /// Updates the service data: the firmware every five seconds, `gateway` also when its flags change.
    mutating func refreshAdvertising(_ wifi: some WiFiStation, at now: Instant) {
        guard let shown = advertising.shown else { return }
        if let restart = advertising.restart, restart <= now {
            advertising.restart = nil
            act(.advertise(shown))
        }
        let isDue = advertising.refresh.map { $0 <= now } ?? false
        if isExact {
            guard isDue else { return }
            let fresh = advertisement(serviceData(wifi), interval: shown.interval)
            // Before the restart there is no advertising to update.
            if advertising.restart != nil { advertising.shown = fresh } else { show(fresh, at: now) }
            advertising.refresh = now + NordicTiming.refresh
        } else {
            let wanted = wantedAdvertisement(wifi)
            let isOther =
                wanted.scanResponse.dropLast() != shown.scanResponse.dropLast() || wanted.interval != shown.interval
            if isDue || isOther { show(wanted, at: now) }
        }
    }
}

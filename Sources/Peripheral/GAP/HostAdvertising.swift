// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// Control of advertising, and the handling of its commands' answers.
extension Host {
    /// Enables, as initially, or disables all advertising sets. The last call takes effect, regardless of commands in
    /// flight, and remains in effect after failures of the controller.
    public mutating func setAdvertising(enabled: Bool, at now: Instant) {
        if enabled { renewIfUnverified(at: now) }
        advertiser.setWanted(enabled)
        sendCommands(at: now)
    }

    /// Enables, as initially, or disables connectable sets; the others continue. The host does the same while its link
    /// table is full.
    public mutating func setConnectable(_ isConnectable: Bool, at now: Instant) {
        advertiser.setConnectable(isConnectable)
        sendCommands(at: now)
    }

    /// Sets the source of private addresses, at any time. Sets with private addresses are not advertised before.
    public mutating func makePrivateAddresses(with privacy: AddressPrivacy) {
        advertiser.makeAddresses(with: privacy)
        isDue = true
    }

    /// The state of advertising as last reported by the event `advertising`.
    public var advertisingStatus: AdvertisingStatus { advertiser.status }

    /// The identifiers of configured sets that are not advertised: with a fault (see `AdvertisingSet.fault`), with a
    /// repeated identifier, or with an address that the host cannot generate.
    public var unservedAdvertisingSets: [UInt8] { advertiser.unserved }

    /// The transmit power of a set in dBm. Nil if it is not known: a controller without extended advertising is only
    /// asked if a set has `transmitPower` or `fillsTransmitPower`, and a set that shares a place has it only during its
    /// turn.
    public func transmitPower(ofSet id: UInt8) -> Int8? { advertiser.transmitPower(ofSet: id) }

    /// The last address of a set on the air; nil if the set has not been on the air. A link's address is in its
    /// description.
    public func onAirAddress(ofSet id: UInt8) -> BluetoothAddress? { advertiser.onAirAddress(of: id) }

    /// Handles the controller's answer to a command of the advertiser.
    mutating func advertisingAnswered(
        _ command: AdvertisingCommand?, _ status: HCIStatus, _ packet: Span<UInt8>, in range: Range<Int>,
        at now: Instant
    ) {
        let answer =
            switch command {
            case .parameters: AdvertisingAnswer(packet, in: range, requiresPower: false)
            case .legacyPower: AdvertisingAnswer(packet, in: range, requiresPower: true)
            default: AdvertisingAnswer(status)
            }
        reviewed(advertiser.answered(answer, at: now, hasLinks: hasLinks), at: now)
        // Only a reset removes a set; unless it was one, the next round shows nothing.
        if status == .unknownAdvertisingIdentifier { hastenRound(at: now) }
    }

    /// Reports the state of advertising, if it has changed.
    mutating func reportAdvertising() {
        guard let status = advertiser.takeStatus() else { return }
        if !status.onAir.isEmpty { claimed(at: lastInput) }
        emit(.advertising(status))
    }
}

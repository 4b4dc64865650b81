public import Timekeeping

/// Control of advertising, and the answers to the advertiser's commands.
extension Host {
    /// Lets the advertising sets run, which is how a host begins, or stops them all. The last wish wins, whatever is in
    /// flight, and holds across failures of the controller.
    public mutating func setAdvertising(enabled: Bool, at now: Instant) {
        advertiser.want(enabled)
        sendCommands(at: now)
    }

    /// Lets phones connect, which is how a host begins, or stops the sets that are connectable while the others run
    /// on. The host does the same by itself while its link table is full.
    public mutating func setConnectable(_ isConnectable: Bool, at now: Instant) {
        advertiser.want(connections: isConnectable)
        sendCommands(at: now)
    }

    /// Says how the private addresses of sets are made, before `start` or at any time later. Sets that want one are
    /// not served before.
    public mutating func makePrivateAddresses(with privacy: AddressPrivacy) {
        advertiser.makeAddresses(with: privacy)
        isDue = true
    }

    /// The sets that are never advertised although they are configured, by identifier: those that no controller can
    /// take (see `AdvertisingSet.fault`), whose identifier another has, or whose address the host cannot make.
    public var unservedAdvertisingSets: [UInt8] { advertiser.unserved }

    /// The power with which the controller sends a set, in dBm. Nil if it has not said: a controller without extended
    /// advertising is asked only if a set has `transmitPower` or `fillsTransmitPower`, and a set that shares a place
    /// has its turn from time to time.
    public func transmitPower(ofSet id: UInt8) -> Int8? { advertiser.transmitPower(ofSet: id) }

    /// The address with which a set was last on the air; nil if it never was. A link's own is in its description.
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
        advertiser.answered(answer, at: now, hasLinks: hasLinks)
    }
}

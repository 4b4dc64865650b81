public import Timekeeping

/// What the device says of advertising, and the commands and answers of the advertiser.
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

    /// The controller's answer to a command of the advertiser.
    mutating func advertisingAnswered(
        _ opcode: HCIOpcode, _ status: HCIStatus, _ packet: Span<UInt8>, in range: Range<Int>, at now: Instant
    ) {
        let answer =
            switch opcode {
            case .leSetExtendedAdvertisingParameters:
                AdvertisingAnswer(LESetExtendedAdvertisingParameters.answer(packet, in: range))
            case .leReadAdvertisingTransmitPower:
                AdvertisingAnswer(LEReadAdvertisingTransmitPower.answer(packet, in: range))
            default: AdvertisingAnswer(status)
            }
        advertiser.answered(answer, at: now, hasLinks: hasLinks)
    }

    /// Sends a command of the advertiser.
    mutating func send(_ command: AdvertisingCommand, at now: Instant) {
        switch command {
        case .randomAddress(let address): send(LESetRandomAddress(address: address), for: .advertising, at: now)
        case .legacyAddress(_, let address): send(LESetRandomAddress(address: address), for: .advertising, at: now)
        case .legacyParameters(let parameters):
            send(LESetAdvertisingParameters(parameters: parameters), for: .advertising, at: now)
        case .legacyPower: send(LEReadAdvertisingTransmitPower(), for: .transmitPower, at: now)
        case .legacyData(let data): send(LESetAdvertisingData(data: data), for: .advertising, at: now)
        case .legacyScanResponse(let data): send(LESetScanResponseData(data: data), for: .advertising, at: now)
        case .legacyEnable(let enabled): send(LESetAdvertisingEnable(enabled: enabled), for: .advertising, at: now)
        case .parameters(let set, let parameters):
            send(LESetExtendedAdvertisingParameters(set: set, parameters: parameters), for: .advertising, at: now)
        case .address(let set, let address):
            send(LESetAdvertisingSetRandomAddress(set: set, address: address), for: .advertising, at: now)
        case .data(let set, let data):
            send(LESetExtendedAdvertisingData(set: set, data: data), for: .advertising, at: now)
        case .scanResponse(let set, let data):
            send(LESetExtendedScanResponseData(set: set, data: data), for: .advertising, at: now)
        case .enable(let sets):
            send(LESetExtendedAdvertisingEnable(enabled: true, sets: sets), for: .advertising, at: now)
        case .disable(let sets):
            send(LESetExtendedAdvertisingEnable(enabled: false, sets: sets), for: .advertising, at: now)
        case .remove(let set): send(LERemoveAdvertisingSet(set: set), for: .advertising, at: now)
        }
    }
}

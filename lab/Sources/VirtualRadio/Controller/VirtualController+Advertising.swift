// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral
import SeededNumbers
import Timekeeping

/// The legacy advertising commands, and the parts shared with the extended ones.
extension VirtualController {
    /// The maximum random advertising delay in microseconds (Core 5.4, Vol 6, Part B, 4.4.2.2.1).
    static let maximumAdvertisingDelay: UInt64 = 10_000

    /// The index of the advertiser with this run number.
    func advertiserIndex(run: UInt64) -> Int? {
        state.advertisers.firstIndex { $0.run?.number == run }
    }

    /// The index of the advertiser with this handle, nil for the legacy one.
    func advertiserIndex(handle: UInt8?) -> Int? {
        state.advertisers.firstIndex { $0.handle == handle }
    }

    /// The legacy advertising commands (Core 5.4, Vol 4, Part E, 7.8.5, 7.8.7 to 7.8.9).
    func advertise(_ command: Command, _ parameters: inout CommandParameters) throws(CommandRefusal) {
        let index: Int
        if let known = advertiserIndex(handle: nil) {
            index = known
        } else {
            state.advertisers.append(Advertiser(handle: nil))
            index = state.advertisers.count - 1
        }
        switch command {
        case .setAdvertisingParameters: try setAdvertisingParameters(index, &parameters)
        case .setAdvertisingData: state.advertisers[index].data = try legacyData(&parameters)
        case .setScanResponseData: state.advertisers[index].scanResponse = try legacyData(&parameters)
        default:
            guard try parameters.u8(in: 0...1, "Advertising_Enable") == 1 else {
                state.advertisers[index].run = nil
                return
            }
            if state.advertisers[index].run != nil { return }
            let address = try advertisingAddress(index)
            try requireRoom(for: state.advertisers[index].kind)
            startAdvertising(index, address, duration: nil, maximumEvents: 0)
        }
    }

    private func setAdvertisingParameters(
        _ index: Int, _ parameters: inout CommandParameters
    ) throws(CommandRefusal) {
        guard state.advertisers[index].run == nil else {
            throw .violation(.commandDisallowed, "advertising is enabled")
        }
        var changed = state.advertisers[index]
        let minimum = try parameters.u16(in: 0x0020...0x4000, "advertising interval minimum")
        let maximum = try parameters.u16(in: 0x0020...0x4000, "advertising interval maximum")
        guard minimum <= maximum else {
            throw .violation(.invalidParameters, "advertising interval minimum is above the maximum")
        }
        switch try parameters.u8(in: 0...4, "Advertising_Type") {
        case 0: changed.kind = .undirected
        case 2: changed.kind = .scannable
        case 3: changed.kind = .nonConnectable
        case 4: changed.kind = .directed
        // High duty cycle directed advertising is not simulated.
        default: throw .blameless(.unsupportedFeature)
        }
        changed.interval = .microseconds(625 * Int64(minimum))
        changed.ownAddressType = try parameters.u8(in: 0...3, "Own_Address_Type")
        changed.target = try parameters.address()
        changed.channelMap = try parameters.u8(in: 1...7, "Advertising_Channel_Map")
        changed.filterPolicy = try parameters.u8(in: 0...3, "Advertising_Filter_Policy")
        state.advertisers[index] = changed
    }

    /// Reads a length and 31 octets, of which that many are significant.
    private func legacyData(_ parameters: inout CommandParameters) throws(CommandRefusal) -> [UInt8] {
        let count = try parameters.u8(in: 0...UInt8(Advertiser.maximumDataCount), "data length")
        return Array(try parameters.consume(Advertiser.maximumDataCount).prefix(Int(count)))
    }

    /// The advertising address, which must exist before advertising is enabled (7.8.9, 7.8.56).
    func advertisingAddress(_ index: Int) throws(CommandRefusal) -> BluetoothAddress {
        let advertiser = state.advertisers[index]
        let random = advertiser.handle == nil ? state.randomAddress : advertiser.randomAddress
        guard let address = ownAddress(type: advertiser.ownAddressType, random: random, toward: advertiser.target)
        else {
            throw .violation(.invalidParameters, "enabled with a random address, and none was set")
        }
        return address
    }

    /// Refuses connectable advertising while no further link is possible.
    func requireRoom(for kind: AdvertisingKind) throws(CommandRefusal) {
        guard kind.isConnectable, state.links.count >= profile.maximumLinks else { return }
        throw .blameless(.connectionLimitExceeded)
    }

    /// Starts an advertiser; its first event is within 10 ms.
    func startAdvertising(_ index: Int, _ address: BluetoothAddress, duration: Duration?, maximumEvents: UInt8) {
        let number = air.nextNumber()
        let first = air.now + .microseconds(Int64(random.below(VirtualController.maximumAdvertisingDelay)))
        var run = Advertiser.Run(number: number, address: address, nextEvent: first)
        run.ends = duration.map { air.now + $0 }
        run.maximumEvents = maximumEvents
        state.advertisers[index].run = run
        scheduleAdvertising(run)
    }

    /// Schedules the next event, or the end of the run.
    func scheduleAdvertising(_ run: Advertiser.Run) {
        let time = min(run.nextEvent, run.ends ?? run.nextEvent)
        air.add(.advertising(controller: index, run: run.number), at: time)
    }

    /// Stops an advertiser, with Advertising Set Terminated (7.7.65.18) for a set.
    func advertisingEnded(_ index: Int, status: HCIStatus, connection: UInt16 = 0) {
        let advertiser = state.advertisers[index]
        state.advertisers[index].run = nil
        guard let handle = advertiser.handle else { return }
        var event = [status.rawValue, handle]
        event.append(littleEndian: connection)
        event.append(advertiser.run?.maximumEvents == 0 ? 0 : advertiser.run?.events ?? 0)
        emit(subevent: Subevent.advertisingSetTerminated, event)
    }
}

// SPDX-License-Identifier: Apache-2.0

public import Peripheral
public import Timekeeping

/// An advertiser in a scan, with its recent signal.
public struct ScanRow: Equatable, Sendable {
    /// The advertiser, as of its latest packet.
    public var sighting: ReaderSighting
    /// The number of packets.
    public var packets = 0
    /// The median strength of each of the last ticks in dBm, oldest first; nil where nothing was heard.
    public var strip: [Int8?] = []
    /// The number of ticks since the last packet.
    public var silentTicks = 0
    var readings: [Int8] = []
    var isHeard = false

    /// The number of ticks in a strip: 6 s.
    public static let stripCount = 24

    /// Moves the strip on by a tick.
    mutating func tick() {
        let sorted = readings.sorted()
        strip.append(sorted.isEmpty ? nil : sorted[sorted.count / 2])
        if strip.count > ScanRow.stripCount { strip.removeFirst() }
        silentTicks = isHeard ? 0 : silentTicks + 1
        isHeard = false
        readings.removeAll(keepingCapacity: true)
    }
}

/// An event of a scan, for its user.
public enum ScanNotice: Equatable, Sendable {
    /// The controller is ready, and scans.
    case began
    /// A tick has passed: the rows have moved on.
    case tick
    /// The scan has ended: nil at the end of its time.
    case ended(VisitFailure?)
}

/// A scan for readers, or for all that advertises. A value without I/O, as `PhoneVisit` is.
public struct ReaderScan: Sendable {
    /// The duration of a tick.
    public static let tick = Duration.milliseconds(250)
    /// An advertiser that was not heard for this long is forgotten, as in published phones.
    public static let memory = Duration.seconds(10)
    /// The maximum number of rows.
    public static let maximumRows = 64

    private enum State {
        case off
        case scanning(ends: Instant?, next: Instant)
        case over
    }

    private let duration: Duration?
    private let showsAll: Bool
    private var central: Central
    private var state = State.off
    private var notices: [ScanNotice] = []

    /// The advertisers, in the order of their first packets.
    public private(set) var rows: [ScanRow] = []
    /// The time since the scan began.
    public private(set) var elapsed: Duration = .zero
    /// True if a reader was heard at any time.
    public private(set) var hasHeardReader = false

    /// A scan that is not started; without a duration it continues until `stop`.
    ///
    /// - Parameters:
    ///   - showsAll: whether advertisers that are no readers are kept too.
    ///   - scanning: the share of time in which it listens.
    public init(
        for duration: Duration?, showsAll: Bool = false, address: BluetoothAddress, scanning: ScanDuty = .always
    ) {
        self.duration = duration
        self.showsAll = showsAll
        central = Central(address: address, scanning: scanning)
    }

    /// Starts the controller, then the scan.
    public mutating func start(at now: Instant) {
        central.start(at: now)
        settle(at: now)
    }

    /// Handles one H4 packet from the controller.
    public mutating func receive(_ packet: Span<UInt8>, at now: Instant) {
        central.receive(packet, at: now)
        settle(at: now)
    }

    /// Performs the actions due at `now`.
    public mutating func advance(to now: Instant) {
        central.advance(to: now)
        if case .scanning(let ends, let next) = state, now >= next {
            elapsed += ReaderScan.tick
            for index in rows.indices { rows[index].tick() }
            let forgotten = Int(ReaderScan.memory / ReaderScan.tick)
            rows.removeAll { $0.silentTicks >= forgotten }
            notices.append(.tick)
            state = .scanning(ends: ends, next: next + ReaderScan.tick)
            if let ends, now >= ends { end(nil, at: now) }
        }
        settle(at: now)
    }

    /// Ends the scan.
    public mutating func stop(at now: Instant) {
        if case .over = state { return }
        end(nil, at: now)
    }

    /// The time of the next call of `advance`; nil if only an input can change anything.
    public var nextDeadline: Instant? {
        guard case .scanning(_, let next) = state else { return central.nextDeadline }
        return Instant.earlier(central.nextDeadline, next)
    }

    /// Copies the next packet for the controller into `packet`; false if no packet is pending.
    public mutating func popPacket(into packet: inout [UInt8]) -> Bool { central.popPacket(into: &packet) }

    /// Removes and returns the oldest notice, or nil.
    public mutating func nextNotice() -> ScanNotice? { notices.isEmpty ? nil : notices.removeFirst() }

    private mutating func settle(at now: Instant) {
        while let event = central.popEvent() {
            switch (event, state) {
            case (.ready, .off):
                guard (try? central.startScanning(at: now)) != nil else { continue }
                state = .scanning(ends: duration.map { now + $0 }, next: now + ReaderScan.tick)
                notices.append(.began)
            case (.report(let report), .scanning): receive(report)
            case (_, .over): continue
            case (.failed(let fault), _): end(VisitFailure(.controller(fault), at: .starting), at: now)
            case (.scanRefused(let status), _): end(VisitFailure(.scanRefused(status), at: .looking), at: now)
            default: break
            }
        }
    }

    private mutating func receive(_ report: AdvertisementReport) {
        let sighting = ReaderSighting(report)
        guard showsAll || sighting.mode != nil else { return }
        var place = rows.firstIndex { $0.sighting.address == sighting.address }
        if place == nil, rows.count < ReaderScan.maximumRows {
            place = rows.count
            rows.append(ScanRow(sighting: sighting))
        }
        if sighting.mode != nil { hasHeardReader = true }
        guard let place else { return }
        rows[place].sighting = sighting
        rows[place].packets += 1
        rows[place].isHeard = true
        if let rssi = sighting.rssi { rows[place].readings.append(rssi) }
    }

    private mutating func end(_ failure: VisitFailure?, at now: Instant) {
        central.stopScanning(at: now)
        state = .over
        notices.append(.ended(failure))
    }
}

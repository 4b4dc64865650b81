// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Peripheral
public import Reader
import SeededNumbers
public import Timekeeping
import VirtualRadio

/// A host at a site with its controller.
protocol SiteParty: AnyObject {
    /// Its name in the timeline.
    var name: String { get }
    /// Its controller.
    var controller: any SiteController { get }
    /// The time of the next call of `advance`; nil if only a packet can change anything.
    var nextDeadline: Instant? { get }
    /// Performs the actions due.
    func advance(to moment: Moment)
    /// Moves packets between host and controller until none are left.
    func exchange(at moment: Moment)
}

/// A reader at its door in a running scenario.
public final class SiteReader: SiteParty {
    /// Its name in the timeline.
    public let name: String
    /// The name of its door in the timeline.
    let doorName: String
    let place: FloorPoint
    /// Its place in the list of readers.
    let index: Int
    let controller: any SiteController
    var device: ReaderDevice<SeededGenerator>
    /// Makes the device for a start with this number, counted from 1.
    let makeDevice: (_ start: Int, Moment) throws -> ReaderDevice<SeededGenerator>
    /// The number of the reader's starts.
    var starts = 1
    var isPowered = true
    var isControllerWorking = true
    /// False while the reader's clock is not set.
    var isClockSet = true
    /// The levels of the inputs' lines that were set so far.
    var levels: [DoorInput: Bool] = [:]
    var lossPercent = 0
    /// The NFC front end; nil without cards at the site.
    private let field: (any ReaderField)?
    private var effects: [ReaderEffect] = []

    /// The edges of the door's outputs so far.
    public internal(set) var lines = SimulatedLines(capacity: SiteReader.maximumEdges)
    /// The notices so far, with the time.
    public private(set) var notices: [(at: Instant, notice: ReaderNotice)] = []
    /// The orders that were carried out, with the time.
    var carriedOut: [(at: Instant, order: SiteOrder)] = []
    /// The links with the peers' addresses, by the notices.
    private(set) var links: [LinkID: BluetoothAddress] = [:]
    /// The times of the orders that may release the lock.
    var causes: [Instant] = []

    /// The edges of the outputs that are kept: an alarm's lights for a day.
    private static let maximumEdges = 1_000_000
    /// The name of the only reader of a site, whose door is `door`.
    public static let onlyName = "reader"

    init(
        _ name: String, _ index: Int, at place: FloorPoint, on controller: any SiteController,
        field: (any ReaderField)? = nil, moment: Moment,
        makeDevice: @escaping (Int, Moment) throws -> ReaderDevice<SeededGenerator>
    ) throws {
        self.name = name
        doorName = name == SiteReader.onlyName ? "door" : "\(name) door"
        self.place = place
        self.index = index
        self.controller = controller
        self.makeDevice = makeDevice
        self.field = field
        device = try makeDevice(starts, moment)
        field?.start(&device.reader, last: nil, at: moment.instant)
        device.reader.startDoor(at: moment.instant)
        device.start(at: moment)
    }

    /// Makes a reader's device for each of its starts, with separate random numbers.
    static func maker(
        _ name: String, _ configuration: AccessConfiguration, _ identity: ReaderIdentity, _ door: DoorConfiguration,
        seed: UInt64
    ) -> (Int, Moment) throws -> ReaderDevice<SeededGenerator> {
        { start, moment in
            try ReaderDevice(
                configuration: configuration, identity: identity, door: door,
                random: SeededGenerator(seed: seed, stream: "\(name), start \(start)"), at: moment)
        }
    }

    /// False while the reader is without power, or its controller is dead.
    var isServed: Bool { isPowered && isControllerWorking }

    var nextDeadline: Instant? {
        isPowered ? Instant.earlier(device.nextDeadline, field?.nextDeadline) : nil
    }

    func advance(to moment: Moment) {
        if isPowered { device.advance(to: known(moment)) }
    }

    func exchange(at moment: Moment) {
        let moment = known(moment)
        controller.exchange(
            pop: { isServed && device.popPacket(into: &$0) },
            receive: { if isServed { device.receive($0, at: moment) } })
        if isPowered { field?.serve(&device, at: moment) }
    }

    /// The time as the reader knows it: without the calendar time while its clock is not set.
    func known(_ moment: Moment) -> Moment {
        isClockSet ? moment : Moment(instant: moment.instant, epochSeconds: nil)
    }

    /// Takes the effects since the last call: notices go into the timeline, and actions to the door's lines. Without
    /// power they are lost.
    func takeEffects(into timeline: inout [TimelineEntry], at now: Instant) {
        device.reader.takeEffects(into: &effects)
        timeline += field?.removeEntries() ?? []
        guard isPowered else { return }
        for case .notice(let notice) in effects {
            notices.append((now, notice))
            if notice.phone?.channel == .nfc { field?.receive(notice, at: now) }
            if case .connected(let link, _, let peer) = notice { links[link] = peer }
            if case .disconnected(let link, _) = notice { links[link] = nil }
            timeline.append(TimelineEntry(notice, of: name, at: now))
        }
        for case .door(let action, _) in effects { apply(action, into: &timeline, at: now) }
    }

    /// The front end loses its power.
    func stopField(at now: Instant) { field?.stop(at: now) }

    /// The front end of a reader that starts again.
    func restartField(last: AliroDoor?, at now: Instant) {
        field?.start(&device.reader, last: last, at: now)
    }

    /// Forgets the links of a reader without power.
    func loseLinks() { links.removeAll() }

    func apply(_ action: DoorAction, into timeline: inout [TimelineEntry], at now: Instant) {
        let before = lines.edges.count
        lines.apply(action, at: now)
        if lines.edges.count > before { timeline.append(TimelineEntry(action, of: doorName, at: now)) }
    }
}

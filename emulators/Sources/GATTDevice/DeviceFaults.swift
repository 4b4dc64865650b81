// SPDX-License-Identifier: Apache-2.0

public import Emulation
import Peripheral
import Timekeeping

/// The faults of the devices of a host, and the actions that they delay.
public final class DeviceFaults {
    /// The treatment of values that are due.
    public enum Values: String, Sendable, CaseIterable {
        /// They are sent.
        case normal
        /// None is sent.
        case none
        /// Each subscribed value is sent every 10 ms as well.
        case storm
    }

    /// An action on a link that can be delayed.
    enum Late {
        case read(AttributeRequestID, AttributeHandle, ATTErrorCode?)
        /// A write; nil for one without response.
        case write(AttributeRequestID?, AttributeHandle, [UInt8], ATTErrorCode?)
        case value(AttributeHandle, [UInt8], isIndicated: Bool)
        case disconnect
    }

    /// The delay before a fault disconnects, in which the controller sends the preceding values.
    static let disconnectTime = Duration.milliseconds(100)

    /// The pending faults.
    public var plan: FaultPlan
    /// The ATT_MTU that limits values; nil for the negotiated one.
    public var mtu: Int?
    /// The treatment of values.
    public internal(set) var values = Values.normal
    private var schedule: CommandSchedule<EmulationCommand>
    private var queues: [LinkID: LateQueue<Late>] = [:]
    /// The unanswered request of a link.
    private var open: [LinkID: (handle: AttributeHandle, since: Instant)] = [:]

    /// The faults and the commands of a scenario.
    public init(_ scenario: EmulationScenario = EmulationScenario()) {
        plan = FaultPlan(scenario.faults)
        schedule = CommandSchedule(scenario.events)
    }

    /// Starts the scenario.
    func begin(at now: Instant) { schedule.begin(at: now) }

    /// Removes and returns the next command of the scenario that is due.
    func nextCommand(at now: Instant) -> EmulationCommand? { schedule.next(at: now) }

    var deadline: Instant? {
        queues.values.reduce(schedule.deadline) { Instant.earlier($0, $1.deadline) }
    }

    /// The faults of an access to a value, at its own step and at the common one; each is reported.
    func faults(
        _ access: DeviceStep.Access, _ type: BluetoothUUID, _ link: LinkID, _ device: Int,
        _ notices: inout DeviceNotices
    ) -> [Fault] {
        faults(at: access.rawValue, link, device, &notices) + faults(at: access.step(type), link, device, &notices)
    }

    func faults(at step: String, _ link: LinkID, _ device: Int, _ notices: inout DeviceNotices) -> [Fault] {
        let faults = plan.faults(at: step, device: device)
        for fault in faults { notices.report(.fault(link, step: step, fault)) }
        return faults
    }

    // MARK: - Delayed actions

    /// Queues an action after the link's waiting ones.
    func add(_ late: Late, delay: Duration, _ link: LinkID, at now: Instant) {
        switch late {
        case .value: if queues[link]?.isEnding == true { return }
        case .read(_, let handle, _), .write(_?, let handle, _, _): open[link] = (handle, now)
        case .write(nil, _, _, _): break
        case .disconnect:
            // The controller needs time to send the waiting values.
            return queues[link, default: LateQueue()]
                .add(late, delay: delay, behind: DeviceFaults.disconnectTime, at: now)
        }
        queues[link, default: LateQueue()].add(late, delay: delay, at: now)
    }

    /// Ends a link once the controller has sent the preceding values.
    func endSoon(_ link: LinkID, at now: Instant) {
        queues[link, default: LateQueue()].end(with: .disconnect, delay: DeviceFaults.disconnectTime, at: now)
    }

    /// Removes and returns the next action that is due; nil if no action is due.
    func next(at now: Instant) -> (link: LinkID, late: Late)? {
        for link in queues.keys.sorted(by: { $0.generation < $1.generation }) {
            guard let late = queues[link]?.next(at: now) else {
                if queues[link]?.isEmpty == true { queues[link] = nil }
                continue
            }
            switch late {
            case .read, .write(_?, _, _, _): open[link] = nil
            case .write(nil, _, _, _), .value, .disconnect: break
            }
            return (link, late)
        }
        return nil
    }

    /// Removes what waits for a link that has ended, and returns its unanswered request.
    func ended(_ link: LinkID) -> (handle: AttributeHandle, since: Instant)? {
        queues[link] = nil
        return open.removeValue(forKey: link)
    }
}

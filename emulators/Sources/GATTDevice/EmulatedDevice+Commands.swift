// SPDX-License-Identifier: Apache-2.0

public import Emulation
import Peripheral
public import Timekeeping

extension EmulatedDevice {
    /// Executes a typed command, and returns the lines of the answer. The owner ends the program on `quit`.
    ///
    /// - Parameters:
    ///   - timeline: the findings so far.
    ///   - steps: the steps of the devices.
    public mutating func execute(
        _ command: DeviceCommand, _ timeline: Timeline, _ steps: [EmulatedStep], at now: Instant
    ) -> [String] {
        defer { settle(at: now) }
        switch command {
        case .shared(let command): return execute(command, timeline, steps, at: now)
        case .values(let values):
            faults.values = values
            setStorm(values == .storm, at: now)
            switch values {
            case .normal: return ["values are sent as the file says"]
            case .none: return ["no values are sent"]
            case .storm: return ["each subscribed value is sent every 10 ms"]
            }
        case .send(let type, let octets):
            let count = send(type, octets, at: now)
            return [count == 0 ? "there is no value \(type) that can be changed" : "\(type) has changed"]
        }
    }

    mutating func execute(
        _ command: EmulationCommand, _ timeline: Timeline, _ steps: [EmulatedStep], at now: Instant
    ) -> [String] {
        switch command {
        case .fault, .faults, .clear, .release, .findings, .steps, .help:
            return command.answer(
                &faults.plan, timeline, steps: steps.map(\.description), help: DeviceCommand.helpLines) ?? []
        case .disconnect(_, .timeout):
            return [EmulatedDevice.counted(fallSilent(at: now), "falls silent", "fall silent")]
        case .disconnect(let number, let end):
            let count = disconnect(number, end, at: now)
            if let number, count == 0 { return ["there is no link \(number)"] }
            return [EmulatedDevice.counted(count, "ends", "end")]
        case .mtu(let mtu):
            faults.mtu = mtu
            return [mtu.map { "values have at most \($0 - 3) octets" } ?? "values have as much room as was agreed"]
        case .wifi, .network, .dhcp: return ["the device has no Wi-Fi"]
        case .quit: return ["the end"]
        }
    }

    /// Ends the link with this number, or all; returns the number of links.
    private mutating func disconnect(_ number: UInt32?, _ end: LinkEnd, at now: Instant) -> Int {
        let links = deviceOfLink.keys.filter { number == nil || $0.generation == number }
        let reason = end.reason.map { HCIStatus(rawValue: $0) } ?? .remoteUserTerminated
        for link in links { host.disconnect(link, reason: reason, at: now) }
        return links.count
    }

    /// Restarts the controller: all links end without notice. Returns their number.
    private mutating func fallSilent(at now: Instant) -> Int {
        defer { host.start(at: now) }
        return deviceOfLink.count
    }

    private mutating func setStorm(_ isOn: Bool, at now: Instant) {
        for index in behaviours.indices { behaviours[index].setStorm(isOn, at: now) }
    }

    /// Changes the values of this type on all devices, and sends them; returns their number.
    private mutating func send(_ type: BluetoothUUID, _ octets: [UInt8], at now: Instant) -> Int {
        behaviours.indices.reduce(0) { $0 + behaviours[$1].send(type, octets, &host, &notices, at: now) }
    }

    private static func counted(_ count: Int, _ one: String, _ many: String) -> String {
        count == 1 ? "1 link \(one)" : "\(count) links \(many)"
    }

    /// The state of the devices, for a page.
    public var observed: ObservedState {
        ObservedState(
            switches: [
                .init("values", faults.values.rawValue, of: DeviceFaults.Values.allCases.map(\.rawValue)),
                .init("mtu", faults.mtu.map { "\($0)" } ?? "off", of: ["23", "185", "off"]),
            ], faults: faults.plan.observed)
    }
}

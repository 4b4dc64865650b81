// SPDX-License-Identifier: Apache-2.0

public import Emulation
import Peripheral

/// The steps of a device from a file, at which faults are injected: common ones, and one for each access to a value.
public enum DeviceStep {
    /// The steps of any device.
    public static let common = [
        EmulatedStep("connect", .connection, "a client has connected"),
        EmulatedStep("subscribe", .link, "a client has subscribed, or ceased to"),
        EmulatedStep("read", .request, "a client reads any value"),
        EmulatedStep("write", .request, "a client writes any value"),
        EmulatedStep("value", .plainValue, "any value that is sent"),
    ]

    static let connect = "connect"
    static let subscribe = "subscribe"

    /// The kinds of access to a value, as the first part of its steps.
    enum Access: String {
        case read, write, value

        /// The step of a value: `read-2A38`.
        func step(_ type: BluetoothUUID) -> String { "\(rawValue)-\(type)" }
    }

    /// The steps of the devices of these tables, without repetition.
    public static func steps(of tables: [DeviceTable]) -> [EmulatedStep] {
        var steps = common
        for table in tables {
            for (handle, type) in table.types.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                for step in table.steps(handle, type) where !steps.contains(step) { steps.append(step) }
            }
        }
        return steps
    }
}

extension DeviceTable {
    fileprivate func steps(_ handle: AttributeHandle, _ type: BluetoothUUID) -> [EmulatedStep] {
        guard let access = accesses[handle] else { return [] }
        var steps: [EmulatedStep] = []
        if access.contains(.read) {
            steps.append(EmulatedStep(DeviceStep.Access.read.step(type), .request, "a client reads \(type)"))
        }
        if access.contains(.write) {
            steps.append(EmulatedStep(DeviceStep.Access.write.step(type), .request, "a client writes \(type)"))
        }
        if access.contains(.notify) {
            steps.append(EmulatedStep(DeviceStep.Access.value.step(type), .plainValue, "a sent \(type)"))
        }
        return steps
    }
}

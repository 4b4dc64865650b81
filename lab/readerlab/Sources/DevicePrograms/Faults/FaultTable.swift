// SPDX-License-Identifier: Apache-2.0

import Devices
package import Emulation
import GATTDevice
package import JSON
import ReaderEmulation

#if NetworkDevices
    import ActionCamera
    import NordicProvisioning
#endif

/// The faults that can be injected into each kind of emulated device, from the declarations that parse them.
package struct FaultTable {
    /// The faults of a step.
    package struct Row: Equatable {
        /// The step; nil for faults of the whole device.
        package var step: String?
        package var faults: [OfferedFault]

        /// The row as JSON, such as `{"step": "frame", "faults": [{"fault": "cut", "argument": "OCTETS"}]}`.
        package var json: JSONObject {
            var object = JSONObject()
            object.add("step", step.orNull)
            object.add(
                "faults",
                faults.map { fault in
                    var object = JSONObject()
                    object.add("fault", fault.word)
                    object.add("argument", fault.argument.orNull)
                    return object
                })
            return object
        }
    }

    /// The kinds of devices with faults, by their names in `readerlab emulate`.
    package static var kinds: [String] { tables.map(\.kind) }

    /// The rows of a kind; nil if it has no faults.
    package static func rows(of kind: String) -> [Row]? { tables.first { $0.kind == kind }?.rows() }

    private static var tables: [(kind: String, rows: () -> [Row])] {
        let kinds = EmulatedKinds.all.map { kind in (kind.kind, { rows(kind.steps) }) }
        let always: [(String, () -> [Row])] =
            [("gatt", { rows(DeviceStep.common) }), ("reader", { reader })] + kinds + [
                ("matter", { matter })
            ]
        #if NetworkDevices
            return always + [("nordic-softap", { rows(SoftAPObserver.steps(.gateway)) }), ("bandit", { bandit })]
        #else
            return always
        #endif
    }

    private static func rows(_ steps: [EmulatedStep]) -> [Row] {
        steps.map { Row(step: $0.name, faults: $0.faults) }
    }

    private static var reader: [Row] {
        let cards = ReaderCardFault.all.map { OfferedFault($0.name) }
        return rows(ReaderStep.all) + [Row(step: ReaderCardFault.step, faults: cards)]
    }

    private static var matter: [Row] {
        let commands = MatterCommandName.all.map { name in
            Row(step: "\(name)", faults: MatterFault.ofCommand.map { OfferedFault($0.word, argument: $0.argument) })
        }
        return [Row(step: nil, faults: MatterFault.ofDevice.map { OfferedFault($0.word, argument: $0.argument) })]
            + commands
    }

    #if NetworkDevices
        private static var bandit: [Row] {
            CameraStep.all.map { step in
                Row(step: step.name, faults: step.faults.map { OfferedFault($0.word, argument: $0.argument) })
            }
        }
    #endif
}

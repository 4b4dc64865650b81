// SPDX-License-Identifier: Apache-2.0

package import Devices
package import Emulation
package import HostLoop
import Peripheral
package import Timekeeping

/// An emulated thermostat.
package final class EmulatedThermostat: EmulatedUnit {
    /// The service Environmental Sensing.
    static let service = BluetoothUUID(0x181A)
    /// Temperature.
    static let temperature = BluetoothUUID(0x2A6E)
    /// The target, in the unit of Temperature: a characteristic of this project.
    static let target = BluetoothUUID(high: 0x7E2F_5A00_4D1C_4B57, low: 0x9C39_6F1F_6D0C_1A01)
    /// Out of Range (Core Specification Supplement 11, Part B, 1.2).
    static let outOfRange = ATTErrorCode(rawValue: 0xFF)

    /// The steps of all thermostats.
    package static let steps = [
        EmulatedStep("connect", .connection, "an app has connected"),
        EmulatedStep("subscribe", .link, "an app has subscribed, or ceased to"),
        EmulatedStep("read-temperature", .request, "an app reads the temperature"),
        EmulatedStep("read-target", .request, "an app reads the target"),
        EmulatedStep("set-target", .request, "an app writes a target"),
        EmulatedStep("temperature", .value, "a changed temperature"),
        EmulatedStep("target", .value, "a changed target"),
    ]

    package let name: String
    private var room: Thermostat
    private var temperature: CharacteristicID?
    private var target: CharacteristicID?

    package init(name: String, _ room: Thermostat) {
        self.name = name
        self.room = room
    }

    package var steps: [EmulatedStep] { EmulatedThermostat.steps }
    package var expectations: AppExpectations { AppExpectations() }
    package var facts: [(name: String, text: String)] {
        [
            ("service", "\(EmulatedThermostat.service)"), ("target", "\(EmulatedThermostat.target)"),
            ("state", "\(Thermostat.text(room.temperature)), target \(Thermostat.text(room.target))"),
        ]
    }

    package func define(_ number: Int) -> DeviceDefinition<EmulationSession> {
        var device = DeviceDefinition<EmulationSession>(name: name)
        device.addService(EmulatedThermostat.service)
        let temperature = device.addCharacteristic(EmulatedThermostat.temperature, [.read, .notify])
        let target = device.addCharacteristic(EmulatedThermostat.target, [.read, .write, .notify])
        (self.temperature, self.target) = (temperature, target)
        device.onRead(temperature) { [unowned self] session, context, request in
            read(request, "read-temperature", room.temperature, session, &context)
        }
        device.onRead(target) { [unowned self] session, context, request in
            read(request, "read-target", room.target, session, &context)
        }
        device.onWrite(target) { [unowned self] session, context, request in write(request, session, &context) }
        for (characteristic, name) in [(temperature, "temperature"), (target, "target")] {
            device.onSubscribe(characteristic) { session, context, link, wanted in
                session.subscribed(to: name, wanted, link, &context)
            }
        }
        return device
    }

    // MARK: - Events

    package func start(_ session: EmulationSession, _ context: inout DeviceContext) { room.start(at: session.now) }

    package var deadline: Instant? { room.deadline }

    package func advance(_ session: EmulationSession, _ context: inout DeviceContext) {
        if room.advance(to: session.now) { send("temperature", temperature, room.temperature, session, &context) }
    }

    private func read(
        _ request: ReadRequest, _ step: String, _ value: Int16, _ session: EmulationSession,
        _ context: inout DeviceContext
    ) -> ReadAnswer {
        session.answer(request, step: step, meaning: Thermostat.text(value), Thermostat.octets(value), &context)
        return .later
    }

    private func write(
        _ request: WriteRequest, _ session: EmulationSession, _ context: inout DeviceContext
    ) -> WriteAnswer {
        guard let (entry, faulted) = session.wrote(request, step: "set-target", &context) else { return .later }
        let old = room.target
        var refusal: Thermostat.Refusal?
        if faulted.error == nil {
            do throws(Thermostat.Refusal) { try room.write(request.value, at: session.now) } catch { refusal = error }
        }
        let (error, why) = EmulatedThermostat.answer(refusal)
        session.answer(request, step: "set-target", faulted, refusing: error, why: why, &context)
        if refusal != nil {
            session.timeline.mistake(
                "invalid-target", "wrote a target of \(why): write 5 to 30 °C as two octets", entry: entry,
                device: context.device, link: request.link.generation, at: session.now)
        }
        if room.target != old { send("target", target, room.target, session, &context) }
        return .later
    }

    private static func answer(_ refusal: Thermostat.Refusal?) -> (ATTErrorCode?, String) {
        switch refusal {
        case .length(let count): (.invalidAttributeValueLength, "\(count) octets")
        case .range(let target): (outOfRange, Thermostat.text(target))
        case nil: (nil, "")
        }
    }

    /// Notifies the subscribers of a change.
    private func send(
        _ step: String, _ characteristic: CharacteristicID?, _ value: Int16, _ session: EmulationSession,
        _ context: inout DeviceContext
    ) {
        guard let characteristic else { return }
        for link in context.subscribers(of: characteristic) {
            session.send(
                EmulationSession.StagedValue(
                    step: step, characteristic: characteristic, name: step, octets: Thermostat.octets(value),
                    isIndication: false, meaning: Thermostat.text(value)),
                session.faults(at: step, link, context.device), to: link, &context)
        }
    }
}

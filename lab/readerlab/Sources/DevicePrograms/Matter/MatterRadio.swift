// SPDX-License-Identifier: Apache-2.0

import Emulation
import HostLoop
import MatterHost
import Peripheral
import Timekeeping

/// The Bluetooth side of a node: provides the service FFF6 with the characteristics C1 and C2 (Matter Core 4.19.2),
/// and executes the requests of the emulation.
final class MatterRadio {
    private static let service = BluetoothUUID(0xFFF6)
    private static let write = BluetoothUUID(high: 0x18EE_2EF5_263D_4559, low: 0x959F_4F9C_429F_9D11)
    private static let indicate = BluetoothUUID(high: 0x18EE_2EF5_263D_4559, low: 0x959F_4F9C_429F_9D12)
    /// The maximum length of a segment in octets.
    private static let maximumCount = 247

    private var output: CharacteristicID?
    private var links: [UInt16: LinkID] = [:]
    private var shown: MatterEmulation.BluetoothAdvertisement?
    /// True if the controller is ready, and the timeline does not contain that yet.
    private var isReadyDue = false
    /// True if the controller has repeatedly refused to advertise.
    private var isRefused = false

    init() {}

    /// The number of a link in the node's peers.
    private static func number(_ link: LinkID) -> UInt16 { UInt16(truncatingIfNeeded: link.generation) }

    /// The program with the service.
    func program(_ emulation: MatterEmulation) throws(DeviceProgramError) -> DeviceProgram<MatterEmulation> {
        var device = DeviceDefinition<MatterEmulation>(name: "")
        device.addService(MatterRadio.service)
        let input = device.addCharacteristic(MatterRadio.write, [.write], maximumCount: MatterRadio.maximumCount)
        let output = device.addCharacteristic(
            MatterRadio.indicate, [.indicate], maximumCount: MatterRadio.maximumCount, sending: .queue(8))
        self.output = output
        define(&device, input, output)
        var settings = ProgramSettings()
        // The profile permits one session at a time.
        settings.host.links = 1
        var program = try DeviceProgram(emulation, devices: [device], settings: settings)
        program.onDeadline({ $0.deadline }) { [self] emulation, context in
            emulation.advance()
            follow(emulation, &context)
        }
        program.onOther { [self] emulation, context, event in
            switch event {
            case .ready:
                isReadyDue = true
                if !context.advertisesAny { tellReady(emulation) }
            case .advertising(let status):
                if !status.onAir.isEmpty { tellReady(emulation) }
                advertisingChanged(status, emulation)
            case .controllerFailed(let fault): emulation.report(.controllerFailed("\(fault)"))
            case .mtuExchanged(let link, let mtu): emulation.report(.mtu(mtu), link: link.generation)
            default: break
            }
            follow(emulation, &context)
        }
        // This precedes the start of the host, so that nothing else is advertised first.
        program.act(at: MatterEmulation.now.instant) { emulation, context in
            emulation.begin()
            self.follow(emulation, &context)
        }
        return program
    }

    /// Reports that the device can be reached. If it advertises, the controller has confirmed that.
    private func tellReady(_ emulation: MatterEmulation) {
        guard isReadyDue else { return }
        isReadyDue = false
        emulation.report(.listening("over IP and BLE"))
    }

    private func advertisingChanged(_ status: AdvertisingStatus, _ emulation: MatterEmulation) {
        if let refusal = status.refusals.first, refusal.isRepeated, !isRefused {
            isRefused = true
            emulation.report(.happened("advertising", text: "not on the air, and tried again: \(refusal)"))
        } else if !status.onAir.isEmpty, isRefused {
            isRefused = false
            emulation.report(.happened("advertising", text: "on the air"))
        }
    }

    private func define(
        _ device: inout DeviceDefinition<MatterEmulation>, _ input: CharacteristicID, _ output: CharacteristicID
    ) {
        device.onConnect { [self] emulation, context, link in
            let peer = context.description(of: link).map { "\($0.peer)" } ?? ""
            emulation.report(.connected(peer: peer), link: link.generation)
            links[MatterRadio.number(link)] = link
            emulation.links.began(MatterRadio.number(link), at: context.now)
            follow(emulation, &context)
        }
        device.onDisconnect { [self] emulation, context, link in
            let reason = context.disconnectReason ?? .remoteUserTerminated
            emulation.report(.disconnected(reason: reason.rawValue, byDevice: false), link: link.generation)
            links[MatterRadio.number(link)] = nil
            emulation.linkEnded(MatterRadio.number(link))
            follow(emulation, &context)
        }
        device.onWrite(input) { [self] emulation, context, request in
            let attMTU = context.longestValue(request.link) + 3
            emulation.links.wrote(
                request.value, on: MatterRadio.number(request.link), attMTU: attMTU, at: context.now)
            emulation.settle()
            follow(emulation, &context)
            return .accept
        }
        device.onSubscribe(output) { [self] emulation, context, link, wanted in
            guard wanted.contains(.indication) else { return }
            emulation.links.subscribed(MatterRadio.number(link), at: context.now)
            emulation.settle()
            follow(emulation, &context)
        }
        device.onConfirm(output) { [self] emulation, context, link in
            emulation.links.confirmed(MatterRadio.number(link), at: context.now)
            emulation.settle()
            follow(emulation, &context)
        }
    }

    /// Executes the emulation's requests to the radio.
    func follow(_ emulation: MatterEmulation, _ context: inout DeviceContext) {
        for request in emulation.links.takeRequests() {
            switch request {
            case .indicate(let octets, link: let number):
                if let output, let link = links[number] { context.indicate(output, octets, to: link) }
            case .disconnect(link: let number): if let link = links[number] { context.disconnect(link) }
            }
        }
        guard emulation.bluetooth != shown else { return }
        shown = emulation.bluetooth
        if let data = emulation.bluetooth.serviceData {
            // Flags; service data of FFF6 (Matter Core 5.4.2.5.6).
            context.advertise(
                [2, 0x01, 0x06, UInt8(truncatingIfNeeded: data.count + 3), 0x16, 0xF6, 0xFF] + data,
                scanResponse: [], interval: emulation.bluetooth.interval)
        }
        context.setAdvertised(emulation.bluetooth.serviceData != nil)
    }
}

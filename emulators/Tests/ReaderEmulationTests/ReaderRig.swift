// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import AirRig
import Crypto
import Emulation
public import HostLoop
import Peripheral
import Phone
import Reader
import Timekeeping
import VirtualRadio

@testable import ReaderEmulation

extension EmulatedReader: HostedDevice {}
extension AccessPhone: @retroactive HostedDevice {}

/// An emulated reader and a phone on the virtual air, on virtual time.
final class ReaderRig {
    /// 2026-11-21 12:00:00 UTC.
    static let epoch: Int64 = 1_795_262_400

    let air: Air
    let reader: EmulatedReader
    private let device: HostedParty<EmulatedReader>
    private let phone: HostedParty<AccessPhone<SystemRandomSource>>
    private(set) var notices: [AccessPhoneNotice] = []

    /// A reader at which nothing was ordered but `orders`, and a phone that is off.
    init(
        _ orders: [String] = [], profile: ControllerProfile = .modern, dBm: Int8 = -45, attempts: Int = 1,
        service: BluetoothUUID = AdvertisingPackets.Identifiers().accessService,
        _ change: (inout AccessPhoneConfiguration) -> Void = { _ in }
    ) throws {
        air = Air(seed: 1)
        let controller = air.addController(profile, address: BluetoothAddress(kind: .public, value: 0xA0_0000_0001))
        let phoneController = air.addController(
            .modern, address: BluetoothAddress(kind: .public, value: 0xB0_0000_0001))
        let air = self.air
        reader = try EmulatedReader(
            EmulatedReader.Settings(address: 0x0123_4567_89AB), identity: .demo(), at: .origin,
            systemSeconds: { ReaderRig.epoch + (air.now - .origin).wholeNanoseconds / 1_000_000_000 })
        let validity = TokenValidity(
            from: CivilTime(year: 2026, month: 1, day: 1), through: CivilTime(year: 2027, month: 1, day: 1))
        let token = try TokenIssuer.demo().commandToken(
            credentialID: "CRED000001", command: .open, validity: validity)
        let scalar = DemoIdentity.terminalScalar
        var configuration = AccessPhoneConfiguration(
            service: service, token: token, terminal: try P256PrivateKey(scalar: scalar.span).publicKey)
        configuration.attempts = attempts
        configuration.retryAfterSuccess = nil
        change(&configuration)
        device = HostedParty(reader, controller)
        phone = HostedParty(
            AccessPhone(configuration, address: .randomStatic(from: 0x77), random: SystemRandomSource()),
            phoneController)
        for (from, to) in [(controller, phoneController), (phoneController, controller)] {
            air.setRSSI(from: from, to: to, dBm: dBm)
        }
        reader.start(at: air.now)
        run(.milliseconds(50))
        for order in orders { try type(order) }
    }

    /// Types a line; returns the answer.
    @discardableResult
    func type(_ line: String) throws -> [String] {
        let answer = reader.receive(try ReaderOrder(line: line), at: air.now)
        run(.milliseconds(50))
        return answer
    }

    /// Switches the phone on, and lets time pass.
    @discardableResult
    func visit(_ duration: Duration = .seconds(4)) -> ReaderRig {
        phone.host.start(at: air.now)
        run(duration)
        return self
    }

    /// From now on no packet is received.
    func carryAway() {
        for (from, to) in [(device.controller, phone.controller), (phone.controller, device.controller)] {
            air.setLoss(from: from, to: to, share: 1)
        }
    }

    func run(_ duration: Duration) {
        air.run(duration, [device, phone])
        while let notice = phone.host.nextNotice() { notices.append(notice) }
    }

    // MARK: - Results

    /// Violations of the strict controllers' rules.
    var violations: [String] { device.controller.violations + phone.controller.violations }
    /// The rules of the findings.
    var rules: [String] { reader.timeline.findings.map(\.rule) }
    /// The number of times that the door was unlocked.
    var openings: Int { texts.count { $0.hasPrefix("door: unlocked") } }
    /// True if the phone's command was executed, by an answer that proves it.
    var isServed: Bool { notices.contains { if case .completed = $0 { true } else { false } } }

    /// The failures of exchanges.
    var failures: [PhoneFailure] {
        notices.compactMap { if case .failed(let failure) = $0 { failure } else { nil } }
    }

    /// The reasons of ended links.
    var reasons: [UInt8] {
        notices.compactMap { if case .disconnected(let reason) = $0 { reason.rawValue } else { nil } }
    }

    /// The names and steps of the timeline's entries, in order.
    var steps: [String] { reader.timeline.entries.map { $0.step ?? $0.name } }

    /// The texts of the reader's own events.
    var texts: [String] {
        reader.timeline.entries.compactMap {
            switch $0.event {
            case .happened(_, let text), .device(let text): text
            default: nil
            }
        }
    }
}

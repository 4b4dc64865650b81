// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Crypto
import Peripheral
import Phone
import Proximity
import Reader
import Timekeeping
public import VirtualRadio

/// The main use case without hardware: a far phone is refused, a near phone opens, a phone with a bad token is
/// denied.
public struct DemoScenario {
    private let seed: UInt64
    private let controller: ControllerProfile

    /// The demo with this seed, on a reader with this controller.
    public init(seed: UInt64, controller: ControllerProfile) {
        self.seed = seed
        self.controller = controller
    }

    /// Runs the demo.
    ///
    /// - Throws: only if the cryptographic library rejects the keys.
    public func run() throws -> DemoOutcome {
        var configuration = AccessConfiguration(modes: [
            .init(mode: .onTouch, address: .randomStatic(from: 0x0123_4567_89AB), gate: .init()),
            .init(mode: .access, address: .randomStatic(from: 0x0123_4567_89AC), gate: .init()),
        ])
        configuration.version.buildTime = UInt32(VirtualSite.epochAtStart)
        let site = try VirtualSite(
            seed: seed, controller: controller, configuration: configuration, identity: ReaderIdentity.demo())
        let plans = try DemoScenario.plans(configuration.identifiers.accessService)
        for plan in plans { site.add(plan) }
        site.run(until: .seconds(14))
        return DemoOutcome(site, plans, configuration)
    }

    private static func plans(_ service: BluetoothUUID) throws -> [PhonePlan] {
        let scalar = DemoIdentity.terminalScalar
        let terminal = try P256PrivateKey(scalar: scalar.span).publicKey
        var far = AccessPhoneConfiguration(service: service, token: DemoTokens.good, terminal: terminal)
        far.attempts = 2
        var near = AccessPhoneConfiguration(service: service, token: DemoTokens.good, terminal: terminal)
        near.retryAfterSuccess = nil
        near.connectsAt = -70
        var forged = AccessPhoneConfiguration(service: service, token: DemoTokens.forged, terminal: terminal)
        forged.attempts = 1
        return [
            PhonePlan("far phone", far, .standing(from: .milliseconds(500), -70)),
            PhonePlan(
                "near phone", near,
                DistanceWalk([
                    .init(.milliseconds(3000), -85), .init(.milliseconds(5000), -45),
                ])),
            PhonePlan("bad token", forged, .standing(from: .milliseconds(11_500), -45)),
        ]
    }
}

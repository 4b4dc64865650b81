import AccessProtocol
import Crypto
import Peripheral
import Phone
import Reader
import Timekeeping
public import VirtualRadio

/// The main job, with no hardware: a far phone is refused, a near phone opens, a phone with a bad token is denied.
public struct DemoScenario {
    private let seed: UInt64
    private let controller: ControllerProfile

    /// The demo with this seed, on a reader with this controller.
    public init(seed: UInt64, controller: ControllerProfile) {
        self.seed = seed
        self.controller = controller
    }

    /// Runs it. Throws only if the cryptographic library refuses its keys.
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
        let good = try token(TokenIssuer.demo())
        // Signed by a backend that the reader does not know; a fixed key, so that runs repeat.
        let stranger = [UInt8](repeating: 0x11, count: 32)
        let bad = try token(TokenIssuer(signatureKey: P256PrivateKey(scalar: stranger.span)))
        var far = AccessPhoneConfiguration(service: service, token: good, terminal: terminal)
        far.attempts = 2
        var near = AccessPhoneConfiguration(service: service, token: good, terminal: terminal)
        near.attempts = 1
        near.connectsAt = -70
        var forged = AccessPhoneConfiguration(service: service, token: bad, terminal: terminal)
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

    private static func token(_ issuer: TokenIssuer) throws -> [UInt8] {
        try issuer.commandToken(
            credentialID: "CRED000001", command: .open,
            validity: TokenValidity(
                from: CivilTime(year: 2026, month: 1, day: 1), through: CivilTime(year: 2027, month: 1, day: 1)))
    }
}

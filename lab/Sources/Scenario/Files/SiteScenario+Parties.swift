// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Crypto
import Peripheral
import Phone
import Reader
import VirtualRadio

/// The readers and phones that a scenario describes, on whatever air they are played.
extension SiteScenario {
    /// The sensitivity of the radios in dBm, typical of a controller at 1 Mbit/s: weaker packets are not received.
    static let sensitivity: Int8 = -95

    /// The plans of the phones, in their order.
    ///
    /// - Throws: only if the cryptographic library rejects the keys.
    func phonePlans() throws -> [PhonePlan] {
        let terminal = try SiteScenario.identity().terminalKey.publicKey
        var tokens: [String: [(SiteScenario.Credential, [UInt8])]] = [:]
        return try phones.map { phone in
            // Equal credentials have equal tokens, and a signature costs more than a second on the air.
            let known = tokens[phone.credential.id]?.first { $0.0 == phone.credential }?.1
            let token = try known ?? phone.credential.token()
            if known == nil { tokens[phone.credential.id, default: []].append((phone.credential, token)) }
            var plan = AccessPhoneConfiguration(
                service: AccessConfiguration(modes: []).identifiers.accessService,
                token: token, terminal: terminal)
            plan.connectsAt = phone.connectsAt
            plan.attempts = phone.attempts
            plan.retryAfterSuccess = nil
            if let preset = phone.preset { plan.become(preset) }
            plan.retryAfterSuccess = phone.again
            plan.connection = phone.connection
            var carried = PhonePlan(phone.name, plan, phone.walk)
            if let preset = phone.preset { carried.controller = ControllerProfile(preset) }
            if let power = phone.transmitPower {
                (carried.controller.powerControl, carried.controller.transmitPower) = (true, power)
            }
            return carried
        }
    }

    /// The time after the end by which every link has ended: the longest silence of the phones' links and a second, and
    /// at least 6 s.
    var timeToEnd: Duration {
        phones.reduce(.seconds(6)) { max($0, $1.connection.longestSilence + .seconds(1)) }
    }

    /// The name of the reader behind each address.
    var readerNames: [BluetoothAddress: String] {
        var names: [BluetoothAddress: String] = [:]
        for (index, reader) in readers.enumerated() {
            for address in Reader.addresses(index) { names[address] = reader.name }
        }
        return names
    }

    /// The published identity, whose signatures are the same in equal runs.
    ///
    /// - Throws: only if the cryptographic library rejects the keys.
    static func identity() throws -> ReaderIdentity { try publishedIdentity.get() }

    /// Created once: a run of a swarm takes about as long as twenty keys.
    private static let publishedIdentity = Swift.Result {
        let (scalar, point) = (DemoIdentity.terminalScalar, DemoIdentity.signaturePoint)
        return try ReaderIdentity(
            deviceID: DemoIdentity.deviceID, terminalKey: RepeatableKey(scalar: scalar.span),
            signatureKey: P256PublicKey(point: point.span))
    }
}

extension SiteScenario.Phone {
    /// The parameters of its connections.
    fileprivate var connection: ConnectionSettings {
        var connection = preset?.connection ?? ConnectionSettings()
        if let interval { connection.interval = interval }
        return connection
    }
}

extension SiteScenario.Reader {
    /// The addresses of a reader's modes.
    fileprivate static func addresses(_ index: Int) -> [BluetoothAddress] {
        (0..<2).map { .randomStatic(from: 0x0123_4567_89AB + 2 * UInt64(index) + $0) }
    }

    /// The configuration of the reader with this place in the list of readers.
    ///
    /// - Parameter polls: true if the reader polls cards.
    func configuration(_ index: Int, polls: Bool = false) -> AccessConfiguration {
        let addresses = SiteScenario.Reader.addresses(index)
        var configuration = AccessConfiguration(modes: [
            .init(mode: .onTouch, address: addresses[0], gate: gate),
            .init(mode: .access, address: addresses[1], gate: gate),
        ])
        configuration.maximumLinks = links
        if polls { configuration.cards.kinds = cardKinds }
        return configuration
    }
}

extension ControllerProfile {
    /// The controller of a kind of phone.
    init(_ preset: PhonePreset) {
        self = preset.isLegacy ? .legacy : .modern
        eventsToUpdate = preset.eventsToUpdate
    }
}

extension SiteScenario.Credential {
    private static let site = issuer(DemoIdentity.signatureScalar)
    private static let stranger = issuer(InlineArray(repeating: 0x11))

    private static func issuer(_ scalar: [32 of UInt8]) -> Swift.Result<TokenIssuer, any Error> {
        Swift.Result { try TokenIssuer(signatureKey: RepeatableKey(scalar: scalar.span)) }
    }

    /// The token of a phone.
    func token() throws -> [UInt8] {
        let issuer = isOfSite ? SiteScenario.Credential.site : SiteScenario.Credential.stranger
        return try issuer.get().commandToken(credentialID: id, command: .open, validity: validity)
    }
}

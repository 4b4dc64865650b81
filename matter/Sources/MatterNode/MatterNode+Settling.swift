// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterCredentials
import MatterInteraction
import MatterSession
import MatterTLV
import Timekeeping

/// The order of consequences: the model's requests, then the channel's outputs, then replies, which are sent after the
/// state is stored.
extension MatterNode {
    mutating func settle(at now: Instant) {
        while true {
            model.admitGrants(at: now)
            model.preparePINs(at: now)
            model.provisionReader()
            for text in model.interposer?.takeNotices() ?? [] { model.notice(.faultInjected(text)) }
            if !model.requests.isEmpty {
                let requests = model.requests
                model.requests = []
                for request in requests { perform(request, at: now) }
            } else if !channelEffects.isEmpty {
                let outputs = channelEffects
                channelEffects = []
                for output in outputs { handle(output, at: now) }
            } else if areFabricsStale {
                updateFabrics()
            } else if !interactionEffects.isEmpty {
                store()
                let outputs = interactionEffects
                interactionEffects = []
                for output in outputs { handle(output, at: now) }
            } else {
                break
            }
        }
        store()
        updatePASE()
        advertise()
    }

    /// Requests the storage of the state if it has changed.
    private mutating func store() {
        guard model.isStateChanged || storage.takeRetry() else { return }
        model.isStateChanged = false
        guard let document = try? model.lastingState.document(events: server.events.encoded()) else {
            return effects.append(.notice(.storingFailed))
        }
        if let number = storage.put(document) { effects.append(.persist(document, document: number)) }
    }

    /// Answers PASE if and only if a window is open and no commissioner is active.
    private mutating func updatePASE() {
        let window = isCommissionable ? model.window : nil
        guard window?.instance != answeredWindow else { return }
        answeredWindow = window?.instance
        let verifier = window?.label.verifier ?? []
        guard let window, let verifier = try? SPAKE2PlusVerifier(octets: verifier.span) else {
            return channel.acceptPASE(nil)
        }
        channel.acceptPASE(
            PASEParameters(verifier: verifier, iterations: window.label.iterations, salt: window.label.salt))
    }

    private var isCommissionable: Bool {
        model.window != nil && model.failSafe == nil && !sessions.values.contains { $0.authentication == .pase }
    }

    private var isOperational: Bool { model.interposer?.isOperational ?? true }

    private mutating func updateFabrics() {
        areFabricsStale = false
        let identities = isOperational ? model.state.fabrics.map(\.identity) : []
        channel.setFabrics(identities, keeping: Set(leaving.map(\.session)), effects: &channelEffects)
    }

    private mutating func advertise() {
        var advertisement = MatterAdvertisement()
        if isCommissionable, let window = model.window {
            let product = configuration.product
            advertisement.commissionable = MatterAdvertisement.Commissionable(
                discriminator: window.label.discriminator, vendor: product.vendor, product: product.product,
                deviceType: configuration.device.type.id, name: product.productName,
                mode: window.kind == .enhanced ? 2 : 1, pairingHint: configuration.pairingHint,
                instance: window.instance, isOverBluetooth: configuration.offersBluetooth && window.kind == .label)
        }
        if isOperational, model.isOnNetwork {
            advertisement.operational = model.state.fabrics.map {
                MatterAdvertisement.Operational(
                    compressedFabric: $0.identity.compressedFabricID, node: $0.identity.nodeID)
            }
        }
        guard advertisement != advertised else { return }
        advertised = advertisement
        effects.append(.advertise(advertisement))
    }
}

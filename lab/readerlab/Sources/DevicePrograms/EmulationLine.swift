// SPDX-License-Identifier: Apache-2.0

import Demo
import GATTDevice
import Octets
import Peripheral

/// An event of an emulated device, printed as a sentence or as JSON.
struct EmulationLine {
    /// A sentence for the user: `link 1: wrote 2A39 (handle 13): 01`.
    let sentence: String
    /// The members of its JSON object.
    let fields: SortedJSON

    init(_ event: String, _ link: LinkID?, _ sentence: String, _ fields: SortedJSON = [:]) {
        self.sentence = (link.map { "link \($0.generation): " } ?? "") + sentence
        self.fields = fields.and(["event": event, "link": link?.generation, "sentence": sentence])
    }
}

extension HCIStatus {
    /// The advice for a link that ended because the keys do not match; nil for other reasons.
    var aboutKeys: String? {
        switch self {
        // Authentication Failure, PIN or Key Missing, MIC Failure (Core 5.4, Vol 1, Part F, 2).
        case HCIStatus(rawValue: 0x05), HCIStatus(rawValue: 0x06), HCIStatus(rawValue: 0x3D):
            "the client's key is not this device's; have it forget the device and pair again, here with "
                + "--pairing-window SECONDS if it is bonded"
        default: nil
        }
    }
}

extension EmulationLine {
    /// The line for a notice; nil for one that is only an entry of the timeline.
    init?(_ notice: DeviceNotice) {
        switch notice {
        case .executed, .gaveUp, .cut, .mistaken: return nil
        case .fault(let link, let step, let fault):
            self.init("fault", link, "fault at \(step): \(fault)", ["step": step, "text": "\(fault)"])
        case .dropped(let link, let value): self.init("dropped", link, "a fault has dropped", value)
        case .ready: self.init("ready", nil, "the controller is ready: waiting for clients")
        case .advertisingRefused(let device, let refusal):
            self.init(
                "advertising", nil, "device \(device + 1) is not on the air, and tried again: \(refusal)",
                ["device": device + 1, "on": false, "text": "\(refusal)"])
        case .advertisingResumed(let device):
            self.init(
                "advertising", nil, "device \(device + 1) is on the air", ["device": device + 1, "on": true])
        case .controllerFailed(let fault):
            self.init(
                "controller-failed", nil, "the controller failed, and is started again: \(fault)", ["text": "\(fault)"])
        case .connected(let link, let peer, let device, let address):
            self.init(
                "connected", link, "connected, \(peer)\(device > 0 ? " to device \(device + 1)" : "")",
                ["peer": "\(peer)", "address": address.map { "\($0)" }, "device": device + 1])
        case .disconnected(let link, let reason):
            let code = reason.rawValue.padded(to: 2, radix: 16, uppercase: true)
            let advice = reason.aboutKeys
            self.init(
                "disconnected", link, "disconnected, reason 0x\(code)\(advice.map { ": " + $0 } ?? "")",
                ["reason": reason.rawValue, "text": advice])
        case .mtuExchanged(let link, let mtu): self.init("mtu", link, "ATT_MTU \(mtu)", ["mtu": mtu])
        case .written(let link, let value): self.init("written", link, "wrote", value)
        case .read(let link, let value): self.init("read", link, "read", value)
        case .subscribed(let link, let handle, let type, let configuration):
            let (notifies, indicates) = (configuration.contains(.notification), configuration.contains(.indication))
            let wanted = [notifies ? "notifications" : nil, indicates ? "indications" : nil]
                .compactMap(\.self).joined(separator: " and ")
            self.init(
                "subscribed", link, wanted.isEmpty ? "unsubscribed from" : "subscribed to \(wanted) of", handle, type,
                ["notifications": notifies, "indications": indicates])
        case .notified(let link, let value): self.init("notified", link, "notified", value)
        case .indicated(let link, let value): self.init("indicated", link, "indicated", value)
        case .confirmed(let link, let handle, let type): self.init("confirmed", link, "confirmed", handle, type)
        case .refused(let link, let request, let type):
            self.init(link, request, type, "\(request.opcode.words): \(request.error.words)")
        case .failed(let link, let request, let type):
            self.init(link, request, type, "\(request.opcode.words): as a fault")
        case .replaced(let device):
            self.init(
                "replaced", nil,
                "device \(device + 1) follows its changed file; clients that subscribed to changes are notified",
                ["device": device + 1])
        case .passkeyDisplayed(let link, let passkey):
            let digits = passkey.padded(to: 6)
            self.init("passkey", link, "enter \(digits) at the client", ["digits": digits])
        case .outOfBand(let data):
            let (confirm, random) = (EmulationLine.digits(data.confirm), EmulationLine.digits(data.random))
            self.init(
                "out-of-band", nil, "out-of-band data for the client: confirm \(confirm), random \(random)",
                ["confirm": confirm, "random": random])
        case .passkeyWanted(let link):
            self.init("passkey-wanted", link, "asks for the six digits that the client shows (--answer)")
        case .compared(let link, let number):
            let digits = number.padded(to: 6)
            self.init("compare", link, "does the client show \(digits) too? (--answer)", ["digits": digits])
        case .securityChanged(let link, let level, let peer):
            self.init(
                "security", link, EmulationLine.text(level, peer),
                [
                    "peer": peer.map { "\($0)" }, "encrypted": level.isEncrypted,
                    "authenticated": level.isAuthenticated, "secure-connections": level.isSecureConnections,
                    "key-size": level.keySize, "bonded": level.isBonded,
                ])
        case .bondRemoved(let link, let identity):
            self.init(
                "bond-removed", link, "the bond of \(identity), used longest ago, makes room for this client's",
                ["peer": "\(identity)"])
        case .paired(let link, let error):
            let text = error.map { "for this link only, no bonding was offered: \(EmulationLine.text($0))" }
            self.init("paired", link, "paired\(text.map { "; " + $0 } ?? "")", ["text": text])
        case .pairingFailed(let link, let failure):
            let text = EmulationLine.text(failure)
            self.init("pairing-failed", link, "pairing failed: \(text)", ["text": text])
        case .channelOpened(let link, let spsm):
            self.init("channel-opened", link, "opened a channel to \(EmulationLine.channel(spsm))", ["spsm": spsm])
        case .channelReceived(let link, let spsm, let octets):
            let words = "sent on the channel to \(EmulationLine.channel(spsm)), and was sent back"
            self.init(
                "echoed", link, "\(words): \(EmulationLine.text(octets))",
                ["value": Hexadecimal.text(octets), "spsm": spsm])
        case .channelClosed(let link, let spsm):
            self.init("channel-closed", link, "the channel to \(EmulationLine.channel(spsm)) is closed", ["spsm": spsm])
        case .leftOut(let link, let handle, let type, let outcome):
            self.init("left-out", link, "was not sent", handle, type, ending: ": \(outcome)", ["text": "\(outcome)"])
        }
    }

    private init(_ link: LinkID, _ request: RefusedRequest, _ type: BluetoothUUID?, _ text: String) {
        let (code, handle) = (request.error.rawValue, request.handle)
        let place = handle.rawValue == 0 ? "" : ", " + EmulationLine.place(handle, type)
        self.init(
            "refused", link, "refused with \(EmulationLine.hexadecimal(code))\(place): \(text)",
            ["handle": handle.rawValue, "uuid": type.map { "\($0)" }, "error": code, "text": text])
    }

    private init(_ event: String, _ link: LinkID, _ did: String, _ value: DeviceValue) {
        self.init(
            event, link, did, value.handle, value.type, ending: ": \(EmulationLine.text(value.octets))",
            ["value": Hexadecimal.text(value.octets)])
    }

    private init(
        _ event: String, _ link: LinkID, _ did: String, _ handle: AttributeHandle, _ type: BluetoothUUID,
        ending: String = "", _ fields: SortedJSON = [:]
    ) {
        self.init(
            event, link, "\(did) \(EmulationLine.place(handle, type))\(ending)",
            fields.and(["handle": handle.rawValue, "uuid": "\(type)"]))
    }

    private static func place(_ handle: AttributeHandle, _ type: BluetoothUUID?) -> String {
        "\(type.map { "\($0)" } ?? "") (handle \(handle.rawValue))"
    }

    private static func text(_ octets: [UInt8]) -> String { octets.isEmpty ? "nothing" : Hexadecimal.text(octets) }

    private static func channel(_ spsm: UInt16) -> String {
        "0x00" + Hexadecimal.text([UInt8(truncatingIfNeeded: spsm)])
    }

    private static func text(_ level: LinkSecurityLevel, _ peer: BluetoothAddress?) -> String {
        guard level.isEncrypted else { return "is not encrypted\(level.isBonded ? "; the client is bonded" : "")" }
        let key = level.isSecureConnections ? "LE Secure Connections" : "legacy pairing"
        let authenticated = level.isAuthenticated ? "authenticated" : "not authenticated"
        let bond = level.isBonded ? "bonded" : "not bonded"
        return "is encrypted: \(key), \(authenticated), \(level.keySize) octets, \(bond)\(peer.map { ", \($0)" } ?? "")"
    }

    /// The cause of a failed pairing, with the remedy.
    static func text(_ failure: PairingFailure) -> String {
        switch failure {
        case .refused(let reason): "refused, reason \(hexadecimal(reason.rawValue))"
        case .ended(let reason): "ended by the device, reason \(hexadecimal(reason.rawValue))"
        case .endedByPeer(let reason): "ended by the client, reason \(hexadecimal(reason.rawValue))"
        case .bondKept(let identity, let reason):
            "refused, reason \(hexadecimal(reason.rawValue)): \(identity) is bonded, and its key was not shown; "
                + "for a client that has lost it: --pairing-window SECONDS"
        case .notStored(let error):
            "ended by the device after the keys were exchanged: \(text(error)); have the client forget the device"
        case .timedOut: "a step took too long"
        case .notEncrypted: "the link could not be encrypted with the new key"
        }
    }

    private static func text(_ error: BondStoreError) -> String {
        switch error {
        case .full:
            "\(TransientBondStore.defaultCapacity) bonds are stored, each of a connected client or with a stronger key"
        case .notWritten: "the file of --bonds cannot be written"
        }
    }

    private static func hexadecimal(_ octet: UInt8) -> String { "0x" + octet.padded(to: 2, radix: 16) }

    /// The encoding of advertising data types 0x22 and 0x23 (Core Specification Supplement, Part A, 1.6).
    private static func digits(_ value: Value128) -> String {
        var octets: [UInt8] = []
        value.append(leastSignificantFirstTo: &octets)
        return Hexadecimal.text(octets)
    }
}

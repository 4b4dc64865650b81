// SPDX-License-Identifier: Apache-2.0

import GATTDevice
import Octets
import Peripheral

/// An event of an emulated device, printed as a sentence or as JSON.
struct EmulationLine: Encodable, Equatable {
    var event: String
    var link: UInt32?
    var peer: String?
    var reason: UInt8?
    var mtu: Int?
    var handle: UInt16?
    var uuid: String?
    var value: String?
    var notifications: Bool?
    var indications: Bool?
    var name: String?
    var address: String?
    var device: Int?
    var digits: String?
    var confirm: String?
    var random: String?
    var spsm: UInt16?
    var encrypted: Bool?
    var authenticated: Bool?
    var secureConnections: Bool?
    var keySize: Int?
    var bonded: Bool?
    var error: UInt8?
    var text: String?

    private enum CodingKeys: String, CodingKey {
        case event, link, peer, reason, mtu, handle, uuid, value, notifications, indications, name, address, device
        case digits, confirm, random, spsm, encrypted, authenticated, bonded, error, text
        case secureConnections = "secure-connections"
        case keySize = "key-size"
    }
}

extension HCIStatus {
    /// The advice for a link that ended for want of the right key; nil for other reasons.
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
    /// The line for a notice.
    init(_ notice: DeviceNotice) {
        switch notice {
        case .ready: self.init(event: "ready")
        case .controllerFailed(let fault): self.init(event: "controller-failed", text: "\(fault)")
        case .connected(let link, let peer, let device, let address):
            self.init(
                event: "connected", link: link.generation, peer: "\(peer)", address: address.map { "\($0)" },
                device: device + 1)
        case .disconnected(let link, let reason):
            self.init(
                event: "disconnected", link: link.generation, reason: reason.rawValue, text: reason.aboutKeys)
        case .mtuExchanged(let link, let mtu): self.init(event: "mtu", link: link.generation, mtu: mtu)
        case .written(let link, let value): self.init(event: "written", link, value)
        case .read(let link, let value): self.init(event: "read", link, value)
        case .subscribed(let link, let handle, let type, let configuration):
            self.init(
                event: "subscribed", link: link.generation, handle: handle.rawValue, uuid: "\(type)",
                notifications: configuration.contains(.notification),
                indications: configuration.contains(.indication))
        case .notified(let link, let value): self.init(event: "notified", link, value)
        case .indicated(let link, let value): self.init(event: "indicated", link, value)
        case .confirmed(let link, let handle, let type):
            self.init(event: "confirmed", link: link.generation, handle: handle.rawValue, uuid: "\(type)")
        case .refused(let link, let request, let type):
            self.init(
                event: "refused", link: link.generation, handle: request.handle.rawValue, uuid: type.map { "\($0)" },
                error: request.error.rawValue, text: "\(request.opcode.words): \(request.error.words)")
        case .replaced(let device): self.init(event: "replaced", device: device + 1)
        case .passkeyDisplayed(let link, let passkey):
            self.init(event: "passkey", link: link.generation, digits: passkey.padded(to: 6))
        case .outOfBand(let data):
            self.init(
                event: "out-of-band", confirm: EmulationLine.digits(data.confirm),
                random: EmulationLine.digits(data.random))
        case .passkeyWanted(let link): self.init(event: "passkey-wanted", link: link.generation)
        case .compared(let link, let number):
            self.init(event: "compare", link: link.generation, digits: number.padded(to: 6))
        case .securityChanged(let link, let level, let peer):
            self.init(
                event: "security", link: link.generation, peer: peer.map { "\($0)" }, encrypted: level.isEncrypted,
                authenticated: level.isAuthenticated, secureConnections: level.isSecureConnections,
                keySize: level.keySize, bonded: level.isBonded)
        case .paired(let link, let error):
            self.init(event: "paired", link: link.generation, text: error.map { "its keys are not kept: \($0)" })
        case .pairingFailed(let link, let failure):
            self.init(event: "pairing-failed", link: link.generation, text: EmulationLine.text(failure))
        case .channelOpened(let link, let spsm):
            self.init(event: "channel-opened", link: link.generation, spsm: spsm)
        case .channelReceived(let link, let spsm, let octets):
            self.init(
                event: "echoed", link: link.generation, value: Hexadecimal.text(octets), spsm: spsm)
        case .channelClosed(let link, let spsm):
            self.init(event: "channel-closed", link: link.generation, spsm: spsm)
        case .leftOut(let link, let handle, let type, let outcome):
            self.init(
                event: "left-out", link: link.generation, handle: handle.rawValue, uuid: "\(type)", text: "\(outcome)")
        }
    }

    private init(event: String, _ link: LinkID, _ value: DeviceValue) {
        self.init(
            event: event, link: link.generation, handle: value.handle.rawValue, uuid: "\(value.type)",
            value: Hexadecimal.text(value.octets))
    }

    /// A sentence for the user: `link 1: wrote 2A39 (handle 13): 01`.
    var sentence: String {
        let who = link.map { "link \($0): " } ?? ""
        let what = "\(uuid ?? "") (handle \(handle ?? 0))"
        let octets = value.map { $0.isEmpty ? "nothing" : $0 } ?? ""
        switch event {
        case "ready": return "the controller is ready: waiting for clients"
        case "controller-failed": return "the controller failed, and is started again: \(text ?? "")"
        case "connected":
            return "\(who)connected, \(peer ?? "")\(device.map { $0 > 1 ? " to device \($0)" : "" } ?? "")"
        case "passkey": return "\(who)enter \(digits ?? "") at the client"
        case "out-of-band": return "out-of-band data for the client: confirm \(confirm ?? ""), random \(random ?? "")"
        case "passkey-wanted": return "\(who)asks for the six digits that the client shows (--answer)"
        case "compare": return "\(who)does the client show \(digits ?? "") too? (--answer)"
        case "security": return who + securityWords
        case "paired": return "\(who)paired\(text.map { "; " + $0 } ?? "")"
        case "pairing-failed": return "\(who)pairing failed: \(text ?? "")"
        case "disconnected":
            let reason = "reason 0x\((reason ?? 0).padded(to: 2, radix: 16, uppercase: true))"
            return "\(who)disconnected, \(reason)\(text.map { ": " + $0 } ?? "")"
        case "refused":
            let place = (handle ?? 0) == 0 ? "" : ", \(what)"
            return "\(who)refused with 0x\((error ?? 0).padded(to: 2, radix: 16))\(place): \(text ?? "")"
        case "replaced":
            return "device \(device ?? 0) is what its file says now; clients that want to know of changes are told"
        case "mtu": return "\(who)ATT_MTU \(mtu ?? 0)"
        case "written": return "\(who)wrote \(what): \(octets)"
        case "read": return "\(who)read \(what): \(octets)"
        case "indicated": return "\(who)indicated \(what): \(octets)"
        case "confirmed": return "\(who)confirmed \(what)"
        case "subscribed":
            let kinds = [notifications == true ? "notifications" : nil, indications == true ? "indications" : nil]
            let wanted = kinds.compactMap(\.self).joined(separator: " and ")
            return "\(who)\(wanted.isEmpty ? "unsubscribed from" : "subscribed to \(wanted) of") \(what)"
        case "notified": return "\(who)notified \(what): \(octets)"
        case "channel-opened": return "\(who)opened a channel to \(channel)"
        case "echoed": return "\(who)sent on the channel to \(channel), and was sent back: \(octets)"
        case "channel-closed": return "\(who)the channel to \(channel) is closed"
        case "left-out": return "\(who)was not sent \(what): \(text ?? "")"
        default: return text ?? event
        }
    }

    private var channel: String { "0x00" + Hexadecimal.text([UInt8(truncatingIfNeeded: spsm ?? 0)]) }

    private var securityWords: String {
        guard encrypted == true else { return "is not encrypted\(bonded == true ? "; the client is bonded" : "")" }
        let key = secureConnections == true ? "LE Secure Connections" : "legacy pairing"
        let authenticated = authenticated == true ? "authenticated" : "not authenticated"
        let bond = bonded == true ? "bonded" : "not bonded"
        return "is encrypted: \(key), \(authenticated), \(keySize ?? 0) octets, \(bond)\(peer.map { ", " + $0 } ?? "")"
    }

    private static func text(_ failure: PairingFailure) -> String {
        switch failure {
        case .refused(let reason): "refused, reason \(hexadecimal(reason.rawValue))"
        case .ended(let reason): "ended by the device, reason \(hexadecimal(reason.rawValue))"
        case .endedByPeer(let reason): "ended by the client, reason \(hexadecimal(reason.rawValue))"
        case .bondKept(let identity, let reason):
            "refused, reason \(hexadecimal(reason.rawValue)): \(identity) is bonded, and its key was not shown; "
                + "for a client that has lost it: --pairing-window SECONDS"
        case .timedOut: "a step took too long"
        case .notEncrypted: "the link could not be encrypted with the new key"
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

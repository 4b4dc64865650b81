import GATTDevice
import Peripheral

/// What happened to an emulated device, for a person and for a program.
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
    var text: String?
}

extension EmulationLine {
    /// The line of a notice.
    init(_ notice: DeviceNotice) {
        switch notice {
        case .ready: self.init(event: "ready")
        case .controllerFailed(let fault): self.init(event: "controller-failed", text: "\(fault)")
        case .connected(let link, let peer): self.init(event: "connected", link: link.generation, peer: "\(peer)")
        case .disconnected(let link, let reason):
            self.init(event: "disconnected", link: link.generation, reason: reason.rawValue)
        case .mtuExchanged(let link, let mtu): self.init(event: "mtu", link: link.generation, mtu: mtu)
        case .written(let link, let value): self.init(event: "written", link, value)
        case .subscribed(let link, let handle, let type, let configuration):
            self.init(
                event: "subscribed", link: link.generation, handle: handle.rawValue, uuid: "\(type)",
                notifications: configuration.contains(.notification),
                indications: configuration.contains(.indication))
        case .notified(let link, let value): self.init(event: "notified", link, value)
        case .leftOut(let link, let handle, let type, let outcome):
            self.init(
                event: "left-out", link: link.generation, handle: handle.rawValue, uuid: "\(type)", text: "\(outcome)")
        }
    }

    private init(event: String, _ link: LinkID, _ value: DeviceValue) {
        self.init(
            event: event, link: link.generation, handle: value.handle.rawValue, uuid: "\(value.type)",
            value: EmulationLine.digits(value.octets))
    }

    /// For a person: `link 1: wrote 2A39 (handle 13): 01`.
    var sentence: String {
        let who = link.map { "link \($0): " } ?? ""
        let what = "\(uuid ?? "") (handle \(handle ?? 0))"
        let octets = value.map { $0.isEmpty ? "nothing" : $0 } ?? ""
        switch event {
        case "ready": return "the controller is ready: waiting for clients"
        case "controller-failed": return "the controller failed, and is started again: \(text ?? "")"
        case "connected": return "\(who)connected, \(peer ?? "")"
        case "disconnected":
            let digits = String(reason ?? 0, radix: 16, uppercase: true)
            return "\(who)disconnected, reason 0x\(digits.count == 1 ? "0" : "")\(digits)"
        case "mtu": return "\(who)ATT_MTU \(mtu ?? 0)"
        case "written": return "\(who)wrote \(what): \(octets)"
        case "subscribed":
            let kinds = [notifications == true ? "notifications" : nil, indications == true ? "indications" : nil]
            let wanted = kinds.compactMap(\.self).joined(separator: " and ")
            return "\(who)\(wanted.isEmpty ? "unsubscribed from" : "subscribed to \(wanted) of") \(what)"
        case "notified": return "\(who)notified \(what): \(octets)"
        case "left-out": return "\(who)could not be notified of \(what): \(text ?? "")"
        default: return text ?? event
        }
    }

    private static func digits(_ octets: [UInt8]) -> String {
        octets.map { octet in
            let digits = String(octet, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}

import Peripheral
import Provisioning

/// What happened to an emulated Wi-Fi chip, for a person and for a program. Octets that a client wrote are not told:
/// they may have a passphrase.
struct NordicLine: Encodable, Equatable {
    var event: String
    var link: UInt32?
    var peer: String?
    var address: String?
    var name: String?
    var reason: UInt8?
    var mtu: Int?
    var encrypted: Bool?
    var characteristic: String?
    var notifications: Bool?
    var indications: Bool?
    var operation: Int32?
    var step: String?
    var value: String?
    var ssid: String?
    var text: String?

    init(_ event: String, _ link: LinkID? = nil) {
        self.event = event
        self.link = link?.generation
    }

    /// The line of what the host tells; nil if it is of no interest, or the device tells it better.
    init?(_ event: HostEvent) {
        switch event {
        case .ready: self.init("ready")
        case .controllerFailed(let fault):
            self.init("controller-failed")
            text = "\(fault)"
        case .connected(let link, let description):
            self.init("connected", link)
            peer = "\(description.peer)"
        case .disconnected(let link, let reason):
            self.init("disconnected", link)
            self.reason = reason.rawValue
        case .mtuExchanged(let link, let mtu):
            self.init("mtu", link)
            self.mtu = mtu
        case .securityChanged(let link, let level):
            self.init("security", link)
            encrypted = level.isEncrypted
        case .paired(let link, _): self.init("paired", link)
        case .pairingFailed(let link, let failure):
            self.init("pairing-failed", link)
            text = "\(failure)"
        default: return nil
        }
    }

    /// The line of what the device tells.
    init(_ notice: NordicNotice) {
        switch notice {
        case .informationRead(let link): self.init("information-read", link)
        case .requested(let link, let request): self.init(request, link)
        case .undecodable(let link, let error, let count):
            self.init("undecodable", link)
            text = "\(count) octets: \(error)"
        case .subscribed(let link, let characteristic, let configuration):
            self.init("subscribed", link)
            self.characteristic = characteristic.rawValue
            notifications = configuration.contains(.notification)
            indications = configuration.contains(.indication)
        case .confirmed(let link): self.init("confirmed", link)
        case .sent(let message): self.init("sent", message)
        case .notSent(let message, let failure):
            self.init("not-sent", message)
            text = NordicLine.words(failure)
        case .joining(let name, let reason): self.init("joining", name, reason.rawValue)
        case .joined(let name, let address): self.init("joined", name, address.map { "\($0)" })
        case .joinFailed(let name, let failure): self.init("join-failed", name, "\(failure)")
        case .lost: self.init("lost")
        case .stored(let name, let isVolatile): self.init("stored", name, isVolatile ? "in memory only" : nil)
        case .notStored(let name): self.init("not-stored", name, "there is no room, and the app is not told")
        case .forgotten: self.init("forgotten")
        case .recordLeftOut(let name): self.init("record-left-out", name, "its name is not UTF-8")
        }
    }

    private init(_ event: String, _ message: NordicMessage) {
        self.init(event, message.link)
        step = message.step.rawValue
        characteristic = message.characteristic.rawValue
        value = message.octets.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private init(_ event: String, _ name: WiFiName, _ text: String?) {
        self.init(event)
        ssid = "\(name)"
        self.text = text
    }

    private init(_ request: NordicRequest, _ link: LinkID) {
        self.init("requested", link)
        operation = request.operation?.rawValue
        text = NordicLine.word(request.operation)
        ssid = (request.configuration?.network?.wifiName).map { "\($0)" }
    }

    private static func word(_ operation: NordicOperation?) -> String {
        switch operation {
        case nil: "nothing"
        case .getStatus: "GET_STATUS"
        case .startScan: "START_SCAN"
        case .stopScan: "STOP_SCAN"
        case .setConfiguration: "SET_CONFIG"
        case .forgetConfiguration: "FORGET_CONFIG"
        default: "an unknown operation"
        }
    }

    private static func words(_ failure: NordicSendFailure) -> String {
        switch failure {
        case .tooLong(let limit):
            "longer than the \(limit) octets of this link: the app has to ask for a larger ATT_MTU"
        case .notSubscribed: "the app has not subscribed to it"
        case .notConfirmed: "the app has not confirmed the indication before"
        case .gone: "the link is gone"
        }
    }

    /// For a person: `link 1: wrote GET_STATUS`.
    var sentence: String {
        let who = link.map { "link \($0): " } ?? ""
        let network = ssid ?? ""
        let why = text.map { ": \($0)" } ?? ""
        switch event {
        case "device": return "\(name?.debugDescription ?? "") at \(address ?? ""), \(text ?? "")"
        case "ready": return "the controller is ready: waiting for the app"
        case "controller-failed": return "the controller failed, and is started again\(why)"
        case "connected": return "\(who)connected, \(peer ?? "")"
        case "disconnected":
            let digits = String(reason ?? 0, radix: 16, uppercase: true)
            return "\(who)disconnected, reason 0x\(digits.count == 1 ? "0" : "")\(digits)"
        case "mtu": return "\(who)ATT_MTU \(mtu ?? 0)"
        case "security": return who + (encrypted == true ? "is encrypted" : "is not encrypted")
        case "paired": return "\(who)paired"
        case "pairing-failed": return "\(who)pairing failed\(why)"
        case "information-read": return "\(who)read the version"
        case "requested": return "\(who)wrote \(text ?? "")\(ssid.map { " for \($0)" } ?? "")"
        case "undecodable": return "\(who)wrote what is no request\(why)"
        case "subscribed":
            let kinds = [notifications == true ? "notifications" : nil, indications == true ? "indications" : nil]
            let wanted = kinds.compactMap(\.self).joined(separator: " and ")
            return
                "\(who)\(wanted.isEmpty ? "unsubscribed from" : "subscribed to \(wanted) of") \(characteristic ?? "")"
        case "confirmed": return "\(who)confirmed the indication"
        case "sent": return "\(who)was sent \(step ?? ""): \(value ?? "")"
        case "not-sent": return "\(who)was not sent \(step ?? "") (\(value ?? ""))\(why)"
        case "joining": return "Wi-Fi: tries \(network) (\(text ?? ""))"
        case "joined": return "Wi-Fi: is in \(network)\(text.map { ", \($0)" } ?? "")"
        case "join-failed": return "Wi-Fi: did not get into \(network)\(why)"
        case "lost": return "Wi-Fi: lost its network"
        case "stored": return "stored \(network)\(text.map { " (\($0))" } ?? "")"
        case "not-stored": return "did not store \(network)\(why)"
        case "forgotten": return "forgot all networks"
        case "record-left-out": return "did not tell of \(network)\(why)"
        default: return text ?? event
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Octets
import Peripheral
import Timekeeping

/// The meaning of a failure, and the remedy.
public struct VisitExplanation: Equatable, Sendable, CustomStringConvertible {
    /// The event.
    public var what: String
    /// The remedy.
    public var remedy: String

    init(_ what: String, _ remedy: String) {
        self.what = what
        self.remedy = remedy
    }

    /// Both in a line.
    public var description: String { "\(what); \(remedy)" }
}

extension VisitFailure {
    /// The failure in words, as docs/protocol/access-profile.md and docs/protocol/status-codes.md have it.
    public var explanation: VisitExplanation {
        switch cause {
        case .controller(let fault): VisitFailure.explain(fault)
        case .scanRefused(let status):
            VisitExplanation(
                "the controller refuses to scan (\(status.hexadecimal))", "reset it, or use another one")
        case .notFound(let seen): explain(seen: seen)
        case .notTouched:
            VisitExplanation(
                "no reader is touched", "hold the chip to a reader that has [nfc] in its configuration")
        case .cardLost:
            VisitExplanation("the card has left the field, or does not answer", "touch the reader again, for longer")
        case .otherReader(let id): explain(other: id)
        case .refusedByCard(let status): explain(card: status)
        case .notConnected(let status):
            VisitExplanation(
                "the reader is heard, and does not answer the connection (\(status.hexadecimal))",
                "go nearer, or wait: a reader whose slots are all taken does not answer")
        case .ended(let reason): explain(end: reason)
        case .silence: explainSilence()
        case .unusable(let why):
            VisitExplanation(
                "this is no reader of the access profile: \(why)", "name the reader by --reader, and another --mode")
        case .session(let failure): explain(failure)
        case .denied(let result): explain(result)
        case .answer:
            VisitExplanation(
                "the answer is not one to \(request?.name ?? "the request")",
                "compare the versions of reader and phone")
        case .noToken(let status):
            VisitExplanation(
                "there is no token for \(request?.name ?? "this"): status \(status.explained)",
                "have one issued for it: readerlab credentials token --help")
        case .interrupted: VisitExplanation("interrupted", "nothing is left connected")
        }
    }

    private static func explain(_ fault: ControllerFault) -> VisitExplanation {
        switch fault {
        case .commandTimeout(let opcode):
            VisitExplanation(
                "the controller does not answer command 0x\(opcode.padded(to: 4, radix: 16, uppercase: true))",
                "check that a controller is at the other end and not another host, and reset it")
        case .commandRefused(let opcode, let status):
            VisitExplanation(
                "the controller refuses command 0x\(opcode.padded(to: 4, radix: 16, uppercase: true)) "
                    + "(\(status.hexadecimal))", "use a controller with Bluetooth LE 4.0 or later as central")
        case .unsuitable(let why): VisitExplanation("the controller cannot be used: \(why)", "use another one")
        case .hardwareError(let code):
            VisitExplanation("the controller reports a hardware error, \(code)", "reset it, and try again")
        case .stateLost: VisitExplanation("\(fault)", "reset it, and try again")
        case .transportLost: VisitExplanation("the controller is gone", "start it again")
        }
    }

    private func explain(seen: [ReaderSighting]) -> VisitExplanation {
        guard let first = seen.first else {
            return VisitExplanation(
                "no reader is heard", "go nearer; is it running, with a free slot? see: readerlab phone scan")
        }
        let list = seen.prefix(4).map(\.text).joined(separator: ", ") + (seen.count > 4 ? ", …" : "")
        let what = "none of the readers that are heard is the one: \(list)"
        if isDemo, seen.allSatisfy({ $0.isFactory == false }) {
            return VisitExplanation(what, "they use other keys: give --bundle FILE of readerlab credentials")
        }
        return VisitExplanation(
            what, "name one, as --reader \(first.name ?? "\(first.address)"), take its bundle, or leave out --mode")
    }

    private func explain(other id: String) -> VisitExplanation {
        VisitExplanation(
            "the reader that is touched is \(id), and there is no token for it",
            isDemo ? "give its bundle: --bundle FILE of readerlab credentials" : "take its bundle, or touch another")
    }

    /// The reader, or the radio, ended the link (docs/protocol/access-profile.md, 2).
    private func explain(end reason: HCIStatus) -> VisitExplanation {
        let age = linkAge.map { " \($0.wholeMilliseconds) ms after it was made" } ?? ""
        let ended = "the reader ended the link\(age) (\(reason.hexadecimal))"
        switch reason {
        case .remoteUserTerminated: return explainRefusal(ended)
        case .remoteLowResources:
            return VisitExplanation(
                "\(ended): all its slots are taken, or this phone has to wait after refusals",
                "try again in 4 s, or disconnect another phone")
        case .remotePowerOff: return VisitExplanation("\(ended): it shuts down", "start it again")
        case .connectionTimeout:
            return VisitExplanation("the link is lost: nothing was heard any longer (0x08)", "go nearer")
        case .connectionFailedToBeEstablished:
            return VisitExplanation("the reader did not come to the link (0x3E)", "go nearer, and try again")
        default:
            return VisitExplanation(
                "the link ended\(age), reason \(reason.hexadecimal)", "see the Core Specification, Vol 1, Part F")
        }
    }

    /// 0x13 before the handshake is the gate, but for a phone that dawdles. Later it is the end of a session whose
    /// token is met with silence (docs/protocol/access-profile.md, 8).
    private func explainRefusal(_ ended: String) -> VisitExplanation {
        let heard = reader?.rssi.map { ", and the phone heard it at \($0) dBm" } ?? ""
        let nearer = "go nearer: readers want -60 dBm by default\(heard)"
        guard stage != .token, let linkAge else {
            return VisitExplanation(
                "\(ended), and did not answer \(request?.name ?? "the token"): its clock may not be set",
                "set it: readerlab phone time --set now; else try again")
        }
        if linkAge < VisitFailure.shortestWindow {
            return VisitExplanation("\(ended): it hears the phone far too weakly, or cannot measure it", nearer)
        }
        if linkAge < VisitFailure.longestWindow {
            return VisitExplanation("\(ended): its window ended before the phone was near enough", nearer)
        }
        return VisitExplanation(
            "\(ended): it was not asked in time, or another phone needed the slot", "try again, and go nearer")
    }

    /// A phone that is far too weak is refused after three readings; another at the end of the window, 400 ms by
    /// default.
    private static let shortestWindow = Duration.milliseconds(300)
    /// No window is longer than 1 s; the end of the link takes a few connection events.
    private static let longestWindow = Duration.milliseconds(1500)

    private func explainSilence() -> VisitExplanation {
        switch stage {
        case .starting: VisitExplanation("the controller does not answer", "reset it")
        case .looking, .connecting: VisitExplanation("the time was over", "give it more by --timeout")
        case .discovering:
            VisitExplanation("the reader does not answer GATT requests", "go nearer, and try again")
        case .handshake:
            VisitExplanation(
                "the reader does not answer the handshake", "try again; the reader's log says what it did not like")
        case .token:
            VisitExplanation(
                "the reader does not answer \(request?.name ?? "the token"): its clock may not be set",
                "set it: readerlab phone time --set now")
        }
    }

    private func explain(_ failure: PhoneFailure) -> VisitExplanation {
        if failure.terminal == .validity, request?.bringsTime != true, let period {
            let (what, remedy) = period.explanation(at: localTime, orRevoked: true)
            return VisitExplanation("refused, status \(StatusCode.validity.rawValue): \(what)", remedy)
        }
        if let status = failure.terminal { return status.explanation(of: request) }
        let key = isDemo ? "the published demo key" : "the key in the bundle"
        switch failure.code {
        case .signature:
            return VisitExplanation(
                "wrong reader: its signature is not made with \(key)",
                isDemo
                    ? "give the bundle of this reader: --bundle FILE"
                    : "take the bundle of this reader, or have a new one made if its key was replaced")
        case .cryptography:
            return VisitExplanation(
                "the answer cannot be opened with \(key)", "an attacker may be in between; move, and try again")
        default:
            return VisitExplanation(
                "the exchange failed here, status \(failure.code.explained)", "try again; report it if it stays")
        }
    }

    /// A denial is a result with status 0 (docs/protocol/access-profile.md, 7.1).
    private func explain(_ result: OssAccessResult) -> VisitExplanation {
        switch result.accessType {
        case .noAccessBlacklisted:
            VisitExplanation("denied: the credential was revoked", "have another one issued")
        case .noAccessValidity: explainValidity()
        case .noAccess:
            VisitExplanation(
                "denied: another site, a clock that is not set, or a door that lets nobody in",
                "see: readerd events --kind denied, at the reader")
        default:
            result.scheduleMissmatch
                ? VisitExplanation("denied: outside the credential's schedule for this door", "come at its times")
                : VisitExplanation("denied: the credential has no entry for this door", "have it issued for this door")
        }
    }

    private func explainValidity() -> VisitExplanation {
        guard let (what, remedy) = period?.explanation(at: localTime, orRevoked: false) else {
            return VisitExplanation(
                "denied: the credential is outside its validity", "have it renewed, or check the reader's clock")
        }
        return VisitExplanation("denied: \(what)", remedy)
    }
}

extension PhoneRequest {
    /// True for a command whose token is held to the time that it brings.
    fileprivate var bringsTime: Bool {
        switch command {
        case .setTime?, .setClock?, .update?: true
        default: false
        }
    }
}

extension HCIStatus {
    /// `0x13`.
    var hexadecimal: String { "0x" + rawValue.padded(to: 2, radix: 16, uppercase: true) }
}

extension ReaderSighting {
    /// `wa0y1YwS (on-touch, -48 dBm)`.
    var text: String {
        let level = rssi.map { ", \($0) dBm" } ?? ""
        return "\(name ?? "\(address)") (\(mode?.rawValue ?? "no reader")\(level))"
    }
}

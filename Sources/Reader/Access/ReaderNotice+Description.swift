// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Credentials
import Octets
public import Peripheral

/// One line for people, the same in the log and in the lab. Of a credential's identifier it has only a part, because
/// readers of a log are not to learn who came when.
extension ReaderNotice: CustomStringConvertible {
    /// `link 3: near, median -45 dBm`.
    public var description: String {
        switch self {
        case .controllerReady(let controller): controller.summary
        case .rssiUnavailable: "the controller cannot read RSSI: links of gated modes are refused"
        case .unserved(let modes):
            "modes \(modes.map(\.rawValue).joined(separator: ", ")) cannot be advertised as configured: check "
                + "advertising.interval-ms and the identifiers"
        case .controllerFailed(let fault): "controller failed: \(fault.summary)"
        case .rssiUnusable(let reading):
            "the controller's RSSI readings are not usable, \(reading.summary): links of gated modes are refused"
        case .rssiUsable: "the controller's RSSI readings are usable"
        case .advertising(.on): "advertising on"
        case .advertising(.slotsTaken): "advertising off: all slots are taken"
        case .advertising(.off): "advertising off: not confirmed by the controller"
        case .advertisingRefused(let modes, let refusal):
            "not on the air: \(modes.map(\.rawValue).joined(separator: ", ")); \(refusal)"
        case .connected(let link, let mode, let peer):
            "\(link): connected, \(peer), mode \(mode?.rawValue ?? "unknown")"
        case .measured(let link, let dBm, let loss?): "\(link): RSSI \(dBm) dBm, path loss \(loss) dB"
        case .measured(let link, let dBm, nil), .traced(let link, let dBm): "\(link): RSSI \(dBm) dBm"
        case .near(let link, let median): "\(link): near, median \(median) dBm"
        case .refused(let link, let refusal): "\(link): refused, \(refusal.summary)"
        case .messageRefused(let link, let code, let told):
            "\(link): message refused, status \(code.explained)\(told ? "" : ", not answered")"
        case .executed(let link, let credential, let command, let code):
            "\(link): \(command) of credential \(OSSCredentialID.redacted(credential)), status \(code.explained)"
        // A card is sent no status.
        case .decided(let link, let decision, .ok) where decision.card != nil: "\(link): \(decision.summary)"
        case .decided(let link, let decision, let code): "\(link): \(decision.summary), status \(code.explained)"
        case .blacklisted(let link, let credential):
            "\(link): credential \(OSSCredentialID.redacted(credential)) is blacklisted"
        case .configurationIgnored(let name, let settings, let isClockSet):
            "pushed configuration \(name.debugDescription): ignored "
                + settings.map(\.rawValue).joined(separator: ", ")
                + (isClockSet ? "; not in reader.phones-may-set" : "; the clock is not set")
        case .unanswerable(let link): "\(link): not answered, the phone has not subscribed to TX"
        case .repeated(let link, let credential):
            "\(link): credential \(OSSCredentialID.redacted(credential)) repeated within the re-arm time, same answer"
        case .tapped(let link): "\(link): near, NFC tap"
        case .tapEnded(let link): "\(link): ended"
        case .cardRefused(let tap, let kind, let refusal):
            "\(tap): \(kind.map { "\($0.rawValue) card" } ?? "card") refused, \(refusal.rawValue)"
        case .mailbox(let tap, let octets): "\(tap): mailbox \(Hexadecimal.text(octets))"
        case .doorStarted: "door: secured"
        case .door(let event): "door: \(event.summary)"
        case .disconnected(let link, let reason):
            "\(link): disconnected, reason 0x\(reason.padded(to: 2, radix: 16, uppercase: true))"
        }
    }
}

extension CredentialDecision {
    /// `OSS-SO credential CR…001 denied, outside its schedule`.
    var summary: String {
        let known = credentialID?.description ?? unlistedCard?.label ?? "without an identifier"
        let of = "\(kind.rawValue) credential \(known)"
        return switch outcome {
        case .granted(.defaultTime): "\(of) granted"
        case .granted(.extendedTime): "\(of) granted, extended time"
        case .granted(.toggle): "\(of) granted, toggle"
        case .denied(let why): "\(of) denied, \(why.rawValue)"
        case .failed: "\(of) refused"
        }
    }
}

extension Refusal {
    /// One word, for machines.
    public var name: String {
        switch self {
        case .tooFar: "too-far"
        case .wellUnder: "well-under"
        case .pathLoss: "path-loss"
        case .powerUnknown: "power-unknown"
        case .idle: "idle"
        case .poolFull: "pool-full"
        case .backingOff: "backing-off"
        case .rssiUnavailable: "rssi-unavailable"
        case .powerUnavailable: "power-unavailable"
        case .earlyDataExceeded: "held-too-much"
        case .lifetimeExceeded: "aged"
        case .evicted: "gave-way"
        case .replaced: "replaced"
        case .surveyed: "surveyed"
        case .outdated: "outdated"
        }
    }

    var summary: String {
        switch self {
        case .tooFar(let median?): "below the threshold in the window (median \(median) dBm)"
        case .tooFar(nil): "too few readings in the window"
        case .wellUnder(let last): "far below the threshold (\(last) dBm)"
        case .pathLoss(let median): "path loss above the limit (median \(median) dB)"
        case .powerUnknown: "no transmit power of the phone for its readings"
        case .idle: "no complete exchange in time"
        case .poolFull: "all slots are taken"
        case .backingOff: "refused too often for the last slot"
        case .rssiUnavailable: "the controller cannot read RSSI"
        case .powerUnavailable: "the controller cannot read the transmit power of phones"
        case .earlyDataExceeded: "too much data before it was near"
        case .lifetimeExceeded: "maximum duration reached"
        case .evicted: "longest idle link, slot needed"
        case .replaced: "its credential must not hold every slot"
        case .surveyed: "measured for a survey, not served"
        case .outdated: "its credential's reader was replaced"
        }
    }
}

extension RSSIReading {
    /// The answer in words.
    fileprivate var summary: String {
        switch self {
        case .value(let dBm): "\(dBm) dBm"
        case .none: "status 0 without a value (0, 127 or none)"
        case .failed(let status): "\(status)\(status == .unspecifiedError ? ", or no answer" : "")"
        }
    }
}

extension ControllerDescription {
    /// The main properties of a controller, in one line.
    var summary: String {
        let advertising =
            extendedAdvertising ? "extended advertising, \(advertisingSets) sets" : "legacy advertising"
        return "controller ready: HCI version \(hciVersion), \(advertising), ACL \(aclPackets) × \(aclDataLength)"
    }
}

extension ControllerFault {
    /// The failure and the reaction.
    public var summary: String {
        switch self {
        case .unsuitable(let why): why
        case .transportLost: "connection lost; reconnecting"
        case .commandTimeout, .commandRefused, .hardwareError, .stateLost: "\(self); resetting it"
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

public import Emulation
public import MatterFaults
public import MatterInteraction
import MatterTLV

/// A fault of an emulated Matter device.
public enum MatterFault: Equatable, Sendable, CustomStringConvertible {
    /// No answer after PASE.
    case silentAfterPASE
    /// The fabrics are never advertised, and CASE is not answered.
    case neverOperational
    /// This number of reports of subscriptions is not sent.
    case loseReports(Int)
    /// The error value of a failed ConnectNetwork has the wrong type.
    case unsignedErrorValue
    /// The attestation elements hold another nonce than the request.
    case badAttestationNonce
    /// The signature of the certificate request is wrong.
    case badCSRSignature
    /// A command is not answered.
    case ignore(MatterCommandName)
    /// A command is refused with this status.
    case refuse(MatterCommandName, InteractionStatus)
    /// A command is answered later.
    case delay(MatterCommandName, milliseconds: Int)

    /// The maximum delay in milliseconds: ten minutes, more than any app waits.
    public static let maximumDelay = 600_000
    /// The maximum number of lost reports: a day of reports each second.
    public static let maximumLost = 86_400

    /// The faults of the whole device, `fault WORD ARGUMENT`.
    public static let ofDevice: [(word: String, argument: String?, effect: String)] = [
        ("silent-after-pase", nil, "nothing is answered once the passcode is accepted"),
        ("never-operational", nil, "the device is not found on its fabric"),
        ("lose-reports", "COUNT", "so many reports of subscriptions are not sent"),
        ("wrong-error-type", nil, "the error value of a failed ConnectNetwork has the wrong type"),
        ("bad-attestation-nonce", nil, "the attestation elements hold another nonce than the request"),
        ("bad-csr-signature", nil, "the signature of the certificate request is wrong"),
    ]
    /// The faults of a command, `fault WORD COMMAND ARGUMENT`.
    public static let ofCommand: [(word: String, argument: String?, effect: String)] = [
        ("ignore", nil, "a command is not answered: `fault ignore CSRRequest`"),
        ("refuse", "STATUS", "it is refused with this status of the interaction model: `fault refuse UnlockDoor 0x01`"),
        ("delay", "MS", "it is answered later"),
    ]

    /// The syntax with the effects.
    static let forms: [(form: String, effect: String)] =
        ofDevice.map { ("fault \($0.word)" + ($0.argument.map { " \($0)" } ?? ""), $0.effect) }
        + ofCommand.map { ("fault \($0.word) COMMAND" + ($0.argument.map { " \($0)" } ?? ""), $0.effect) }

    /// Parses the words after `fault`.
    init(words: [String]) throws(CommandFault) {
        switch (words.first, words.count) {
        case ("silent-after-pase", 1): self = .silentAfterPASE
        case ("never-operational", 1): self = .neverOperational
        case ("wrong-error-type", 1): self = .unsignedErrorValue
        case ("bad-attestation-nonce", 1): self = .badAttestationNonce
        case ("bad-csr-signature", 1): self = .badCSRSignature
        case ("lose-reports", 2):
            guard let count = Int(words[1]), (1...MatterFault.maximumLost).contains(count) else {
                throw CommandFault("fault lose-reports wants a count, 1 to \(MatterFault.maximumLost)")
            }
            self = .loseReports(count)
        case ("ignore", 2): self = .ignore(try MatterFault.command(words[1]))
        case ("refuse", 3):
            let digits = words[2].hasPrefix("0x") ? words[2].dropFirst(2) : words[2][...]
            guard let status = UInt8(digits, radix: words[2].hasPrefix("0x") ? 16 : 10), status > 0 else {
                throw CommandFault("fault refuse COMMAND wants a status of the interaction model, as 0x01")
            }
            self = .refuse(try MatterFault.command(words[1]), InteractionStatus(rawValue: status))
        case ("delay", 3):
            guard let time = Int(words[2]), (1...MatterFault.maximumDelay).contains(time) else {
                throw CommandFault("fault delay COMMAND wants milliseconds, 1 to \(MatterFault.maximumDelay)")
            }
            self = .delay(try MatterFault.command(words[1]), milliseconds: time)
        default: throw CommandFault("write \(MatterFault.forms.map(\.form).joined(separator: ", or "))")
        }
    }

    private static func command(_ text: String) throws(CommandFault) -> MatterCommandName {
        guard let name = MatterCommandName(text) else {
            let all = MatterCommandName.all.map(\.description).joined(separator: ", ")
            throw CommandFault("there is no command \(text.debugDescription) here; there are \(all)")
        }
        return name
    }

    /// Adds the fault to the node's.
    public func apply(to faults: inout MatterFaults) {
        switch self {
        case .silentAfterPASE: faults.isSilentAfterPASE = true
        case .neverOperational: faults.isNeverOperational = true
        case .loseReports(let count): faults.lostReports = count
        case .unsignedErrorValue: faults.sendsUnsignedErrorValue = true
        case .badAttestationNonce: faults.spoilsAttestationNonce = true
        case .badCSRSignature: faults.spoilsCSRSignature = true
        case .ignore(let name): faults.reactions[name.command] = .silence
        case .refuse(let name, let status): faults.reactions[name.command] = .refusal(status)
        case .delay(let name, let time): faults.reactions[name.command] = .delay(.milliseconds(time))
        }
    }

    /// True if the fault is typed like this, with any number behind it.
    public func isTyped(_ text: String) -> Bool { description == text || description.hasPrefix(text + " ") }

    /// The name and the command of the fault, for a page.
    public var observed: ObservedState.ActiveFault {
        let words = description.split(separator: " ").map(String.init)
        let hasStep = words.count > 1 && MatterCommandName(words[1]) != nil
        return ObservedState.ActiveFault(words[0], at: hasStep ? words[1] : nil, description)
    }

    /// The fault as it is typed.
    public var description: String {
        switch self {
        case .silentAfterPASE: "silent-after-pase"
        case .neverOperational: "never-operational"
        case .loseReports(let count): "lose-reports \(count)"
        case .unsignedErrorValue: "wrong-error-type"
        case .badAttestationNonce: "bad-attestation-nonce"
        case .badCSRSignature: "bad-csr-signature"
        case .ignore(let name): "ignore \(name)"
        case .refuse(let name, let status): "refuse \(name) \(status.rawValue)"
        case .delay(let name, let time): "delay \(name) \(time)"
        }
    }
}

/// A command of the data model by name.
public struct MatterCommandName: Equatable, Sendable, CustomStringConvertible {
    /// The name.
    public let description: String
    /// Cluster and command.
    public let command: MatterFaults.Command

    private init(_ name: String, _ cluster: ClusterID, _ command: CommandID) {
        description = name
        self.command = MatterFaults.Command(cluster: cluster, command: command)
    }

    /// The command with this name, in any case; nil for an unknown name.
    public init?(_ name: String) {
        guard let found = MatterCommandName.all.first(where: { $0.description.lowercased() == name.lowercased() })
        else { return nil }
        self = found
    }

    /// The commands of the emulated devices.
    public static let all = [
        MatterCommandName("ArmFailSafe", 0x30, 0), MatterCommandName("SetRegulatoryConfig", 0x30, 2),
        MatterCommandName("CommissioningComplete", 0x30, 4), MatterCommandName("ScanNetworks", 0x31, 0),
        MatterCommandName("AddOrUpdateWiFiNetwork", 0x31, 2), MatterCommandName("AddOrUpdateThreadNetwork", 0x31, 3),
        MatterCommandName("RemoveNetwork", 0x31, 4), MatterCommandName("ConnectNetwork", 0x31, 6),
        MatterCommandName("OpenCommissioningWindow", 0x3C, 0),
        MatterCommandName("OpenBasicCommissioningWindow", 0x3C, 1), MatterCommandName("RevokeCommissioning", 0x3C, 2),
        MatterCommandName("AttestationRequest", 0x3E, 0), MatterCommandName("CertificateChainRequest", 0x3E, 2),
        MatterCommandName("CSRRequest", 0x3E, 4), MatterCommandName("AddNOC", 0x3E, 6),
        MatterCommandName("UpdateNOC", 0x3E, 7), MatterCommandName("UpdateFabricLabel", 0x3E, 9),
        MatterCommandName("RemoveFabric", 0x3E, 10), MatterCommandName("AddTrustedRootCertificate", 0x3E, 11),
        MatterCommandName("Identify", 0x03, 0), MatterCommandName("Off", 0x06, 0), MatterCommandName("On", 0x06, 1),
        MatterCommandName("Toggle", 0x06, 2), MatterCommandName("LockDoor", 0x101, 0),
        MatterCommandName("UnlockDoor", 0x101, 1), MatterCommandName("UnlockWithTimeout", 0x101, 3),
        MatterCommandName("SetUser", 0x101, 0x1A), MatterCommandName("GetUser", 0x101, 0x1B),
        MatterCommandName("ClearUser", 0x101, 0x1D), MatterCommandName("SetCredential", 0x101, 0x22),
        MatterCommandName("GetCredentialStatus", 0x101, 0x24), MatterCommandName("ClearCredential", 0x101, 0x26),
        MatterCommandName("UnboltDoor", 0x101, 0x27), MatterCommandName("SetAliroReaderConfig", 0x101, 0x28),
        MatterCommandName("ClearAliroReaderConfig", 0x101, 0x29),
    ]
}

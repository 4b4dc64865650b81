// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
package import GATTDevice
import Peripheral

/// Options for the pairing of an emulated device.
package struct PairingOptions: ParsableArguments {
    /// The IO capabilities, as options.
    enum IO: String, ExpressibleByArgument, CaseIterable {
        case none
        case displayOnly = "display-only"
        case displayYesNo = "display-yes-no"
        case keyboardOnly = "keyboard-only"
        case keyboardDisplay = "keyboard-display"

        var capability: IOCapability {
            switch self {
            case .none: .noInputNoOutput
            case .displayOnly: .displayOnly
            case .displayYesNo: .displayYesNo
            case .keyboardOnly: .keyboardOnly
            case .keyboardDisplay: .keyboardDisplay
            }
        }
    }

    /// The policies for accepted pairings, as options.
    package enum Policy: String, ExpressibleByArgument, CaseIterable {
        case only = "sc-only"
        case preferred = "sc-preferred"
        case legacy

        var secureConnections: SecurityPolicy.SecureConnections {
            switch self {
            case .only: .only
            case .preferred: .preferred
            case .legacy: .never
            }
        }
    }

    @Option(
        help: ArgumentHelp(
            "The device's output and input. With the client's IO and --mitm it decides how they pair.",
            valueName: "IO"))
    var io = IO.none

    @Option(help: "Which pairings are taken: only LE Secure Connections, legacy ones too, or only those.")
    var securityPolicy = Policy.preferred

    @Flag(help: "Ask for protection against a man in the middle, so that IO capabilities count.")
    var mitm = false

    @Flag(name: .customLong("no-bonding"), help: "Keep no keys: each link pairs again.")
    package var keepsNoBonds = false

    @Flag(name: .customLong("no-pairing"), help: "Refuse all pairings.")
    package var refusesPairing = false

    @Option(
        help: ArgumentHelp(
            "Keep keys, and the device's identity, in this file (mode 0600; made if it is not there). Without, keys end "
                + "with the process.", valueName: "FILE"))
    package var bonds: String?

    @Flag(
        help: "Use private addresses, changed each quarter of an hour, that only bonded clients can resolve.")
    var privacy = false

    @Option(
        help: ArgumentHelp(
            "For so long from the start on, bonded clients that have lost their keys may pair again.",
            valueName: "SECONDS"))
    var pairingWindow: Int?

    @Option(
        help: ArgumentHelp(
            "The answer of a user at the device: yes or no where numbers are compared, six digits where a passkey is "
                + "entered. Can be given for both. Without it, the question stays open until the client gives up.",
            valueName: "yes|no|DIGITS"))
    package var answer: [String] = []

    @Flag(
        name: .customLong("publish-oob"),
        help: "Make out-of-band data and print it: a client that is given it, as by a code, pairs with it.")
    var publishesOutOfBand = false

    /// The maximum pairing window in seconds: a day.
    private static let longestWindow = 86_400

    package init() {}

    package func validate() throws {
        _ = try answers()
        if let pairingWindow, !(1...PairingOptions.longestWindow).contains(pairingWindow) {
            throw ValidationError("--pairing-window is 1 to \(PairingOptions.longestWindow) seconds")
        }
        let asksForPairing =
            bonds != nil || pairingWindow != nil || !answer.isEmpty || mitm || keepsNoBonds || io != .none || privacy
            || publishesOutOfBand
        if refusesPairing, asksForPairing {
            throw ValidationError("--no-pairing leaves the other options of pairing without a meaning")
        }
        if keepsNoBonds, bonds != nil {
            throw ValidationError("--no-bonding keeps nothing in --bonds; leave one out")
        }
    }

    /// The answers of the user.
    private func answers() throws -> EmulationSettings.Answers {
        var answers = EmulationSettings.Answers()
        for word in answer {
            if word == "yes" || word == "no" {
                guard answers.comparison == nil else { throw ValidationError("--answer has yes or no once") }
                answers.comparison = word == "yes"
            } else {
                guard word.utf8.count == 6, word.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                    let passkey = UInt32(word)
                else { throw ValidationError("--answer \(word.debugDescription): write yes, no or six digits") }
                guard answers.passkey == nil else { throw ValidationError("--answer has one passkey") }
                answers.passkey = passkey
            }
        }
        return answers
    }

    /// Applies the options to the settings.
    package func apply(to settings: inout EmulationSettings) throws {
        guard !refusesPairing else { return }
        var policy = SecurityPolicy()
        policy.ioCapability = io.capability
        policy.secureConnections = securityPolicy.secureConnections
        policy.requestsAuthentication = mitm
        policy.keepsBonds = !keepsNoBonds
        settings.pairing = policy
        settings.isPrivate = privacy
        settings.publishesOutOfBand = publishesOutOfBand
        settings.answers = try answers()
        settings.pairingWindow = pairingWindow.map { .seconds($0) }
    }
}

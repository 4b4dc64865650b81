// SPDX-License-Identifier: Apache-2.0

import Devices
package import Emulation
package import NordicProvisioning
import WiFi
import WiFiStation

/// The steps of the emulated Wi-Fi chip, the expected behaviour of its apps, and the texts of its events.
extension EmulatedNordic {
    private static let requests: [(step: String, NordicOperation?, summary: String)] = [
        ("get-status", .getStatus, "an app asks for the status"),
        ("start-scan", .startScan, "an app looks for networks"),
        ("stop-scan", .stopScan, "an app has found enough"),
        ("set-config", .setConfiguration, "an app chooses a network"),
        ("forget-config", .forgetConfiguration, "an app has all networks forgotten"),
        ("other-request", nil, "an app writes anything else"),
    ]

    private static let answers: [NordicStep] = [
        .status, .scanStarted, .scanStopped, .configured, .forgotten, .refused, .undecodable,
    ]

    package var steps: [EmulatedStep] { EmulatedNordic.steps }

    /// The steps of all profiles.
    package static var steps: [EmulatedStep] {
        [
            EmulatedStep("connect", .connection, "an app has connected"),
            EmulatedStep("pairing", .pairing, "an app pairs"),
            EmulatedStep("subscribe", .link, "an app has subscribed, or ceased to"),
            EmulatedStep("read-version", .request, "an app reads the version"),
        ] + requests.map { EmulatedStep($0.step, .request, $0.summary) }
            + NordicStep.allCases.map { step in
                let isAnswer = answers.contains(step)
                return EmulatedStep(step.rawValue, .value, isAnswer ? "an answer, as indication" : "a notification")
            }
    }

    package var expectations: AppExpectations {
        var expectations = AppExpectations()
        expectations.requests = Set(EmulatedNordic.requests.map(\.step))
        expectations.answers = Set(EmulatedNordic.answers.map(\.rawValue))
        expectations.begins = ["start-scan", "set-config"]
        expectations.concludes = Set([NordicStep.record, .refused, .undecodable].map(\.rawValue))
        expectations.failures = [NordicStep.connectionFailed.rawValue]
        expectations.ends = [NordicStep.connected.rawValue]
        return expectations
    }

    /// The step of a request, and its content: the name of the network, never its passphrase.
    package static func step(_ octets: [UInt8]) -> (String, String) {
        guard let request = try? NordicRequest(decoding: octets.span, in: 0..<octets.count) else {
            return ("other-request", "what is no request")
        }
        let name = request.configuration?.network?.wifiName.map { "network \($0)" }
        for (step, operation, _) in requests where operation != nil && operation == request.operation {
            return (step, name ?? "")
        }
        return ("other-request", request.operation.map { "operation \($0.rawValue)" } ?? "no operation")
    }

    /// The text of an event that the app cannot see; nil for visible events, which are recorded otherwise.
    package static func words(_ notice: NordicNotice) -> String? {
        switch notice {
        case .informationRead, .requested, .undecodable, .subscribed, .confirmed, .sent, .notSent: nil
        case .joining(let name, let reason): "Wi-Fi: tries \(name) (\(reason.rawValue))"
        case .joined(let name, let address): "Wi-Fi: is in \(name)\(address.map { ", \($0)" } ?? "")"
        case .joinFailed(let name, let failure): "Wi-Fi: did not get into \(name): \(failure)"
        case .lost: "Wi-Fi: lost its network"
        case .stored(let name, let isVolatile): "stored \(name)\(isVolatile ? " in memory only" : "")"
        case .notStored(let name): "did not store \(name): there is no room, and the app is not notified"
        case .forgotten: "forgot all networks"
        case .recordLeftOut(let name): "did not report \(name): its name is not UTF-8"
        }
    }
}

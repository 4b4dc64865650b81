// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import Commands
import Devices
package import Emulation
import Peripheral
import Timekeeping

/// Options of an emulated camera.
package struct CameraOptions: EmulatedKind {
    package static var command: any ParsableCommand.Type { EmulateSmarterAICommand.self }
    package static var steps: [EmulatedStep] { EmulatedCamera.steps }

    /// The initial state.
    enum State: String, ExpressibleByArgument, CaseIterable {
        case waiting
        case onboardedOffline = "onboarded-offline"
        case onboardedOnline = "onboarded-online"
        case notReady = "not-ready"

        var start: CameraStart {
            switch self {
            case .waiting: .waiting
            case .onboardedOffline: .onboardedOffline
            case .onboardedOnline: .onboardedOnline
            case .notReady: .preparing
            }
        }
    }

    /// The treatment of text that does not fit into a value.
    enum Overflow: String, ExpressibleByArgument, CaseIterable {
        case cut
        case split
        case leaveOut = "leave-out"

        var setting: CameraOverflow {
            switch self {
            case .cut: .cut
            case .split: .split
            case .leaveOut: .leaveOut
            }
        }
    }

    /// The server's answer to a token.
    enum Pairing: String, ExpressibleByArgument, CaseIterable {
        case ok
        case fail
    }

    @Option(
        help: ArgumentHelp("The service. The real one is not public; this is the project's own.", valueName: "UUID"))
    var service = "\(CameraProfile().service)"

    @Option(help: ArgumentHelp("The characteristic to subscribe to.", valueName: "UUID"))
    var characteristic = "\(CameraProfile().characteristic)"

    @Option(help: ArgumentHelp("The characteristic for credentials, if it is another one.", valueName: "UUID"))
    var write: String?

    @Option(
        help: ArgumentHelp(
            "Whether the server accepts any token or none. Without it: the tokens of --wifi-sim, or any if it has "
                + "none."))
    var pairing: Pairing?

    @Option(
        help: ArgumentHelp(
            "How it begins: waiting for credentials, 111; onboarded without its network, 113 with 1505; onboarded and "
                + "online but not paired, 113 with 1501; or not ready, 109, and waiting after --ready-ms."))
    var state: State?

    @Option(help: ArgumentHelp("The time from 109 to 111 of --state not-ready (assumed).", valueName: "TIME"))
    var readyMs = CameraOptions.milliseconds(CameraSettings().readyTime)

    @Flag(
        help: ArgumentHelp(
            "With --state-dir, wait to be onboarded again, 111, when the kept network fails at the start (assumed: "
                + "onboarded and offline, 113 with 1505)."))
    var waitAfterFailedStart = false

    @Flag(help: "It has a SIM: an empty SSID is for the mobile network (assumed).")
    var sim = false

    @Option(help: ArgumentHelp("Its name. Real ones have \"Smarter AI\" in it.", valueName: "TEXT"))
    var name = CameraProfile().name

    @Option(
        help: ArgumentHelp(
            "Where the states stand in the value (assumed): notification, onboarding, connectivity, each with "
                + ":int16le, :int16be, :int32le or :int32be if it is not int32le, and text at the end.",
            valueName: "FIELDS"))
    var layout = "notification,onboarding,connectivity,text"

    @Option(help: ArgumentHelp("The treatment of text for which a value has no room (assumed)."))
    var overflow = Overflow.cut

    @Flag(help: "Indicate values instead of notifying them (assumed: notified).")
    var indicate = false

    @Flag(help: "Accept credentials without keys even if their last line feed is missing (published: present).")
    var lenientNewline = false

    @Flag(help: "Close after a failure too (assumed: it waits for other credentials).")
    var closeAfterFailure = false

    @Option(
        help: ArgumentHelp(
            "The ATT error for credentials at the wrong time (assumed: 0xfe while busy, else 0xfc).",
            valueName: "CODE"))
    var refusalError: String?

    @Option(
        help: ArgumentHelp(
            "The networks around it, its server's tokens, and what fails (docs/emulators/emulation.md).",
            valueName: "FILE"))
    var wifiSim: String?

    @Option(
        help: ArgumentHelp(
            "Keep the network that it was given here (mode 0600), so that it is onboarded when it starts again.",
            valueName: "DIRECTORY"))
    var stateDir: String?

    @Option(
        help: ArgumentHelp(
            "How long after the last write credentials without a last line feed are complete (assumed).",
            valueName: "TIME"))
    var quietMs = CameraOptions.milliseconds(CameraSettings().quietTime)

    @Option(help: ArgumentHelp("The time from 113 to 1307, for diagnostics (assumed).", valueName: "TIME"))
    var diagnosticsMs = CameraOptions.milliseconds(CameraSettings().diagnosticsTime)

    @Option(help: ArgumentHelp("The time from 1307 to the end of the links (assumed).", valueName: "TIME"))
    var closingMs = CameraOptions.milliseconds(CameraSettings().closingTime)

    /// The valid times in milliseconds: an app waits at most ten minutes.
    private static let times = 1...600_000

    private static func milliseconds(_ duration: Duration) -> Int { Int(duration.wholeMilliseconds) }

    package init() {}

    package func validate() throws {
        _ = try profile()
        for (option, time) in [
            ("quiet", quietMs), ("diagnostics", diagnosticsMs), ("closing", closingMs), ("ready", readyMs),
        ]
        where !CameraOptions.times.contains(time) {
            throw ValidationError("--\(option)-ms is 1 to \(CameraOptions.times.upperBound)")
        }
        if state != nil, stateDir != nil {
            throw ValidationError(
                "--state and the kept state in --state-dir exclude each other; leave one out")
        }
        if waitAfterFailedStart, stateDir == nil {
            throw ValidationError("--wait-after-failed-start needs a kept network: give --state-dir too")
        }
    }

    /// The profile from the options.
    func profile() throws -> CameraProfile {
        var profile = CameraProfile()
        profile.service = try BluetoothUUID(option: "--service", service)
        profile.characteristic = try BluetoothUUID(option: "--characteristic", characteristic)
        profile.write = try write.map { try BluetoothUUID(option: "--write", $0) }
        profile.isIndicated = indicate
        // The limit of a device file's name. A longer name could not be advertised as a whole.
        guard (1...248).contains(name.utf8.count) else { throw ValidationError("--name has 1 to 248 octets as UTF-8") }
        profile.name = name
        guard let layout = CameraLayout(layout) else {
            throw ValidationError(
                "--layout \(layout.debugDescription): write notification,onboarding,connectivity,text, each state once, "
                    + "with :int16le, :int16be, :int32le or :int32be behind it if wanted")
        }
        profile.settings.layout = layout
        profile.settings.overflow = overflow.setting
        profile.settings.demandsNewline = !lenientNewline
        profile.settings.closesAfterFailure = closeAfterFailure
        profile.settings.quietTime = .milliseconds(quietMs)
        profile.settings.readyTime = .milliseconds(readyMs)
        profile.settings.waitsAfterFailedStart = waitAfterFailedStart
        profile.settings.hasSIM = sim
        profile.settings.diagnosticsTime = .milliseconds(diagnosticsMs)
        profile.settings.closingTime = .milliseconds(closingMs)
        profile.refusal = try refusalError.map { text in
            let number = text.hasPrefix("0x") ? UInt8(text.dropFirst(2), radix: 16) : UInt8(text)
            guard let number, number > 0 else {
                throw ValidationError("--refusal-error \(text.debugDescription): write 0x01 to 0xff")
            }
            return ATTErrorCode(rawValue: number)
        }
        return profile
    }

    /// The camera with this index, counted from 0, of `count`. If there are several, their names contain numbers.
    package func unit(_ number: Int, of count: Int) throws -> any EmulatedUnit {
        var profile = try profile()
        if count > 1 { profile.name += " \(number + 1)" }
        let simulation = try simulation()
        let file = try stateDir.map { try CameraFile(directory: $0, number: number) }
        let start: CameraStart =
            if let kept = try file?.load() { .kept(kept) } else { (state ?? .waiting).start }
        return EmulatedCamera(profile, start, simulation, policy(simulation), file: file)
    }

    private func policy(_ simulation: WiFiSimulation) -> PairingServer.Policy {
        switch pairing {
        case .ok: .any
        case .fail: .none
        case nil: simulation.pairingTokens.isEmpty ? .any : .issued(simulation.pairingTokens)
        }
    }

    private func simulation() throws(CommandError) -> WiFiSimulation {
        guard let wifiSim else { return try WiFiSimulationFile.usual() }
        return try WiFiSimulationFile.load(wifiSim, "docs/emulators/smarter-ai.md", for: .camera)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterInteraction
import MatterTLV
import Timekeeping

/// Administrator Commissioning (Matter Core 11.19).
extension NodeModel {
    /// The times that a window may be open by command, in seconds (Matter Core 11.19.8.1).
    static let windowSeconds: ClosedRange<UInt16> = 180...900

    private static let busy: UInt8 = 2
    private static let parameterError: UInt8 = 3
    private static let windowNotOpen: UInt8 = 4

    static func administratorCommissioningDeclaration(hasBasicWindow: Bool) -> ClusterDeclaration {
        var commands = [CommandDeclaration(0, privilege: .administer, isTimed: true)]
        if hasBasicWindow { commands.append(CommandDeclaration(1, privilege: .administer, isTimed: true)) }
        commands.append(CommandDeclaration(2, privilege: .administer, isTimed: true))
        return ClusterDeclaration(
            .administratorCommissioning, revision: 1, features: hasBasicWindow ? 1 : 0,
            attributes: [AttributeDeclaration(0), AttributeDeclaration(1), AttributeDeclaration(2)],
            commands: commands)
    }

    func readAdministratorCommissioning(_ attribute: AttributeID, _ writer: inout TLVWriter, _ tag: TLVTag) -> Bool {
        switch attribute {
        // The device's own window has the value of a closed window: the attribute covers only administrators' windows.
        case 0: writer.unsigned(window?.kind.rawValue ?? 0, as: tag)
        case 1: writer.nullable(window?.opener?.rawValue, as: tag)
        case 2: writer.nullable(window?.openerVendor?.rawValue, as: tag)
        default: return false
        }
        return true
    }

    mutating func invokeAdministratorCommissioning(
        _ command: CommandID, _ call: Invocation
    ) throws(StatusInformation) -> CommandOutcome {
        switch command {
        case 0: return try openEnhancedWindow(call)
        case 1: try openBasicWindow(call)
        case 2:
            guard window != nil else { throw .cluster(NodeModel.windowNotOpen) }
            if failSafe?.fabric == nil { rollBack(.revoked, after: nil, at: call.now) }
            closeWindow(.revoked)
        default: throw StatusInformation(.unsupportedCommand)
        }
        return .done
    }

    private mutating func openEnhancedWindow(_ call: Invocation) throws(StatusInformation) -> CommandOutcome {
        let seconds = try call.fields.unsigned(0, UInt16.self)
        let verifier = try call.fields.octets(1)
        let discriminator = try call.fields.unsigned(2, UInt16.self)
        let iterations = try call.fields.unsigned(3, UInt32.self)
        let salt = try call.fields.octets(4)
        try judgeWindow(seconds, call)
        // As in the reference implementation, a discriminator out of range is INVALID_COMMAND.
        guard discriminator <= 0xFFF else { throw StatusInformation(.invalidCommand) }
        guard (1000...100_000).contains(iterations), (16...32).contains(salt.count), isVerifier(verifier) else {
            throw .cluster(NodeModel.parameterError)
        }
        let label = MatterConfiguration.Label(
            verifier: verifier, salt: salt, iterations: iterations, discriminator: discriminator)
        if configuration.asksForWindows { return try request(label, seconds: seconds, call) }
        open(.enhanced, label, for: .seconds(Int(seconds)), by: call.author, at: call.now)
        return .done
    }

    private func isVerifier(_ octets: [UInt8]) -> Bool { (try? SPAKE2PlusVerifier(octets: octets.span)) != nil }

    private mutating func openBasicWindow(_ call: Invocation) throws(StatusInformation) {
        let seconds = try call.fields.unsigned(0, UInt16.self)
        try judgeWindow(seconds, call)
        open(.basic, configuration.label, for: .seconds(Int(seconds)), by: call.author, at: call.now)
    }

    private func judgeWindow(_ seconds: UInt16, _ call: Invocation) throws(StatusInformation) {
        _ = try call.fabric
        guard window == nil, windowRequest == nil, failSafe == nil else { throw .cluster(NodeModel.busy) }
        guard NodeModel.windowSeconds.contains(seconds) else { throw StatusInformation(.invalidCommand) }
    }

    /// Requests the program's decision. Only one request waits at a time.
    private mutating func request(
        _ label: MatterConfiguration.Label, seconds: UInt16, _ call: Invocation
    ) throws(StatusInformation) -> CommandOutcome {
        guard let author = call.author else { throw StatusInformation(.unsupportedAccess) }
        let request = WindowRequest(id: makeRequestNumber(), seconds: seconds, author: author)
        windowRequest = PendingWindow(
            request: request, label: label, ticket: call.ticket, due: call.now + LockOrder.answerTime)
        requests.append(.openWindow(request))
        return .later(call.ticket)
    }

    /// Handles the program's decision about the pending request. No window opens if the fabric was removed, or if a
    /// window or fail-safe has begun in the meantime.
    mutating func answerWindow(isPermitted: Bool, at now: Instant) {
        guard let pending = windowRequest else { return }
        windowRequest = nil
        let author = pending.request.author
        guard isPermitted, state.fabric(author.fabric) != nil else {
            return requests.append(.complete(pending.ticket, .status(.failure)))
        }
        guard window == nil, failSafe == nil else {
            return requests.append(.complete(pending.ticket, .status(.cluster(NodeModel.busy))))
        }
        open(.enhanced, pending.label, for: .seconds(Int(pending.request.seconds)), by: author, at: now)
        requests.append(.complete(pending.ticket, .done))
    }

    /// Opens a window, and replaces any other.
    mutating func open(
        _ kind: WindowKind, _ label: MatterConfiguration.Label, for length: Duration?, by author: MatterAuthor?,
        at now: Instant
    ) {
        window = CommissioningWindow(
            kind: kind, label: label, deadline: length.map { now + $0 }, instance: random.octets(8),
            opener: author?.fabric, openerVendor: state.fabric(author?.fabric)?.vendor)
        windowChanged()
        notice(.windowOpened(kind, by: author))
    }

    /// Opens the device's own window, with the label's code.
    mutating func openLabelWindow(for length: Duration? = nil, at now: Instant) {
        open(.label, configuration.label, for: length ?? configuration.windowLength, by: nil, at: now)
    }

    /// Opens the device's own window for a node without fabrics, if so configured.
    mutating func openFirstWindow(at now: Instant) {
        if configuration.opensWindowWithoutFabrics { openLabelWindow(at: now) }
    }

    mutating func closeWindow(_ end: WindowEnd) {
        guard window != nil else { return }
        window = nil
        windowChanged()
        notice(.windowClosed(end))
    }

    private mutating func windowChanged() {
        for attribute: AttributeID in [0, 1, 2] { changed(.root, .administratorCommissioning, attribute) }
    }
}

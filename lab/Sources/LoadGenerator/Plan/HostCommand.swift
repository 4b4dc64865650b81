// SPDX-License-Identifier: Apache-2.0

/// The command line of a host, with `{hci}` as placeholder of the transport's name.
public struct HostCommand: Equatable, Sendable {
    /// The placeholder of the transport's name: `unix:PATH` or `tcp-client:127.0.0.1:PORT`.
    public static let placeholder = "{hci}"

    /// Program and arguments; the program is searched on PATH if it has no slash.
    public let arguments: [String]

    /// A command with these arguments.
    ///
    /// - Throws: `LoadPlanFault` if there is no program, or no argument contains the placeholder.
    public init(_ arguments: [String]) throws(LoadPlanFault) {
        guard let program = arguments.first, !program.isEmpty else { throw .noCommand }
        guard arguments.dropFirst().contains(where: { HostCommand.parts($0).count > 1 }) else {
            throw .noPlaceForTransport
        }
        self.arguments = arguments
    }

    /// The arguments with the transport's name inserted.
    public func arguments(transport: String) -> [String] {
        arguments.map { HostCommand.parts($0).joined(separator: transport) }
    }

    /// The text around each placeholder.
    private static func parts(_ argument: String) -> [String] {
        var parts: [String] = []
        var part: [Character] = []
        let placeholder = Array(HostCommand.placeholder)
        for character in argument {
            part.append(character)
            if part.suffix(placeholder.count).elementsEqual(placeholder) {
                parts.append(String(part.dropLast(placeholder.count)))
                part.removeAll()
            }
        }
        parts.append(String(part))
        return parts
    }
}

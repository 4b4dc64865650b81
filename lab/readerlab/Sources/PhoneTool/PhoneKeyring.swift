// SPDX-License-Identifier: Apache-2.0

package import AccessProtocol
package import BackEnd
package import Commands
import Octets
package import Phone

/// The credentials of a phone for a task; each reader has at most one.
package struct PhoneKeyring {
    /// The purpose that a token has to serve.
    package enum Need: Equatable {
        /// Opening the door.
        case opening
        /// This command; if no token permits it, another command of its group.
        case command(CommandName)
    }

    package let credentials: [PhoneCredential]
    /// A line that names the identity.
    let introduction: String
    /// The readers' names in the bundle, and their device ids.
    private let names: [String: String]

    package var isDemo: Bool { credentials.contains(where: \.isDemo) }

    /// The published demo identity.
    package init() throws(CommandError) {
        do throws(StatusCode) { credentials = [try .demo()] } catch {
            throw .failed("the demo identity cannot be used: status \(error.explained)")
        }
        introduction = "with the published demo identity: anyone can open the same readers"
        names = [:]
    }

    /// The bundle at `path`: for each of its readers the token that meets `need` and, if given, has `name`.
    package init(bundle path: String, need: Need, token name: String?) throws(CommandError) {
        let bundle: PhoneBundle
        do throws(CredentialError) { bundle = try CredentialStore.bundle(path) } catch {
            throw .misuse("\(error.description); readerlab credentials phone-bundle makes one")
        }
        var credentials: [PhoneCredential] = []
        var chosen: [String] = []
        for reader in bundle.readers {
            let tokens = try PhoneKeyring.fitting(reader, need, name, path)
            guard let token = tokens.first else { continue }
            credentials.append(try PhoneKeyring.credential(reader, token, path))
            chosen.append("\(token.label) for \(reader.name) (\(reader.deviceID))")
        }
        guard !credentials.isEmpty else { throw PhoneKeyring.nothing(bundle, need, name, path) }
        self.credentials = credentials
        introduction = "with \(chosen.joined(separator: ", "))"
        names = Dictionary(bundle.readers.map { ($0.name, $0.deviceID) }) { first, _ in first }
    }

    /// The reader that the user names; a device id unless it is an address, or a name in the bundle.
    package func reader(named text: String) throws(CommandError) -> PhoneVisitPlan.Reader {
        if let octets = Hexadecimal.octets(text, separator: UInt8(ascii: ":")), octets.count == 6 {
            return .address(octets.reduce(0) { $0 << 8 | UInt64($1) })
        }
        let id = names[text] ?? text
        guard credentials.count == 1 || credentials.contains(where: { $0.deviceID == id }) else {
            let known = credentials.map { "\($0.readerName) (\($0.deviceID))" }.joined(separator: ", ")
            throw .misuse("--reader \(text.debugDescription): the only tokens are for \(known); choose among these")
        }
        return .deviceID(id)
    }

    // MARK: Tokens

    /// The reader's token that meets the need: an array of at most one.
    private static func fitting(
        _ reader: PhoneBundle.Reader, _ need: Need, _ name: String?, _ path: String
    ) throws(CommandError) -> [PhoneBundle.Token] {
        let named = reader.tokens.filter { token in name.map(token.isNamed) ?? true }
        var tokens = named.filter { $0.fits(need) }
        if tokens.isEmpty, case .command(let command) = need, let group = command.group {
            tokens = named.filter { $0.request?.group == group }
        }
        guard tokens.count > 1 else { return tokens }
        // Tokens with equal labels are interchangeable.
        let labels = tokens.map(\.label)
        guard Set(labels).count > 1 else { return [tokens[0]] }
        throw .misuse(
            "\(path) has \(tokens.count) such tokens for \(reader.name); pick one: "
                + labels.map { "--token \($0)" }.joined(separator: ", "))
    }

    private static func nothing(_ bundle: PhoneBundle, _ need: Need, _ name: String?, _ path: String) -> CommandError {
        let (what, issuing) =
            switch need {
            case .opening: ("that opens a door", "token --help")
            case .command(let command):
                ("for \(command.rawValue)", "token command \(command.group == nil ? "--help" : "--maintenance")")
            }
        let labels = bundle.readers.flatMap { reader in reader.tokens.map(\.label) }
        let named = name.map { " named \($0.debugDescription)" } ?? ""
        return .misuse(
            "\(path) has no token\(named) \(what), only \(labels.joined(separator: ", ")); have one issued: "
                + "readerlab credentials \(issuing)")
    }

    private static func credential(
        _ reader: PhoneBundle.Reader, _ token: PhoneBundle.Token, _ path: String
    ) throws(CommandError) -> PhoneCredential {
        guard let key = reader.publicKey() else {
            throw .misuse("\(path): the key of reader \(reader.name) is no public key on P-256")
        }
        guard let octets = token.octets else {
            throw .misuse("\(path): the token \(token.label) of reader \(reader.name) is no base64")
        }
        do throws(StatusCode) {
            return try PhoneCredential(
                deviceID: reader.deviceID, readerName: reader.name, terminal: key, token: octets)
        } catch {
            throw .misuse("\(path): the token \(token.label) of reader \(reader.name) cannot be read")
        }
    }
}

extension PhoneBundle.Token {
    /// `ALICE04711/tokn`, `ALICE04711/oss-so`.
    package var label: String { "\(credential)/\(command ?? kind)" }

    /// The command of a command token.
    fileprivate var request: CommandName? { kind == "command" ? command.map(CommandName.init(rawValue:)) : nil }

    fileprivate func isNamed(_ name: String) -> Bool { [credential, command, kind, label].contains(name) }

    fileprivate func fits(_ need: PhoneKeyring.Need) -> Bool {
        switch need {
        case .opening: kind == "oss-so" || kind == "oss-sid" || request == .open
        case .command(let command): request == command
        }
    }
}

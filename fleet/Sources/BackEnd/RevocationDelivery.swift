// SPDX-License-Identifier: Apache-2.0

public import AccessProtocol
import FoundationEssentials
import JSON
import Protobuf
import System
import Timekeeping

/// The forms in which a desk's revocations reach readers: by a courier's phone, and by a fleet.
public enum RevocationDelivery {
    /// The maximum number of revocations that a courier carries. A message has at most 1792 octets.
    public static let courierLimit = 50

    /// The data of `BL_PUSH` for these revocations.
    public static func data(_ revocations: [CredentialRegister.Revocation]) throws(CredentialError) -> [UInt8] {
        var entries: [BlacklistEntry] = []
        for revocation in revocations {
            guard let id = try? BoundedBytes<10>(ascii: revocation.credential) else {
                throw CredentialError("\(revocation.credential) is no credential: 1 to 10 characters of ASCII")
            }
            // Zeros are for ever.
            let end = revocation.until.flatMap { LocalMinute.parse($0[...]) } ?? CivilTime(year: 0, month: 0, day: 0)
            entries.append(BlacklistEntry(credentialId: CredentialId(id: id), expiresAt: LocalTimestamp(end)))
        }
        var octets: [UInt8] = []
        BlacklistEntries(entries: entries).encodeDelimited(into: &octets)
        return octets
    }

    /// A courier's token for one reader, which carries these revocations.
    public static func token(
        _ revocations: [CredentialRegister.Revocation], for reader: SiteFile.Reader, courier: String,
        _ validity: TokenValidity
    ) throws(CredentialError) -> TokenFile {
        let octets = try data(revocations)
        let issuer = TokenIssuer(signatureKey: try reader.privateKey())
        let token: [UInt8]
        do throws(StatusCode) {
            token = try issuer.commandToken(
                credentialID: courier, command: .blacklistPush, data: octets, validity: validity)
        } catch {
            throw CredentialError("the token for \(reader.name) cannot be made: status \(error.explained)")
        }
        return TokenFile(
            reader: reader.name, kind: "command", credential: courier, command: CommandName.blacklistPush.rawValue,
            from: LocalMinute.text(validity.start), to: LocalMinute.text(validity.end),
            token: Data(token).base64EncodedString())
    }

    /// A desired state with these revocations and without the credentials of `removed`. The other members, and other
    /// entries of the list, stay as they are in `former`, the octets of the file; nil without one.
    public static func state(
        _ former: [UInt8]?, path: String, _ revocations: [CredentialRegister.Revocation], removed: [String] = []
    ) throws(CredentialError) -> String {
        var entries: [(credential: String, end: String?)] = []
        var settings: JSONNode?
        if let former {
            do throws(JSONPlaceFault) { _ = try DesiredFile(former) } catch {
                throw CredentialError("\(path): \(error)")
            }
            let node = try? JSONParser.parse(former)
            settings = node?["settings"]
            if case .array(let elements)? = node?["blacklist"]?.content {
                for element in elements {
                    guard case .string(let credential)? = element["credential"]?.content else { continue }
                    var end: String?
                    if case .string(let text)? = element["end"]?.content { end = text }
                    entries.append((credential, end))
                }
            }
        }
        let replaced = Set(revocations.map(\.credential) + removed)
        entries.removeAll { replaced.contains($0.credential) }
        entries += revocations.map { ($0.credential, $0.until.map { $0.split(separator: "T").joined(separator: " ") }) }
        let list = entries.map { entry in
            var object = ["credential": entry.credential] as JSONObject
            if let end = entry.end { object.add("end", end) }
            return "  " + object.text
        }
        let blacklist = list.isEmpty ? "[]" : "[\n\(list.joined(separator: ",\n"))\n ]"
        return "{\"blacklist\": \(blacklist)" + (settings.map { ",\n \"settings\": \($0.written)" } ?? "") + "}\n"
    }

    /// Writes the desired state in a file as `state` makes it of the revocations in force, while other commands wait.
    /// Returns their number. They are read after the wait: those of the last command are in the file in the end.
    public static func writeState(
        _ path: String, removed: [String] = [],
        _ revocations: () throws(CredentialError) -> [CredentialRegister.Revocation]
    ) throws(CredentialError) -> Int {
        try CredentialStore.change(fileAt: path) { target throws(CredentialError) in
            let revocations = try revocations()
            let text = try state(try CredentialStore.octets(target), path: path, revocations, removed: removed)
            try CredentialStore.replace(target, withOctets: Array(text.utf8))
            return revocations.count
        }
    }
}

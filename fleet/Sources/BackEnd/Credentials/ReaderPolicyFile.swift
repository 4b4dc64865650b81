// SPDX-License-Identifier: Apache-2.0

import JSON

/// The output of `readerd policy show --json`, compared with a register.
public struct ReaderPolicyFile {
    /// A credential that the reader or the desk has revoked.
    private struct Row {
        var credential: String
        var holder: String?
        /// The ends: nil if not revoked there, an empty text for ever.
        var atReader: String?
        var atDesk: String?
    }

    private let rows: [Row]

    /// Reads the octets of the file, and compares them with `register` where the reader's clock shows `now`.
    public init(
        _ octets: [UInt8], path: String, register: CredentialRegister, now: String
    ) throws(CredentialError) {
        let unknown = CredentialError("\(path): is not what readerd policy show --json prints, with revoked in it")
        guard let node = try? JSONParser.parse(octets), case .boolean(let isSound)? = node["sound"]?.content else {
            throw unknown
        }
        guard isSound else {
            throw CredentialError("\(path): the reader's policy is not sound; at the reader, run: readerd policy show")
        }
        // A reader without a policy yet has no list.
        let list = node["revoked"].map { $0.content } ?? .array([])
        guard case .array(let elements) = list else { throw unknown }
        var rows: [Row] = []
        for element in elements {
            guard case .string(let credential)? = element["credential"]?.content else { throw unknown }
            var until = ""
            if case .string(let text)? = element["until"]?.content { until = text }
            // The reader keeps entries that have ended until it needs the room.
            guard until.isEmpty || until >= now else { continue }
            rows.append(Row(credential: credential, holder: register.holder(of: credential), atReader: until))
        }
        for revocation in register.inForce(at: now) {
            let until = revocation.until ?? ""
            if let index = rows.firstIndex(where: { $0.credential == revocation.credential }) {
                rows[index].atDesk = until
            } else {
                rows.append(
                    Row(
                        credential: revocation.credential, holder: register.holder(of: revocation.credential),
                        atDesk: until))
            }
        }
        self.rows = rows
    }

    /// The number of credentials that the desk has revoked and the reader has not.
    var missingCount: Int { rows.count { $0.atReader == nil } }

    /// The lines of the table, and what to do about a reader that lacks an entry.
    public var lines: [String] {
        guard !rows.isEmpty else { return ["nobody is revoked, at the reader or by the register"] }
        func end(_ end: String?) -> String { end.map { $0.isEmpty ? "for ever" : "until \($0)" } ?? "not revoked" }
        let table = RegisterTable.aligned(
            [["credential", "holder", "at the reader", "by the register"]]
                + rows.map { [$0.credential, $0.holder ?? "-", end($0.atReader), end($0.atDesk)] })
        guard missingCount > 0 else { return table }
        return table + ["\(missingCount) missing at the reader: readerd revoke ID there, a courier, or the fleet"]
    }

    /// The rows as a JSON object on one line.
    public var json: String {
        let revoked = rows.map { row in
            var object = ["credential": row.credential] as JSONObject
            if let holder = row.holder { object.add("holder", holder) }
            object.add("at-reader", row.atReader != nil)
            object.add("by-register", row.atDesk != nil)
            if let until = row.atReader ?? row.atDesk, !until.isEmpty { object.add("until", until) }
            return object
        }
        return (["revoked": revoked, "missing": missingCount] as JSONObject).text.onOneLine
    }
}

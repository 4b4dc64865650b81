// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import ArgumentParser
import BackEnd
import Timekeeping

/// `readerlab credentials revoke`.
struct RevokeCommand: CredentialCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Revoke credentials, and make what tells readers: for a courier, for a fleet.",
        discussion: """
            The register has the revocation then. Readers do not know it yet: each takes it by one of three ways.

            A courier is a phone that passes the readers. --courier signs one token for each reader, which carries the \
            revocations in force, the newest \(RevocationDelivery.courierLimit) at most, into a bundle:

              readerlab credentials revoke ALICE04711 --site site.json \\
                --courier GUARD00001 --bundle courier.json
              readerlab phone command BL_PUSH --hci hci-socket:0 --bundle courier.json

            For a fleet, --state puts the revocations into a file of a desired state, which readerlab fleet desired signs \
            for each reader:

              readerlab credentials revoke ALICE04711 --site site.json --state state.json
              readerlab fleet desired --state state.json --reader "Front door" \\
                --site site.json …

            Or at the reader: readerd revoke ALICE04711. A reader never shortens a revocation. What a courier carries is \
            not signed but for its name and time: give it to somebody you trust, for days.
            """)

    @OptionGroup var site: SiteOption

    @Argument(help: ArgumentHelp("The credentials; none to make the files of the present list.", valueName: "ID"))
    var credentials: [String] = []

    @Option(help: ArgumentHelp("Until when, in the reader's time; for ever if not given.", valueName: "DATE"))
    var until: String?

    @Option(help: ArgumentHelp("The courier's credential.", valueName: "ID"))
    var courier: String?

    @Option(help: ArgumentHelp("Where the courier's bundle goes, mode 0600.", valueName: "FILE"))
    var bundle: String?

    @Option(
        name: .customLong("reader"),
        help: ArgumentHelp("The readers that the courier passes; all provisioned ones if not given.", valueName: "NAME")
    )
    var readers: [String] = []

    @Option(help: ArgumentHelp("For how many days the courier's tokens count, 1 to 366.", valueName: "DAYS"))
    var days = 14

    @Option(help: ArgumentHelp("The file of a desired state to change, or to make.", valueName: "FILE"))
    var state: String?

    func validate() throws {
        guard !credentials.isEmpty || bundle != nil || state != nil else {
            throw ValidationError("name a credential, or a file to make: --bundle, --state")
        }
        for credential in credentials + (courier.map { [$0] } ?? []) {
            guard OSSCredentialID(credential) != nil, !credential.contains(":") else {
                throw ValidationError(
                    "\(credential.debugDescription) is no credential: 1 to 10 characters of ASCII, without a colon")
            }
        }
        guard (courier == nil) == (bundle == nil) else { throw ValidationError("--courier and --bundle go together") }
        if bundle == nil, !readers.isEmpty { throw ValidationError("--reader is for --bundle") }
        if credentials.isEmpty, until != nil { throw ValidationError("--until is of the credentials that are named") }
        guard 1...366 ~= days else { throw ValidationError("--days is 1 to 366") }
        _ = try end()
    }

    private func end() throws -> CivilTime? {
        guard let until else { return nil }
        let time = try TokenOptions.time("--until", until, .last)
        guard DeskClock.now.local <= time else { throw ValidationError("--until \(until) has passed") }
        return time
    }

    var warnings: [String] {
        guard let register = try? CredentialStore.register(ofSite: site.path) else { return [] }
        return credentials.filter { !register.knows($0) }.map {
            "\($0) was not issued by this desk, by its register; look whether it is the one: readerlab credentials list"
        }
    }

    func perform() throws(CredentialError) -> [String] {
        let file = try CredentialStore.site(site.path)
        // First: a command that fails has revoked nothing.
        if let bundle { try CredentialStore.checkNew(bundle) }
        let clock = DeskClock.now
        let until = ((try? end()) ?? nil).map(LocalMinute.text)
        let register = try CredentialStore.changeRegister(ofSite: site.path) { register throws(CredentialError) in
            register.revoke(credentials, until: until, at: clock.utc)
            return register
        }
        var lines = credentials.map { credential in
            let end = register.revocation(of: credential)?.until.map { "until \($0)" } ?? "for ever"
            let holder = register.holder(of: credential).map { " (\($0))" } ?? ""
            return "\(credential)\(holder): revoked \(end) in the register"
        }
        let inForce = register.inForce(at: clock.minute)
        if let courier, let bundle { lines.append(try carry(inForce, file, courier, bundle, clock)) }
        if let state {
            let count = try RevocationDelivery.writeState(state) { () throws(CredentialError) in
                try CredentialStore.register(ofSite: site.path).inForce(at: clock.minute)
            }
            lines.append("\(state): \(count) revoked; sign it for each reader: readerlab fleet desired")
        }
        if bundle == nil, state == nil {
            lines.append("no reader knows it yet: give --courier and --bundle, or --state, or at each: readerd revoke")
        }
        return lines
    }

    /// Makes the courier's bundle. Returns the line about it.
    private func carry(
        _ revocations: [CredentialRegister.Revocation], _ file: SiteFile, _ courier: String, _ path: String,
        _ clock: DeskClock
    ) throws(CredentialError) -> String {
        let carried = Array(revocations.suffix(RevocationDelivery.courierLimit))
        guard !carried.isEmpty else { throw CredentialError("no credential is revoked, so there is none to carry") }
        guard !carried.contains(where: { $0.credential == courier }) else {
            throw CredentialError("the courier \(courier) is revoked itself: readers would refuse it; name another")
        }
        var chosen: [SiteFile.Reader] = []
        for name in readers { chosen.append(file.readers[try file.index(of: name)]) }
        if readers.isEmpty { chosen = file.readers.filter { $0.deviceID != nil && $0.terminalPublicKey != nil } }
        let validity = TokenValidity(from: clock.minute(inDays: -1), through: clock.minute(inDays: Int64(days)))
        var made = PhoneBundle(site: .init(id: file.id, name: file.name), readers: [])
        var tokens: [TokenFile] = []
        for reader in chosen {
            guard let deviceID = reader.deviceID, let key = reader.terminalPublicKey else {
                throw CredentialError(
                    "reader \(reader.name) has no public key yet; see: readerlab credentials reader update")
            }
            let token = try RevocationDelivery.token(carried, for: reader, courier: courier, validity)
            tokens.append(token)
            made.readers.append(
                .init(
                    name: reader.name, deviceID: deviceID, terminalPublicKey: key,
                    tokens: [PhoneBundle.Token(token)]))
        }
        guard !tokens.isEmpty else { throw CredentialError("no reader of this site is provisioned yet") }
        try CredentialStore.changeRegister(ofSite: site.path) { register throws(CredentialError) in
            register.issued += tokens.map { .init($0, holder: nil, at: clock.utc) }
        }
        try CredentialStore.create(made, at: path)
        let part = carried.count < revocations.count ? " of \(revocations.count), the newest" : ""
        return "\(path): \(carried.count)\(part) revoked for \(chosen.map(\.name).joined(separator: ", ")); "
            + "counts to \(LocalMinute.text(validity.end)); deliver it: readerlab phone command BL_PUSH --bundle \(path)"
    }
}

/// `readerlab credentials unrevoke`.
struct UnrevokeCommand: CredentialCommand {
    static let configuration = CommandConfiguration(
        commandName: "unrevoke", abstract: "Take a credential off the desk's list of revoked ones.",
        discussion: """
            For a fleet, --state takes it off the file of a desired state as well. Readers that a courier has told keep \
            it: there is no message that takes one credential off. At each of them: readerd unrevoke ALICE04711.

              readerlab credentials unrevoke ALICE04711 --site site.json --state state.json
            """)

    @OptionGroup var site: SiteOption

    @Argument(help: ArgumentHelp("The credential.", valueName: "ID"))
    var credential: String

    @Option(help: ArgumentHelp("The file of a desired state to change.", valueName: "FILE"))
    var state: String?

    func perform() throws(CredentialError) -> [String] {
        _ = try CredentialStore.site(site.path)
        try CredentialStore.changeRegister(ofSite: site.path) { register throws(CredentialError) in
            guard register.unrevoke(credential) else {
                throw CredentialError(
                    "\(credential) is not revoked; see: readerlab credentials list --site \(site.path)")
            }
        }
        var lines = ["\(credential): not revoked any longer in the register"]
        if let state {
            let count = try RevocationDelivery.writeState(state, removed: [credential]) { () throws(CredentialError) in
                try CredentialStore.register(ofSite: site.path).inForce(at: DeskClock.now.minute)
            }
            lines.append("\(state): \(count) revoked; sign it for each reader: readerlab fleet desired")
        }
        lines.append("a reader that knows it by a courier or by readerd revoke: readerd unrevoke \(credential)")
        return lines
    }
}

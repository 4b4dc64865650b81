// SPDX-License-Identifier: Apache-2.0

import AccessProtocol

extension StatusCode {
    /// The meaning of a reader's status for `request`, and what to do (docs/protocol/status-codes.md).
    func explanation(of request: PhoneRequest?) -> VisitExplanation {
        let name = request?.name ?? "the request"
        let (what, remedy) = ofCommand(request?.command, name) ?? ofAny(name) ?? ofCredential ?? unknown
        return VisitExplanation("refused, status \(rawValue): \(what)", remedy)
    }

    private var unknown: (String, String) { ("a code that readers do not send", "see docs/protocol/status-codes.md") }

    /// Codes with their own meaning for one command.
    private func ofCommand(_ command: CommandName?, _ name: String) -> (String, String)? {
        switch (self, command) {
        case (.invalidArguments, .setTime?), (.invalidArguments, .setClock?):
            (
                "phones may not set this time: too far back, or too far ahead",
                "set it at the reader: readerd set-time; or by a token for CLK_SET"
            )
        case (.invalidState, .setTime?), (.invalidState, .setClock?):
            ("the reader's clock is synchronised already", "there is nothing to set")
        case (.validity, .setClock?):
            ("the token is not of a day that has this time", "have one issued for that day, and CLK_SET alone")
        case (.validity, .setTime?), (.validity, .update?):
            ("the token is not valid at the time that it brings, or was revoked", "have another one issued")
        case (.notSupported, .bootLoader?), (.notSupported, .classicBoot?):
            ("no updater is configured", "name one in the reader's configuration: updater.command")
        case (.version, .update?):
            ("the configuration's version is not later than the one before", "raise the number that configId ends with")
        case (.systemConfiguration, .update?):
            ("a value of the configuration is out of range, or of another door", "see docs/operate/configuration.md")
        case (.currentTime, .update?):
            (
                "the reader's clock is not set, and the request brings no time",
                "send one: readerlab phone time --set now"
            )
        case (.unavailable, .bootLoader?), (.unavailable, .classicBoot?):
            ("an updater is at work, or the disk is", "wait until it has ended")
        default: nil
        }
    }

    /// Codes that say the same of every request.
    private func ofAny(_ name: String) -> (String, String)? {
        switch self {
        case .invalidArguments: ("the token has no signature", "have it issued again")
        case .invalidState: ("\(name) is not possible now", "try again")
        case .notSupported: ("the reader does not know \(name), or does not serve it", "see docs/protocol/commands.md")
        case .endOfFile: ("a file of the credential ends too early", "have it issued again")
        case .overflow: ("the request has more than 2048 octets", "send less at a time")
        case .storageFull: ("no room in the blacklist, in the log, or on the disk", "make room, see: readerd status")
        case .version: ("a version that the reader does not take", "compare the versions of reader and phone")
        case .signature:
            ("the token is not signed for this reader, or not for \(name)", "have one issued for it, with its key")
        case .validity:
            (
                "the token is outside its time, or its credential was revoked",
                "have another one issued, or check the "
                    + "reader's clock: readerlab phone time"
            )
        case .unavailable:
            ("the door lets nobody in, the disk is slow, or the reader has just started", "see: readerd status")
        case .aborted: ("the reader shuts down", "start it again")
        case .encode: ("the answer would be too long", "ask for less")
        case .decode: ("the token or its data cannot be read", "check the data; see docs/protocol/commands.md")
        case .systemConfiguration: ("a value is out of range", "see docs/operate/configuration.md")
        case .salt, .ownSalt: ("no good random numbers", "try again")
        case .decrypt: ("the reader cannot open the request", "try again; report it if it stays")
        case .currentTime: ("the reader's clock is not set", "set it: readerlab phone time --set now")
        default: nil
        }
    }

    /// Codes of OSS credentials and of the blacklist.
    private var ofCredential: (String, String)? {
        switch self {
        case .credentialID: ("a credential has no name", "have it issued again")
        case .standardOfflineMajorVersion, .siteIDMajorVersion:
            ("the credential is of a later version", "update the reader")
        case .standardOfflineCredentialType, .siteIDCredentialType:
            ("the reader takes no credentials of this type", "see credentials.intervention-media in its configuration")
        case .standardOfflineTimestamp: ("a time in it does not exist", "have it issued again")
        case .standardOfflinePeriod: ("a part of a day in it is invalid", "have it issued again")
        case .standardOfflineSite: ("the credential is of site 0", "have it issued for a site")
        case .standardOfflineDoorSchedule: ("a door in it has a schedule that is missing", "have it issued again")
        case .extensionTooLarge, .extensionInvalidSize:
            ("the size of its extension file is wrong", "have it issued again")
        case .extensionTooManyFeatures, .extensionValueTooLarge, .extensionLength, .extensionTag:
            ("a feature of its extension file is invalid", "have it issued again")
        case .tooManyBlacklistEntries: ("more than 64 entries for the blacklist", "send fewer at a time")
        default: nil
        }
    }
}

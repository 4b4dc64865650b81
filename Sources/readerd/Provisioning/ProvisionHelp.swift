/// The help of `readerd provision` and `readerd reset`.
enum ProvisionHelp {
    static let provision = """
        readerd provision [--state DIR] [--device-id ID] [--serial-number HEX] [--signature-key FILE]
                          [--site-id N --door-id N] [--force-new-identity] [--json]
        readerd provision [--state DIR] --add-signature-key FILE [--old-key-until DATE] [--json]
        readerd provision [--state DIR] --rotate-terminal-key [--json]

        Makes the identity of this reader, or changes a key of it. The terminal key is made here and stays here; its
        public half is printed, for the backend. No readerd may run on the state directory. A power cut leaves the old
        identity or the new one, never a part.

        --state DIR            Where the identity goes, \(RunOptions.defaultStateDirectory) by default.
        --device-id ID         8 printable ASCII characters, which the reader advertises; made if not given.
        --serial-number HEX    20 hexadecimal digits; made if not given.
        --signature-key FILE   The public key, in PEM, that this reader's tokens are signed with. One per reader: a
                               command token names no reader, so that under a shared key it opens all of them.
        --site-id N            Which site and door the reader is at, 1 to 65535 each. They hold where the
        --door-id N            configuration does not say.
        --force-new-identity   Replaces an identity that is there, which is lost.

        --add-signature-key FILE
                               A signature key for an identity that has none yet, or in place of the one it has.
        --old-key-until DATE   Until when tokens under the key before are taken: 2026-12-31 (all of that day),
                               2026-12-31T18:00 (all of that minute), both in the reader's time, or: now.
        --rotate-terminal-key  A new terminal key. Phones need the new public key; the old one ends at once.
        --json                 The result as one object of JSON, for readerlab credentials.

        A reader from the factory to its first token:
            readerd provision --site-id 1 --door-id 7 --json > front.json
            readerlab credentials reader add front --site site.json --public-key front.json > front-signature.pem
            readerd provision --add-signature-key front-signature.pem
        The whole way is in docs/provisioning.md.
        """

    static let reset = """
        readerd reset [--state DIR] --yes

        Back to what the factory delivers: the identity and its keys, the addresses, the event log and its key, the
        blacklist and the pushed settings are overwritten and removed, and the reader has the published demo identity.
        The configuration file stays. No readerd may run on the state directory. A reset that was interrupted keeps
        the reader from starting until it is done again.

        --state DIR     The state directory, \(RunOptions.defaultStateDirectory) by default.
        --yes           Without it nothing is done.

            systemctl stop readerd
            readerd reset --yes

        Flash storage may keep overwritten octets. Where that matters, the state directory belongs on an encrypted
        file system, whose key is destroyed with the reset.
        """
}

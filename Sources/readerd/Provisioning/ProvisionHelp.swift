// SPDX-License-Identifier: Apache-2.0

/// The help of `readerd provision` and `readerd reset`.
enum ProvisionHelp {
    static let provision = """
        readerd provision [--state DIR] [--device-id ID] [--serial-number HEX] [--signature-key FILE]
                          [--site-id N --door-id N] [--force-new-identity] [--json]
        readerd provision [--state DIR] --add-signature-key FILE [--old-key-until DATE] [--json]
        readerd provision [--state DIR] --command-key FILE [--old-key-until DATE] [--json]
        readerd provision [--state DIR] --rotate-terminal-key [--json]

        Creates the identity of this reader, or changes a key of it. The terminal key is generated here and never leaves
        the reader; its public key is printed for the backend. No readerd may run on the state directory. A power cut
        leaves either the old identity or the new one.

        On a terminal, with no option but --state, it asks for the signature key's file and the numbers, shows what it
        will do, and waits for a yes.

        --state DIR            The state directory, \(RunOptions.defaultStateDirectory) by default.
        --device-id ID         8 printable ASCII characters, advertised by the reader; generated if absent.
        --serial-number HEX    20 hexadecimal digits; generated if absent.
        --signature-key FILE   The public key, in PEM, that verifies this reader's tokens. One per reader: a command
                               token names no reader, so with a shared key it opens all of them.
        --site-id N            Site and door of the reader, 1 to 65535 each. The configuration has
        --door-id N            precedence.
        --force-new-identity   Replaces an existing identity, which is deleted.

        --add-signature-key FILE
                               Adds the signature key, or replaces the present one.
        --command-key FILE     Adds the public key, in PEM, that verifies orders from afar, or replaces the present one.
                               One per reader, and none that verifies tokens: docs/operate/fleet.md.
        --old-key-until DATE   The end of the former key's tokens or orders: 2026-12-31 (inclusive), 2026-12-31T18:00
                               (inclusive), both in the reader's time, or: now.
        --rotate-terminal-key  Generates a new terminal key. Phones need the new public key; the old one ends at once.
        --json                 The result as one JSON object, for readerlab credentials.

        From the factory to the first token:
            readerd provision --site-id 1 --door-id 7 --json > front.json
            readerlab credentials reader add front --site site.json --public-key front.json > front-signature.pem
            readerd provision --add-signature-key front-signature.pem
        Complete procedure: docs/operate/provisioning.md.
        """

    static let reset = """
        readerd reset [--state DIR] --yes

        Restores the factory state: overwrites and removes the identity and its keys, the addresses, the event log and
        its key, the blacklist and the pushed settings; the reader then has the published demo identity. The
        configuration file stays. No readerd may run on the state directory. After an interrupted reset the reader does
        not start until the reset is repeated.

        --state DIR     The state directory, \(RunOptions.defaultStateDirectory) by default.
        --yes           Required.

            systemctl stop readerd
            readerd reset --yes

        Flash storage may keep overwritten octets. Against that, use an encrypted file system for the state directory,
        and destroy its key with the reset.
        """
}

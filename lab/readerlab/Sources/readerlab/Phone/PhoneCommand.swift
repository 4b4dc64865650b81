// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `readerlab phone`.
struct PhoneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "phone",
        abstract: "Be a phone: look for readers, open a door, ask, maintain.",
        discussion: """
            A controller is needed that no other host uses: an adapter that is down, or a place on an air (readerlab air); \
            or for a touch an NFC chip. The readers of \
            this project's demo identity are opened without more; for others, `readerlab credentials phone-bundle` makes \
            the file that --bundle takes. docs/emulators/phone.md has the whole of it.

              readerlab phone scan --hci hci-socket:0
              readerlab phone open --hci tcp-client:127.0.0.1:7301
              readerlab phone open --nfc pn532_uart:/dev/ttyUSB0
              readerlab phone open --as-card unix:/tmp/field
              readerlab phone open --hci hci-socket:0 --bundle phone.json
              readerlab phone command STATUS --hci hci-socket:0 --json

            Exit code 0 when it is done, 1 when it was refused or failed, 2 for wrong use.
            """,
        subcommands: [
            PhoneScanCommand.self, PhoneOpenCommand.self, PhoneAskCommand.self, PhoneEventsCommand.self,
            PhoneTimeCommand.self, PhoneUpdateCommand.self, PhoneSimBLECommand.self,
        ])
}

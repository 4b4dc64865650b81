// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Contactless
import Credentials
import Crypto
import Glibc
import Octets
import Timekeeping

/// `readerlab card reader`.
struct AliroReaderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reader", abstract: "An Aliro reader for a phone on an NFC chip, right or with a fault.",
        discussion: """
            The reader of an app's developer: the firmware's own transaction, and a fault at one command. It reports \
            each rule that the phone breaks, and whether it refuses a wrong reader: readerlab card faults lists the faults.

              readerlab card reader --key reader.pem
              readerlab card reader --key reader.pem --phone 04… \\
                --nfc pn532_uart:/dev/ttyUSB0
              readerlab card reader --key reader.pem --phone 04… \\
                --fault wrong-signature --nfc pn532_uart:/tmp/nfc

            Without --nfc it prints the reader's point, which phones have to know.
            """)

    @Option(help: ArgumentHelp("The reader's key in PEM; made if the file does not exist.", valueName: "FILE"))
    var key: String
    @Option(help: ArgumentHelp("The group, 16 octets.", valueName: "HEX"))
    var group = "00112233445566778899aabbccddeeff"
    @Option(help: ArgumentHelp("The door in its group, 16 octets.", valueName: "HEX"))
    var door = "0123456789abcdef0123456789abcdef"
    @Option(help: ArgumentHelp("The point of a credential that opens. May be repeated.", valueName: "HEX"))
    var phone: [String] = []
    @Option(help: ArgumentHelp("The fault: a name of readerlab card faults.", valueName: "NAME"))
    var fault: String?
    @Option(help: ArgumentHelp("The NFC chip as libnfc names it.", valueName: "CONNECTION"))
    var nfc: String?
    @Option(help: ArgumentHelp("The time until a phone comes.", valueName: "SECONDS"))
    var timeout = 10.0
    @Flag(help: "One JSON object a line.")
    var json = false

    func validate() throws {
        guard timeout.isFinite, 0.1...3600 ~= timeout else { throw ValidationError("--timeout is 0.1 to 3600 seconds") }
        _ = try identifier()
        _ = try credentials()
        if let fault, AliroReaderFault.named(fault) == nil {
            throw ValidationError("a reader has no fault \(fault.debugDescription); see: readerlab card faults")
        }
    }

    private func identifier() throws -> AliroReader.Identifier {
        guard let group = Hexadecimal.octets(group), let door = Hexadecimal.octets(door),
            let identifier = AliroReader.Identifier(group: group, sub: door)
        else { throw ValidationError("--group and --door have 16 octets in hexadecimal digits") }
        return identifier
    }

    private func credentials() throws -> [AliroCredential] {
        try phone.map { text in
            guard let octets = Hexadecimal.octets(text), let point = try? P256PublicKey(point: octets.span) else {
                throw ValidationError("--phone is no point of P-256: it has 130 hexadecimal digits, 04 first")
            }
            return AliroCredential(point)
        }
    }

    func run() throws {
        let key = try CardKeyFile.pair(key)
        guard let nfc else {
            return ConsoleOutput.write(Hexadecimal.text(CardKeyFile.point(key)), to: STDOUT_FILENO)
        }
        let reader = AliroReader(key: key, identifier: try identifier())
        var store = AliroStore(binding: reader.binding)
        for credential in try credentials() where !store.add(credential) {
            throw ValidationError("--phone is given too often")
        }
        try AliroReaderRun.meet(
            reader, store: store, fault: fault.flatMap(AliroReaderFault.named), on: nfc,
            within: .milliseconds(Int64(timeout * 1000)), json: json)
    }
}

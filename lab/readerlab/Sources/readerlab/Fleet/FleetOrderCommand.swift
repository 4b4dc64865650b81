// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import BackEnd
import Commands
public import Fleet
import Glibc

/// `readerlab fleet command`.
struct FleetOrderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "command",
        abstract: "Sign an order to a reader, send it by the broker, and wait for the signed answer.",
        discussion: """
              readerlab fleet command --open --reader "Front door" --site site.json \\
                --command-key desk/command-key.pem --broker mqtt.example --ca ca.pem \\
                --certificate desk.pem --key desk-key.pem
              readerlab fleet command --lockdown-on --reader 7761307931597753 \\
                --site site.json --command-key desk/command-key.pem --valid 3600 \\
                --out order.cbor

            An order that opens, or ends a lockdown or a tamper block, is valid for 30 seconds at most; others reach a \
            reader that was without a network for up to a day. The exit code is 0 if the reader has carried it out, 1 if it refuses or does not answer, 2 for wrong use.
            """)

    @Flag(exclusivity: .exclusive, help: "The order.")
    var command: RemoteCommand

    @Option(
        help: ArgumentHelp(
            "The time until the order ends: up to 30 s to open, or to end a lockdown or a tamper block; a day else.",
            valueName: "seconds"))
    var valid: UInt64 = 20

    @Option(help: ArgumentHelp("The time to wait for the answer.", valueName: "seconds"))
    var wait = 10

    @OptionGroup var desk: FleetDeskOptions

    @Option(help: ArgumentHelp("Only write the signed order to this file, and send nothing.", valueName: "file"))
    var out: String?

    func validate() throws {
        guard (1...command.lifeSeconds).contains(valid) else {
            throw ValidationError("--valid \(valid): write 1 to \(command.lifeSeconds) for this order")
        }
        try FleetDeskOptions.check(wait: wait)
    }

    func run() throws {
        let signer = try desk.signer()
        if let out {
            // Before the order has a number.
            try CommandError.checkNew(out)
            let signed = try sign(by: signer)
            try CommandError.create(out, with: signed.message)
            ConsoleOutput.write(
                "\(out): \(signed.message.count) octets, for \(signed.order.order.reader), valid until "
                    + "\(signed.order.order.expires) (Unix time)", to: STDOUT_FILENO)
            return
        }
        let code = try FleetOrderProgram(
            try desk.access(), signer, wait: wait, json: desk.json
        ) { signer throws(CommandError) in try sign(by: signer) }.run()
        if code != 0 { throw ExitCode(code) }
    }
}

extension FleetOrderCommand {
    /// The order and its octets. It must be signed when it is sent, because its validity begins then.
    func sign(by signer: FleetSigner) throws(CommandError) -> (order: FleetOrder, message: [UInt8]) {
        let stamp = try signer.stamp()
        let order = FleetOrder(
            command, to: signer.device, name: signer.reader.name, key: signer.key.id, id: stamp.id,
            counter: stamp.counter, now: stamp.now, seconds: valid)
        return (order, try signer.key.message(order.order))
    }
}

extension RemoteCommand: @retroactive EnumerableFlag {
    /// The option of a command: `--open` for a pulse, otherwise the name that is signed.
    public static func name(for value: RemoteCommand) -> NameSpecification {
        .customLong(value == .pulse ? "open" : value.rawValue)
    }

    /// The help of the command's option.
    public static func help(for value: RemoteCommand) -> ArgumentHelp? {
        switch value {
        case .pulse: "Open for a pulse."
        case .extended: "Open for the extended time."
        case .officeOn: "Open until further notice."
        case .officeOff: "End that."
        case .lockdownOn: "Begin a lockdown."
        case .lockdownOff: "End the lockdown."
        case .tamperReset: "Unblock the door after a tamper."
        }
    }
}

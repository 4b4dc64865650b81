// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
package import Emulation

/// The options of a kind of device that shares a radio with others: of `readerlab emulate KIND`, and of a device in the
/// file of `readerlab emulate devices`.
package protocol EmulatedKind: ParsableArguments {
    /// The command for devices of this kind alone, with the name of the kind.
    static var command: any ParsableCommand.Type { get }
    /// The steps of all devices of this kind.
    static var steps: [EmulatedStep] { get }
    /// The device with this index, counted from 0, of `count` with these options.
    func unit(_ number: Int, of count: Int) throws -> any EmulatedUnit
}

extension EmulatedKind {
    /// The name in commands and files.
    package static var kind: String { command.configuration.commandName ?? "" }
}

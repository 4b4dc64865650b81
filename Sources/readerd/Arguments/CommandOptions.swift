// SPDX-License-Identifier: Apache-2.0

import Peripheral
import System

/// The arguments of a command of `readerd`.
protocol ReaderdArguments: CommandArguments where Failure == ReaderdError {
    var command: CommandName { get }
}

extension ReaderdArguments {
    var name: String { command.rawValue }
    var help: String { "see: readerd \(name) --help" }
}

extension ReaderdError: UsageFailure {}

extension TransportName {
    /// Parses the value of `--hci`.
    init(option value: String) throws(ReaderdError) {
        do throws(TransportNameError) { try self.init(value) } catch { throw .usage("--hci: \(error)") }
    }
}

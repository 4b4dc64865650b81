// SPDX-License-Identifier: Apache-2.0

import Commands
import OSDP
import PanelLine
import System

extension OSDPKeyFile {
    /// The key of a file that an option names; nil if the file does not exist. A fault ends the program as a misuse.
    func loadForUse() throws(CommandError) -> OSDPKey? {
        do throws(PrivateFileFault) { return try load() } catch {
            throw .misuse(error.description)
        }
    }
}

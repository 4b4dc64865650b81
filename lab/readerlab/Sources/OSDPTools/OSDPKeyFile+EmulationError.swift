// SPDX-License-Identifier: Apache-2.0

import Console
import OSDP
import PanelLine
import System

extension OSDPKeyFile {
    /// The key that an option names; nil if there is no file. A fault ends the program as wrong use.
    func loadForUse() throws(CommandError) -> OSDPKey? {
        do throws(PrivateFileFault) { return try load() } catch {
            throw .misuse(error.description)
        }
    }
}

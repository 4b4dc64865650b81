// SPDX-License-Identifier: Apache-2.0

import OSDP
import PanelLine
import System

/// The files of a panel's device in the state directory.
struct PanelFiles {
    /// Their names.
    static let names = ["osdp.key", "osdp.line", "osdp.update", "osdp.update.part"]

    let key: OSDPKeyFile
    let line: OSDPLineFile
    let update: OSDPIncomingFile

    init(directory: String) {
        key = OSDPKeyFile(path: "\(directory)/\(PanelFiles.names[0])")
        line = OSDPLineFile(path: "\(directory)/\(PanelFiles.names[1])")
        update = OSDPIncomingFile(path: "\(directory)/\(PanelFiles.names[2])")
    }

    /// Loads key and line; `damage` has the faults of files that cannot be used, in one line, nil for none.
    func load() -> (key: OSDPKey?, line: OSDPLine?, damage: String?, isKeyDamaged: Bool) {
        func load<Value>(_ load: () throws(PrivateFileFault) -> Value?) -> (Value?, fault: String?) {
            do throws(PrivateFileFault) { return (try load(), nil) } catch { return (nil, error.description) }
        }
        let (line, lineFault) = load(self.line.load)
        let (key, keyFault) = load(self.key.load)
        let faults = [lineFault, keyFault].compactMap(\.self)
        return (key, line, faults.isEmpty ? nil : faults.joined(separator: "; "), keyFault != nil)
    }
}

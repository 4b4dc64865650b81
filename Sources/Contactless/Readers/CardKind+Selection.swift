// SPDX-License-Identifier: Apache-2.0

public import Credentials

extension CardKind {
    /// The kind of card whose application a SELECT command names (ISO/IEC 7816-4, 11.2.2), or a native one of DESFire
    /// (NXP AN12196); nil for another command or application.
    public init?(selectedBy command: [UInt8]) {
        if command.starts(with: [0x90, 0x5A, 0x00, 0x00]) {
            self = .desfire
            return
        }
        guard command.starts(with: [0x00, 0xA4, 0x04, 0x00]), let select = ShortCommand(command) else { return nil }
        switch select.data {
        case PKOCCard.application: self = .pkoc
        case AliroWire.expedited, AliroWire.stepUp: self = .aliro
        default: return nil
        }
    }
}

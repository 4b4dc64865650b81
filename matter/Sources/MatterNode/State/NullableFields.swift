// SPDX-License-Identifier: Apache-2.0

import MatterTLV

extension TLVWriter {
    /// Writes an unsigned integer, or a null.
    mutating func nullable(_ value: (some UnsignedInteger)?, as tag: TLVTag) {
        if let value { unsigned(value, as: tag) } else { null(as: tag) }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Octets

extension [UInt8] {
    /// Appends four octets, most significant first.
    mutating func append(bigEndian value: UInt32) { append(littleEndian: value.byteSwapped) }
}

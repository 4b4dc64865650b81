// SPDX-License-Identifier: Apache-2.0

/// A reading error, with its position.
public enum OctetError: Error, Equatable, Sendable {
    /// `needed` more octets than available were requested at `offset`.
    case truncated(offset: Int, needed: Int)
    /// `count` octets follow the end of the structure at `offset`.
    case trailing(offset: Int, count: Int)
}

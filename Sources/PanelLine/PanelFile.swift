// SPDX-License-Identifier: Apache-2.0

/// The files that a panel's orders leave.
enum PanelFile {
    /// The maximum size in octets: a key or a line, and room for line ends.
    static let limit = 64
}

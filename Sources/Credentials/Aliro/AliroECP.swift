// SPDX-License-Identifier: Apache-2.0

/// The frame of Apple's enhanced contactless polling that lets a phone select its credential without its user.
public enum AliroECP {
    /// The frame of a reader group, without its CRC_A, which the poll role appends.
    ///
    /// - Parameter isAuthenticated: true to request the authentication of the phone's user.
    public static func frame(_ identifier: AliroReader.Identifier, isAuthenticated: Bool = false) -> [UInt8] {
        let frame: [UInt8] = [0x6A, 0x02, isAuthenticated ? 0x8B : 0xCB, 0x02, 0x06, 0x20, 0x42, 0x20]
        return frame + identifier.group.prefix(8)
    }
}

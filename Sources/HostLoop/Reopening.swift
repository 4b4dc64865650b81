// SPDX-License-Identifier: Apache-2.0

import Peripheral

/// The pauses before a lost transport is opened again, doubled from the first to the longest.
enum ReopenPauses {
    static let first = Duration.milliseconds(250)
    static let longest = Duration.seconds(5)
}

extension HCITransport {
    /// Opens a transport; nil if its other end is absent, and may be.
    static func open(_ name: TransportName, mayBeAbsent: Bool) throws(TransportError) -> HCITransport? {
        do throws(TransportError) { return try open(name) } catch {
            guard mayBeAbsent, error.fault.isAbsence else { throw error }
            return nil
        }
    }
}

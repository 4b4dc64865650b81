// SPDX-License-Identifier: Apache-2.0

public import Fleet

extension ReaderSettings {
    /// `[link]`: the process that connects the reader to a fleet.
    public struct Link: Equatable, Sendable {
        /// `socket`; nil for no link.
        public var socket: String?
        /// `user`
        public var user = "readerd-link"
        /// `name`; nil for the device identifier.
        public var name: String?
        /// `may`
        public var may: [RemoteCommand] = []
        /// `may-set`
        public var maySet: [OwnedPart] = []
    }

    /// `[matter]`: the process by which the reader is a Matter lock.
    public struct Matter: Equatable, Sendable {
        /// `socket`; nil for no Matter lock.
        public var socket: String?
        /// `user`
        public var user = "readerd-matter"
        /// `may-unlock`
        public var mayUnlock = true
        /// `may-share`
        public var mayShare = false
        /// `aliro`
        public var hasAliro = false
        /// `pin`
        public var hasPINs = false
    }
}

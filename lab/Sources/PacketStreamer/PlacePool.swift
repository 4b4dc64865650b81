// SPDX-License-Identifier: Apache-2.0

/// The places of an air that are reserved for chips of emulators, and which of them are free.
public struct PlacePool: Sendable {
    /// A place in the notation of `--place`, `NAME=PATH`: its name on the air, and its Unix socket.
    public struct Place: Equatable, Sendable {
        /// The name on the air.
        public let name: String
        /// The path of the socket.
        public let path: String

        /// Nil without a name or a path.
        public init?(_ text: String) {
            guard let equals = text.firstIndex(of: "="), equals > text.startIndex else { return nil }
            name = String(text[..<equals])
            path = String(text[text.index(after: equals)...])
            if path.isEmpty { return nil }
        }
    }

    /// All places, free or not.
    public let places: [Place]
    private var isTaken: [Bool]

    /// A pool in which all places are free.
    public init(_ places: [Place]) {
        self.places = places
        isTaken = places.map { _ in false }
    }

    /// Reserves the first free place, so that an emulator that comes back has its place again; nil if none is free.
    public mutating func reserve() -> Place? {
        guard let index = isTaken.firstIndex(of: false) else { return nil }
        isTaken[index] = true
        return places[index]
    }

    /// Frees a place for another chip.
    public mutating func free(_ place: Place) {
        guard let index = places.firstIndex(of: place) else { return }
        isTaken[index] = false
    }
}

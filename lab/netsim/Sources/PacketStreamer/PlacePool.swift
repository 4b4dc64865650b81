// SPDX-License-Identifier: Apache-2.0

/// The places of an air that are reserved for chips of emulators, and which of them are free.
package struct PlacePool: Sendable {
    /// A place in the notation of `--place`, `NAME=PATH`: its name on the air, and its Unix socket.
    package struct Place: Equatable, Sendable {
        package let name: String
        package let path: String

        /// Nil without a name or a path.
        package init?(_ text: String) {
            guard let equals = text.firstIndex(of: "="), equals > text.startIndex else { return nil }
            name = String(text[..<equals])
            path = String(text[text.index(after: equals)...])
            if path.isEmpty { return nil }
        }
    }

    package let places: [Place]
    private var isTaken: [Bool]

    package init(_ places: [Place]) {
        self.places = places
        isTaken = places.map { _ in false }
    }

    /// Reserves the first free place, so that an emulator that comes back has its place again; nil if none is free.
    package mutating func reserve() -> Place? {
        guard let index = isTaken.firstIndex(of: false) else { return nil }
        isTaken[index] = true
        return places[index]
    }

    package mutating func free(_ place: Place) {
        guard let index = places.firstIndex(of: place) else { return }
        isTaken[index] = false
    }
}

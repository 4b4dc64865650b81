// SPDX-License-Identifier: Apache-2.0

package import JSON

/// The kinds of devices that share a radio, in the order of the help.
package enum EmulatedKinds {
    package static let all: [any EmulatedKind.Type] = [NordicOptions.self, CameraOptions.self, ThermostatOptions.self]

    /// The options of the kind that a file names.
    package static func options(_ place: JSONPlace) throws(JSONPlaceFault) -> any EmulatedKind.Type {
        let word = try place.word(all.map { $0.kind })
        guard let options = all.first(where: { $0.kind == word }) else { throw place.fault("is no kind of device") }
        return options
    }
}

// SPDX-License-Identifier: Apache-2.0

import JSON

/// The scene settings (Bandit §3.7).
public struct CameraScene: Equatable, Sendable {
    /// The name of a scene.
    public enum Kind: String, CaseIterable, Sendable {
        case auto
        case bright
        case night
        case underwater
        case phone
    }

    static let keys = ["brightness", "contrast", "hue", "saturation", "sharpness"]

    /// The scene.
    public var kind: Kind
    /// Brightness, contrast, hue, saturation, sharpness: 0 to 255.
    public var values: [Int]

    /// The preset of a scene.
    public init(_ kind: Kind) {
        self.kind = kind
        values =
            switch kind {
            case .auto, .phone: [128, 128, 128, 128, 128]
            case .bright: [128, 140, 128, 140, 150]
            case .night: [128, 128, 128, 110, 117]
            case .underwater: [128, 128, 128, 180, 128]
            }
    }

    /// A scene from a request's object: keys that are left out have the preset's value; nil for unknown ones.
    init?(_ fields: JSONFields) {
        guard let kind = fields.text("mode").flatMap(Kind.init),
            fields.names.allSatisfy((CameraScene.keys + ["mode"]).contains)
        else { return nil }
        self.init(kind)
        for (index, key) in CameraScene.keys.enumerated() where fields.has(key) {
            guard let value = fields.integer(key), (0...255).contains(value) else { return nil }
            values[index] = value
        }
    }

    var json: JSONObject {
        var object = JSONObject()
        object.add("mode", kind.rawValue)
        for (key, value) in zip(CameraScene.keys, values) { object.add(key, value) }
        return object
    }
}

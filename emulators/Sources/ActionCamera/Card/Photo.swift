// SPDX-License-Identifier: Apache-2.0

import Emulation
import JSON

/// A photo on the card (Bandit §3.4).
public struct Photo: Equatable, Sendable {
    /// The id.
    public var id: String
    /// The number in its name.
    public var number: Int
    /// The session: the photos of a burst share it.
    public var session: Int
    /// Its time in seconds since 1970.
    public var created: Int64
    /// The mode.
    public var mode: CameraMode
    /// The octets of a drawn one.
    public var size: Int
    /// The frame number in a drawn one.
    public var frame: Int
    /// The file of the user's with its size; nil for a drawn one.
    public var file: CardFile?
    /// Latitude and longitude in degrees, with a fix.
    public var position: CardPosition?

    /// Its name on the card.
    public func path(in directory: String) -> String { "\(directory)/IMG_\(CardNames.digits(number)).JPG" }

    /// The octets of a drawn photo: more than it needs, so that they are known before it is drawn.
    static func size(_ resolution: CameraMode.Resolution) -> Int {
        resolution == .megapixels16 ? 2_400_000 : 1_300_000
    }

    /// Its octets.
    func contents() -> CameraBody {
        if let file { return .file(path: file.path, count: file.count) }
        let (width, height) = mode.resolution.size
        return .picture(PictureRequest(width: width, height: height, frame: frame, count: size))
    }

    func thumbnail(_ size: (width: Int, height: Int)) -> PictureRequest {
        PictureRequest(
            width: size.width, height: size.height, frame: frame,
            file: file.map { CameraFileMoment(path: $0.path, offset: 0) })
    }

    /// The JSON object.
    func json(_ card: Card, files: Int? = nil) -> JSONObject {
        [
            "id": id, "path": path(in: card.directory), "created": CameraDate.text(created),
            "mode": mode.kind.rawValue, "resolution": mode.resolution.rawValue,
            "aspect_ratio": mode.resolution.aspectRatio, "size_bytes": size, "is_valid": true,
            "lat_deg": position?.latitude, "lon_deg": position?.longitude, "number_of_files": files,
        ]
    }
}

/// A file of the user's.
public struct CardFile: Equatable, Sendable {
    /// The path.
    public var path: String
    /// The number of octets.
    public var count: Int

    /// A file.
    public init(path: String, count: Int) {
        self.path = path
        self.count = count
    }
}

/// A place on the earth in degrees.
public struct CardPosition: Equatable, Sendable {
    /// The latitude.
    public var latitude: Double
    /// The longitude.
    public var longitude: Double
}

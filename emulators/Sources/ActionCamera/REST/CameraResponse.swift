// SPDX-License-Identifier: Apache-2.0

import JSON

/// The body of a response: octets, or what its octets are made of.
public enum CameraBody: Equatable, Sendable {
    /// These octets.
    case octets([UInt8])
    /// A JPEG picture, to be drawn and encoded.
    case picture(PictureRequest)
    /// A clip that is put together of prepared frames.
    case clip(Clip)
    /// A file of the user's.
    case file(path: String, count: Int)
}

/// A picture to be drawn: what the camera saw at a time of a recording, or a photo.
public struct PictureRequest: Equatable, Sendable {
    /// The width in pixels.
    public var width: Int
    /// The height in pixels.
    public var height: Int
    /// The frame number that is burnt in.
    public var frame: Int
    /// The octets that its JPEG has, filled with comments; nil for as many as it needs.
    public var count: Int?
    /// The file of the user's, and the time in it, to take the picture from; nil for a drawn one.
    public var file: CameraFileMoment?

    /// A picture.
    public init(width: Int, height: Int, frame: Int, count: Int? = nil, file: CameraFileMoment? = nil) {
        self.count = count
        self.width = width
        self.height = height
        self.frame = frame
        self.file = file
    }
}

/// A moment of a file of the user's.
public struct CameraFileMoment: Equatable, Sendable {
    /// The path of the file.
    public var path: String
    /// The time in seconds from its start.
    public var offset: Double
}

/// A response of the camera. The headers are `Content-Length`, and `Content-Type` if there is a body.
public struct CameraResponse: Equatable, Sendable {
    /// The status code: 200 for every success (Bandit §2).
    public var status: Int
    /// The media type.
    public var type: String?
    /// The body.
    public var body: CameraBody

    /// A response.
    public init(_ status: Int, type: String? = nil, _ body: CameraBody = .octets([])) {
        self.status = status
        self.type = type
        self.body = body
    }

    /// 200 without a body (Bandit §2).
    static let empty = CameraResponse(200)

    static func json(_ object: JSONObject) -> CameraResponse {
        CameraResponse(200, type: "application/json", .octets(Array(object.text.utf8)))
    }

    static func json(_ list: [JSONObject]) -> CameraResponse {
        let text = "[" + list.map(\.text).joined(separator: ",") + "]"
        return CameraResponse(200, type: "application/json", .octets(Array(text.utf8)))
    }

    static func jpeg(_ picture: PictureRequest) -> CameraResponse {
        CameraResponse(200, type: "image/jpeg", .picture(picture))
    }
}

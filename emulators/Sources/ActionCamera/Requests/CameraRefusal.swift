// SPDX-License-Identifier: Apache-2.0

/// The reason why a request is refused, with its status.
struct CameraRefusal: Error, Equatable {
    var status: Int
    init(_ status: Int) { self.status = status }

    static let wrongParameter = CameraRefusal(400)
    static let notFound = CameraRefusal(404)
    static let wrongMethod = CameraRefusal(405)
    static let conflict = CameraRefusal(409)
    static let cannotBeProcessed = CameraRefusal(500)
}

// SPDX-License-Identifier: Apache-2.0

/// The camera's reaction to a request.
public enum CameraAnswer: Equatable, Sendable {
    /// This response, now.
    case response(CameraResponse)
    /// This response, when the copy is transcoded.
    case later(Duration, CameraResponse)
    /// First a connection to the client; `previewConnected` or `previewUnreachable` then returns the response.
    case connect(Preview)
}

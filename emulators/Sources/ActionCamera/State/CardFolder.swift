// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// Files of the user's, as what is on the card.
public struct CardContent: Equatable, Sendable {
    /// A recording: its octets, its properties.
    public struct Video: Equatable, Sendable {
        /// The file.
        public var file: CardFile
        /// Its time in seconds since 1970.
        public var created: Int64
        /// The known properties.
        public var properties: MP4Properties

        /// A recording.
        public init(_ file: CardFile, created: Int64, _ properties: MP4Properties) {
            self.file = file
            self.created = created
            self.properties = properties
        }
    }

    /// A photo.
    public struct Image: Equatable, Sendable {
        /// The file.
        public var file: CardFile
        /// Its time in seconds since 1970.
        public var created: Int64

        /// A photo.
        public init(_ file: CardFile, created: Int64) {
            self.file = file
            self.created = created
        }
    }

    /// The recordings by their names.
    public var videos: [Video] = []
    /// The photos by their names.
    public var images: [Image] = []

    /// An empty card.
    public init() {}
}

extension ActionCamera {
    /// Puts the user's files on the card.
    public mutating func fill(with content: CardContent) {
        for video in content.videos {
            let properties = video.properties
            let resolution = CameraMode.Resolution.allCases.first { $0.size.height == properties.height } ?? .fullHD
            let rate = [30, 60, 120, 180].last { $0 <= Int(properties.rate.rounded()) } ?? 15
            let (number, id) = card.number()
            card.add(
                Recording(
                    id: id, number: number, session: card.session(), created: video.created,
                    mode: CameraMode(.normal, resolution, framerate: rate),
                    source: .file(
                        path: video.file.path, size: video.file.count, width: properties.width,
                        height: properties.height), length: properties.seconds))
        }
        for image in content.images {
            let (number, id) = card.number()
            card.add(
                Photo(
                    id: id, number: number, session: card.session(), created: image.created,
                    mode: CameraMode(.single, .megapixels16), size: image.file.count, frame: number, file: image.file))
        }
    }

    /// Puts a small set on the card: recordings of several modes with a tag each, and photos.
    public mutating func fillWithSamples(at now: Instant) {
        let hour: Int64 = 3600
        let samples: [(CameraMode, Int)] = [
            (CameraMode(.normal, .fullHD, framerate: 30), 12), (CameraMode(.normal, .hd, framerate: 60), 20),
            (CameraMode(.slowMotion, .wvga, framerate: 180), 8),
            (CameraMode(.timeLapse, .uhd, framerate: 30, interval: 1), 5),
        ]
        for (index, (mode, seconds)) in samples.enumerated() {
            let (number, id) = card.number()
            var recording = Recording(
                id: id, number: number, session: card.session(),
                created: date(at: now) - hour * Int64(samples.count - index), mode: mode,
                source: .prepared(frames: seconds * mode.playbackRate), length: Double(seconds))
            recording.tags = [Tag(id: "1", .mark("tag_button"), at: Double(seconds) / 2, of: Double(seconds))]
            recording.nextTag = 2
            card.add(recording)
        }
        let burst = card.session()
        let modes = [CameraMode(.single, .megapixels16), CameraMode(.burst, .megapixels8, duration: 1, count: 10)]
        for (mode, session) in [(modes[0], card.session()), (modes[1], burst), (modes[1], burst)] {
            let (number, id) = card.number()
            card.add(
                Photo(
                    id: id, number: number, session: session, created: date(at: now) - hour, mode: mode,
                    size: Photo.size(mode.resolution), frame: number, position: surroundings.position))
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import JSON
import Timekeeping

/// A recording that runs.
struct Capture: Sendable {
    let mode: CameraMode
    /// Its start, and the start of its present file.
    let start: Instant
    var fileStart: Instant
    var fileCreated: Int64
    let session: Int
    /// The files that are complete.
    var files: [Recording] = []
    /// The present file's number, id and tags.
    var number: Int
    var id: String
    var tags: [Tag] = []
    var nextTag = 1
    /// The time of the next event: a new file, a photo, or a look at the memory.
    var deadline: Instant
}

extension ActionCamera {
    /// The time between two looks at the memory.
    private static let look = Duration.seconds(1)
    /// The shortest recording: one frame.
    private static let shortest = 0.001

    // MARK: - Start and stop

    /// Starts to record, or takes photos, by a button or a request.
    mutating func startRecording(at now: Instant) throws(CameraRefusal) {
        guard capture == nil else { return try conflict() }
        guard card.isPresent, freeBytes(at: now) > 0 else { throw .cannotBeProcessed }
        switch mode.kind {
        case .single: takePhotos(1, session: card.session(), at: now)
        case .burst: takePhotos(mode.count, session: card.session(), at: now)
        case .continuous: begin(at: now, next: now)
        default: begin(at: now, next: now + ActionCamera.look)
        }
    }

    private mutating func begin(at now: Instant, next: Instant) {
        let session = card.session()
        let (number, id) = mode.kind.isVideo ? card.number() : (0, "")
        capture = Capture(
            mode: mode, start: now, fileStart: now, fileCreated: date(at: now), session: session, number: number,
            id: id, deadline: next)
        notify("recording_started", ["recording_active": true])
        advanceCapture(to: now)
    }

    /// Stops to record.
    mutating func stopRecording(at now: Instant) throws(CameraRefusal) {
        guard var capture else { return try conflict() }
        if capture.mode.kind.isVideo { finishFile(&capture, at: now) }
        self.capture = nil
        for file in capture.files { card.add(file) }
        notify("recording_stopped", capture.files.map { $0.json(card) })
        lookAtMemory(at: now)
    }

    /// Loses what is recorded: the card is gone.
    mutating func loseRecording() {
        guard capture != nil else { return }
        capture = nil
        notify("recording_stopped", [])
    }

    private func conflict() throws(CameraRefusal) {
        if choices.conflictingRecordStatus != 200 { throw CameraRefusal(choices.conflictingRecordStatus) }
    }

    private func finishFile(_ capture: inout Capture, at now: Instant) {
        let media = max(ActionCamera.shortest, (now - capture.fileStart).seconds * capture.mode.mediaTimeRate)
        let frames = max(1, Int((media * Double(capture.mode.playbackRate)).rounded()))
        var file = Recording(
            id: capture.id, number: capture.number, session: capture.session, created: capture.fileCreated,
            mode: capture.mode, source: .prepared(frames: frames),
            length: Double(frames) / Double(capture.mode.playbackRate))
        // A highlight reaches at most to the end, which was not known when it was marked.
        file.tags = capture.tags.map { Tag(id: $0.id, $0.kind, at: min($0.offset, file.length), of: file.length) }
        file.nextTag = capture.nextTag
        capture.files.append(file)
    }

    // MARK: - Photos

    private mutating func takePhotos(_ count: Int, session: Int, at now: Instant) {
        var photos: [Photo] = []
        for _ in 0..<count where freeBytes(at: now) > 0 {
            let (number, id) = card.number()
            let photo = Photo(
                id: id, number: number, session: session, created: date(at: now), mode: capture?.mode ?? mode,
                size: Photo.size(mode.resolution), frame: number,
                position: surroundings.hasFix ? surroundings.position : nil)
            card.add(photo)
            photos.append(photo)
        }
        notify("photo_captured", photos.map { $0.json(card) })
        lookAtMemory(at: now)
    }

    // MARK: - Time

    /// Takes what is due: a photo of a series, a new file, a look at the memory.
    mutating func advanceCapture(to now: Instant) {
        while let capture, capture.deadline <= now {
            let due = capture.deadline
            if capture.mode.kind == .continuous {
                self.capture?.deadline = due + .seconds(max(1, capture.mode.interval))
                takePhotos(1, session: capture.session, at: due)
            } else {
                self.capture?.deadline = due + ActionCamera.look
                splitIfDue(at: due)
                lookAtMemory(at: due)
            }
        }
    }

    private mutating func splitIfDue(at now: Instant) {
        guard var capture, let seconds = choices.splitSeconds, now - capture.fileStart >= .seconds(seconds) else {
            return
        }
        finishFile(&capture, at: now)
        (capture.number, capture.id) = card.number()
        capture.fileStart = now
        capture.fileCreated = date(at: now)
        capture.tags = []
        capture.nextTag = 1
        self.capture = capture
    }

    // MARK: - Memory

    /// The octets of a second of recording, from the sizes of the prepared frames.
    func octetsPerSecond(_ mode: CameraMode) -> Int {
        guard let loop = card.library.video(mode.resolution) else { return 1 }
        let octets = Double(loop.octets.count) / Double(loop.frames.count) * Double(mode.playbackRate)
        return max(1, Int(octets * mode.mediaTimeRate))
    }

    /// The free octets; a recording takes some all the time.
    func freeBytes(at now: Instant) -> Int64 {
        guard let capture, capture.mode.kind.isVideo else { return card.free }
        let seconds = (now - capture.start).seconds
        return max(0, card.free - Int64(seconds * Double(octetsPerSecond(capture.mode))))
    }

    /// Reports low memory once, and stops recording when the card is full (Bandit §9).
    mutating func lookAtMemory(at now: Instant) {
        guard card.isPresent else { return }
        let free = freeBytes(at: now)
        if free >= choices.lowMemoryBytes {
            toldLowMemory = false
        } else if !toldLowMemory {
            toldLowMemory = true
            notify("memory_low", ["available_bytes": free])
        }
        if free == 0, capture != nil { try? stopRecording(at: now) }
    }

    // MARK: - Tags

    /// Marks the moment of the recording that runs.
    mutating func tag(_ name: String, at now: Instant) throws(CameraRefusal) {
        guard let capture, capture.mode.kind.isVideo else { return try conflict() }
        let offset = (now - capture.fileStart).seconds * capture.mode.mediaTimeRate
        let tag = Tag(id: "\(capture.nextTag)", .mark(name), at: offset, of: offset + Tag.extent)
        self.capture?.tags.append(tag)
        self.capture?.nextTag += 1
        let frames = Int(((offset + Tag.extent) * Double(capture.mode.playbackRate)).rounded(.up))
        let file = Recording(
            id: capture.id, number: capture.number, session: capture.session, created: capture.fileCreated,
            mode: capture.mode, source: .prepared(frames: max(1, frames)), length: offset + Tag.extent)
        notify("tag_created", tag.json(of: file))
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The memory card with its recordings and photos.
public struct Card: Equatable, Sendable {
    /// The directory of its files.
    let directory: String
    /// The frames that recordings are made of.
    let library: ClipLibrary
    /// The beginning of ids.
    let idPrefix: String
    /// The octets of the card.
    let capacity: Int64

    /// True if it is in the camera.
    public internal(set) var isPresent = true
    /// Octets that are taken by something else, to fill the card.
    var ballast: Int64 = 0
    private var storedRecordings: [Recording] = []
    private var storedPhotos: [Photo] = []
    private var used: Int64 = 0
    private(set) var nextNumber = 1
    private(set) var nextSession = 1

    init(directory: String, library: ClipLibrary, idPrefix: String, capacity: Int64) {
        self.directory = directory
        self.library = library
        self.idPrefix = idPrefix
        self.capacity = capacity
    }

    /// The recordings by their names; none without a card.
    public var recordings: [Recording] { isPresent ? storedRecordings : [] }
    /// The photos by their names; none without a card.
    public var photos: [Photo] { isPresent ? storedPhotos : [] }
    /// The free octets.
    var free: Int64 { isPresent ? max(0, capacity - used - ballast) : 0 }

    // MARK: - Changes

    /// A number for a new file, and its id (Bandit §15.14).
    mutating func number() -> (number: Int, id: String) {
        defer { nextNumber += 1 }
        return (nextNumber, "\(idPrefix)-100-000-\(CardNames.digits(nextNumber))")
    }

    mutating func session() -> Int {
        defer { nextSession += 1 }
        return nextSession
    }

    mutating func add(_ recording: Recording) {
        var recording = recording
        let size = recording.size(library)
        recording.knownSize = size
        storedRecordings.append(recording)
        used += Int64(size)
    }

    mutating func add(_ photo: Photo) {
        storedPhotos.append(photo)
        used += Int64(photo.size)
    }

    mutating func replace(_ recording: Recording) {
        guard let index = storedRecordings.firstIndex(where: { $0.id == recording.id }) else { return }
        storedRecordings[index] = recording
    }

    mutating func removeRecording(_ id: String) {
        guard let index = storedRecordings.firstIndex(where: { $0.id == id }) else { return }
        used -= Int64(storedRecordings.remove(at: index).size(library))
    }

    mutating func removePhoto(_ id: String) {
        guard let index = storedPhotos.firstIndex(where: { $0.id == id }) else { return }
        used -= Int64(storedPhotos.remove(at: index).size)
    }

    // MARK: - Questions

    func recording(_ id: String) throws(CameraRefusal) -> Recording {
        guard let recording = recordings.first(where: { $0.id == id }) else { throw .notFound }
        return recording
    }

    func photo(_ id: String) throws(CameraRefusal) -> Photo {
        guard let photo = photos.first(where: { $0.id == id }) else { throw .notFound }
        return photo
    }
}

// SPDX-License-Identifier: Apache-2.0

import Emulation
import JSON

extension ActionCamera {
    /// The card's lists and items.
    mutating func library(
        _ endpoint: CameraEndpoint, _ request: CameraRequest, _ query: CameraQuery
    ) throws(CameraRefusal) -> CameraResponse {
        switch endpoint {
        case .videos:
            let page = try ListPage(query, with: ["tags"])
            let withTags = try ActionCamera.wantsTags(query)
            return .json(try list(card.recordings, page) { $0.json(card, tags: withTags) })
        case .video(let id):
            let recording = try card.recording(id)
            guard request.method == "DELETE" else {
                return .json(recording.json(card, tags: try ActionCamera.wantsTags(query)))
            }
            guard preview?.recording.id != id else { throw CameraRefusal(choices.busyDeletionStatus) }
            card.removeRecording(id)
            return .empty
        case .tags(let id): return try tags(of: try card.recording(id), request)
        case .tag(let id, let tag): return try change(tag, of: try card.recording(id), request)
        case .images:
            let page = try ListPage(query, with: ["filter"])
            let wanted = try ActionCamera.filter(query)
            return .json(try list(card.photos.filter { wanted.contains($0.mode.kind) }, page) { $0.json(card) })
        case .image(let id):
            let photo = try card.photo(id)
            guard request.method == "DELETE" else { return .json(photo.json(card)) }
            card.removePhoto(id)
            return .empty
        case .imagePart(let id, let part):
            let photo = try card.photo(id)
            return part == .thumb
                ? .jpeg(photo.thumbnail(choices.thumbnail))
                : CameraResponse(200, type: "image/jpeg", photo.contents())
        case .sessions(let kind): return .json(try sessions(kind, try ListPage(query, with: [])))
        default: throw .notFound
        }
    }

    // MARK: - Lists

    private func list<Item>(
        _ items: [Item], _ page: ListPage, _ json: (Item) -> JSONObject
    ) throws(CameraRefusal) -> JSONObject {
        guard page.offset <= items.count else { throw CameraRefusal(choices.badOffsetStatus) }
        let ordered = page.isDescending ? items.reversed() : items
        return ["total": items.count, "items": ordered[page.offset...].prefix(page.count).map(json)]
    }

    /// The first file of each session, with the number of its files; offset and count refer to sessions.
    private func sessions(_ kind: String, _ page: ListPage) throws(CameraRefusal) -> JSONObject {
        kind == "videos"
            ? try sessions(card.recordings, page, \.session) { $0.json(card, files: $1) }
            : try sessions(card.photos, page, \.session) { $0.json(card, files: $1) }
    }

    /// - Parameter json: the first item of a session, with the number of its files.
    private func sessions<Item>(
        _ items: [Item], _ page: ListPage, _ session: KeyPath<Item, Int>, _ json: (Item, Int) -> JSONObject
    ) throws(CameraRefusal) -> JSONObject {
        var seen: Set<Int> = []
        let firsts = items.filter { seen.insert($0[keyPath: session]).inserted }
        return try list(firsts, page) { first in
            json(first, items.count { $0[keyPath: session] == first[keyPath: session] })
        }
    }

    /// `tags=1`; the iOS library sends `Yes` and `No` (Bandit §2.3).
    private static func wantsTags(_ query: CameraQuery) throws(CameraRefusal) -> Bool {
        switch query["tags"] {
        case nil, "0", "No": return false
        case "1", "Yes": return true
        default: throw .wrongParameter
        }
    }

    private static func filter(_ query: CameraQuery) throws(CameraRefusal) -> [CameraMode.Kind] {
        let photos: [CameraMode.Kind] = [.single, .burst, .continuous]
        guard let text = query["filter"] else { return photos }
        var wanted: [CameraMode.Kind] = []
        for name in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let kind = CameraMode.Kind(rawValue: String(name)), photos.contains(kind) else {
                throw .wrongParameter
            }
            wanted.append(kind)
        }
        return wanted
    }

    // MARK: - Tags

    private static let maximumTags = 256

    private mutating func tags(
        of recording: Recording, _ request: CameraRequest
    ) throws(CameraRefusal) -> CameraResponse {
        var recording = recording
        switch request.method {
        case "DELETE":
            recording.tags = []
            card.replace(recording)
            return .empty
        case "POST":
            let added = try newTags(request, &recording)
            card.replace(recording)
            return .json(added.map { $0.json(of: recording) })
        default: return .json(recording.tags.map { $0.json(of: recording) })
        }
    }

    /// Adds tags, all or none; in the answer they have the order of the request (Bandit §2.1, 24).
    private func newTags(
        _ request: CameraRequest, _ recording: inout Recording
    ) throws(CameraRefusal) -> [Tag] {
        guard request.bodyCount == request.body.count, let node = try? JSONParser.parse(request.body),
            case .array(let elements) = node.content,
            recording.tags.count + elements.count <= ActionCamera.maximumTags
        else { throw .wrongParameter }
        var added: [Tag] = []
        for element in elements {
            guard let fields = JSONFields(element),
                let tag = Tag(fields, id: "\(recording.nextTag)", of: recording.length)
            else { throw .wrongParameter }
            recording.nextTag += 1
            added.append(tag)
        }
        recording.tags = (recording.tags + added).sorted { $0.offset < $1.offset }
        return added
    }

    private mutating func change(
        _ id: String, of recording: Recording, _ request: CameraRequest
    ) throws(CameraRefusal) -> CameraResponse {
        var recording = recording
        guard let index = recording.tags.firstIndex(where: { $0.id == id }) else { throw .notFound }
        switch request.method {
        case "DELETE":
            recording.tags.remove(at: index)
            card.replace(recording)
            return .empty
        case "PUT":
            // The iOS library sends no body (Bandit §2.1, 27), which wants the tag as it is.
            if request.bodyCount > 0 {
                guard let tag = Tag(try request.fields(), id: id, of: recording.length) else { throw .wrongParameter }
                recording.tags[index] = tag
                recording.tags.sort { $0.offset < $1.offset }
                card.replace(recording)
            }
            guard let tag = recording.tags.first(where: { $0.id == id }) else { throw .notFound }
            return .json(tag.json(of: recording))
        default: return .json(recording.tags[index].json(of: recording))
        }
    }
}

/// A page of a list (Bandit §2.2).
struct ListPage {
    let isDescending: Bool
    let offset: Int
    let count: Int

    init(_ query: CameraQuery, with others: [String]) throws(CameraRefusal) {
        guard query.has(only: ["sort", "order", "offset", "count"] + others),
            query["sort"] == nil || query["sort"] == "filename",
            query["order"] == nil || query["order"] == "asc" || query["order"] == "desc"
        else { throw .wrongParameter }
        isDescending = query["order"] == "desc"
        offset = try query.count("offset") ?? 0
        count = try query.count("count") ?? 1
    }
}

// SPDX-License-Identifier: Apache-2.0

import Emulation

extension ActionCamera {
    /// True if a refused request would have been right for an earlier state of the card: it names an item that has
    /// existed, or a place in a list that was once longer.
    public func wasRight(_ request: CameraRequest) -> Bool {
        guard let endpoint = request.endpoint, endpoint.methods.contains(request.method) else { return false }
        switch endpoint {
        case .video(let id), .videoPart(let id, _), .tags(let id):
            return card.hasIssued(id) && !card.recordings.contains { $0.id == id }
        case .image(let id), .imagePart(let id, _):
            return card.hasIssued(id) && !card.photos.contains { $0.id == id }
        case .tag(let id, let tag), .tagPart(let id, let tag, _):
            guard let recording = card.recordings.first(where: { $0.id == id }) else { return card.hasIssued(id) }
            return !recording.tags.contains { $0.id == tag }
                && Int(tag).map { (1..<recording.nextTag).contains($0) } == true
        case .videos, .images, .sessions:
            guard let page = request.query.flatMap({ try? ListPage($0, with: ["tags", "filter"]) }) else {
                return false
            }
            let isOfPhotos = endpoint == .images || endpoint == .sessions("images")
            return page.offset > (isOfPhotos ? card.photos.count : card.recordings.count)
                && page.offset < card.nextNumber
        case .preview:
            guard let id = (try? request.fields())?.text("id") else { return false }
            return card.hasIssued(id) && !card.recordings.contains { $0.id == id }
        default: return false
        }
    }
}

extension Card {
    /// True if an item has had this id.
    func hasIssued(_ id: String) -> Bool {
        let prefix = "\(idPrefix)-100-000-"
        guard id.hasPrefix(prefix), let number = Int(id.dropFirst(prefix.count)) else { return false }
        return (1..<nextNumber).contains(number) && id == prefix + CardNames.digits(number)
    }
}

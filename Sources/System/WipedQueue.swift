// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Octets on their way through a socket, some of which may be secret: consumed octets are overwritten, and so is the
/// storage that a longer content has outgrown. An empty queue keeps one piece for the next octets, zeros, unless it is
/// longer than `keptCount`.
struct WipedQueue: ~Copyable {
    /// The room for one read of a socket.
    static let keptCount = 4096

    private var storage = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var place = 0..<0

    deinit { WipedQueue.release(storage) }

    /// The number of octets.
    var count: Int { place.count }

    /// The octets for which there is storage.
    var capacity: Int { storage.count }

    /// The octets, valid until the next change.
    var octets: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: storage[place]) }

    /// Appends octets.
    mutating func append(_ octets: UnsafeRawBufferPointer) {
        reserve(octets.count)
        UnsafeMutableRawBufferPointer(rebasing: storage[place.upperBound...]).copyMemory(from: octets)
        place = place.lowerBound..<place.upperBound + octets.count
    }

    /// Lends `room` free octets to `body`, which returns the number of those that it has written at their start; a
    /// negative number for none. Returns that number.
    mutating func write(room: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int64) -> Int64 {
        reserve(room)
        let free = UnsafeMutableRawBufferPointer(rebasing: storage[place.upperBound..<place.upperBound + room])
        let written = body(free)
        place = place.lowerBound..<place.upperBound + min(max(Int(written), 0), room)
        emptyStorage()
        return written
    }

    /// Removes and overwrites the first octets.
    mutating func removeFirst(_ count: Int) {
        let end = place.lowerBound + min(count, place.count)
        WipedQueue.wipe(UnsafeMutableRawBufferPointer(rebasing: storage[place.lowerBound..<end]))
        place = end..<place.upperBound
        emptyStorage()
    }

    private mutating func emptyStorage() {
        guard place.isEmpty else { return }
        place = 0..<0
        // A writer may have used more of its room than it has kept.
        guard storage.count > WipedQueue.keptCount else { return WipedQueue.wipe(storage) }
        WipedQueue.release(storage)
        storage = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    }

    /// Makes room behind the content. Doubles at least what is there, so that long content is rarely moved.
    private mutating func reserve(_ room: Int) {
        guard storage.count - place.upperBound < room else { return }
        let wider = UnsafeMutableRawBufferPointer.allocate(
            byteCount: place.count + max(room, place.count), alignment: 1)
        wider.copyMemory(from: octets)
        WipedQueue.release(storage)
        (storage, place) = (wider, 0..<place.count)
    }

    private static func release(_ storage: UnsafeMutableRawBufferPointer) {
        wipe(storage)
        storage.deallocate()
    }

    /// Overwrites octets with zeros, even if they are not read again.
    static func wipe(_ octets: UnsafeMutableRawBufferPointer) {
        if let start = octets.baseAddress { explicit_bzero(start, octets.count) }
    }
}

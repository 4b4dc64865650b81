// SPDX-License-Identifier: Apache-2.0

/// The queue of notices that have not been taken, oldest first.
struct DeviceNotices {
    /// The capacity of the queue. The oldest notices beyond it are dropped: they serve observation only.
    static let waiting = 4096

    private var notices: [DeviceNotice] = []
    private var head = 0

    mutating func report(_ notice: DeviceNotice) {
        if notices.count - head >= DeviceNotices.waiting {
            head += 1
            if head > DeviceNotices.waiting {
                notices.removeFirst(head)
                head = 0
            }
        }
        notices.append(notice)
    }

    mutating func next() -> DeviceNotice? {
        guard head < notices.count else { return nil }
        defer {
            head += 1
            if head == notices.count {
                notices.removeAll(keepingCapacity: true)
                head = 0
            }
        }
        return notices[head]
    }
}

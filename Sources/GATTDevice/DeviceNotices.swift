/// What happened to the devices and was not told yet, oldest first.
struct DeviceNotices {
    /// Notices that nobody takes are dropped beyond this, oldest first: they are for watching only.
    static let waiting = 4096

    private var notices: [DeviceNotice] = []
    private var head = 0

    mutating func tell(_ notice: DeviceNotice) {
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

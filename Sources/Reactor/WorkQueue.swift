/// Something to be run on the loop.
enum Work: Sendable {
    case job(UnownedJob)
    case action(@Sendable () -> Void)
}

/// Work in the order in which it came. Reuses its memory.
struct WorkQueue {
    private var items: [Work?] = []
    private var head = 0

    var isEmpty: Bool { head == items.count }

    mutating func append(_ work: Work) { items.append(work) }

    mutating func popFirst() -> Work? {
        guard head < items.count else { return nil }
        let work = items[head]
        items[head] = nil
        head += 1
        // A queue that never runs empty must not grow: what was taken out goes when it is half of it.
        if head == items.count {
            items.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= 1024, head * 2 >= items.count {
            items.removeFirst(head)
            head = 0
        }
        return work
    }
}

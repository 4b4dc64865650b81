/// The reason why the log could not be written. The numbers are part of events.
public enum DiskFault: Int32, CaseIterable, Error, Sendable {
    /// Any other reason.
    case other = 1
    /// No room on the disk (ENOSPC, EDQUOT, EFBIG).
    case full = 2
    /// The disk or its driver failed (EIO).
    case inputOutput = 3
    /// The file system is mounted read-only, or the file is not writable.
    case readOnly = 4
    /// The contents of the file are damaged.
    case damaged = 5
    /// The file cannot be opened or created.
    case cannotOpen = 6
    /// Another program holds the log.
    case inUse = 7
    /// The disk has not answered in its time.
    case stalled = 8
    /// A later version wrote the log in another format.
    case laterVersion = 9

    /// The fault and its remedy, for an operator.
    public var summary: String {
        switch self {
        case .other: "the log could not be written"
        case .full: "there is no room left on the disk: make some"
        case .inputOutput: "the disk fails: look at the kernel's log, replace it"
        case .readOnly: "the log may not be written: is the file system mounted read-only?"
        case .damaged: "the log's file is damaged; it is put aside and a new one is begun"
        case .cannotOpen: "the log cannot be opened or made: look at the state directory's permissions"
        case .inUse: "another program writes this log: does a second readerd use the state directory?"
        case .stalled: "the disk does not answer in time"
        case .laterVersion: "a later version wrote the log: install that one, or put the log elsewhere"
        }
    }
}

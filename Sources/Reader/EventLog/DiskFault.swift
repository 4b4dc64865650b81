// SPDX-License-Identifier: Apache-2.0

/// The reason why a file, such as the event log, could not be read or written. The numbers are part of events.
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
    /// Another program holds the file.
    case inUse = 7
    /// The disk has not answered in its time.
    case stalled = 8
    /// A later version wrote the file in another format.
    case laterVersion = 9
}

extension DiskFault: CustomStringConvertible {
    /// The fault of the file and its remedy, for an operator. What the file is precedes it.
    public var description: String {
        switch self {
        case .other: "cannot be read or written"
        case .full: "disk full: free space"
        case .inputOutput: "disk I/O error: check the kernel log, replace the disk"
        case .readOnly: "read-only: check the file system's mount"
        case .damaged: "damaged"
        case .cannotOpen: "cannot be opened or created: check the permissions of the directory"
        case .inUse: "another program writes it: end that one"
        case .stalled: "the disk does not respond in time"
        case .laterVersion: "a later version wrote it: install that version, or move the file"
        }
    }
}

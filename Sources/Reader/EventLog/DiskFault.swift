// SPDX-License-Identifier: Apache-2.0

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
        case .full: "disk full: free space"
        case .inputOutput: "disk I/O error: check the kernel log, replace the disk"
        case .readOnly: "the log is read-only: check the file system's mount"
        case .damaged: "the log is damaged; it is renamed and a new one created"
        case .cannotOpen: "the log cannot be opened or created: check the permissions of the state directory"
        case .inUse: "another program writes this log: look for a second readerd"
        case .stalled: "the disk does not respond in time"
        case .laterVersion: "the log was written by a later version: install that version, or move the log"
        }
    }
}

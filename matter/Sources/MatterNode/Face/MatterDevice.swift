// SPDX-License-Identifier: Apache-2.0

public import MatterTLV

/// The device on endpoint 1 of a node.
public enum MatterDevice: Equatable, Sendable {
    /// A door lock (device type 0x000A).
    case lock(LockTraits)
    /// A light that can be on or off (0x0100).
    case light
    /// A socket outlet that can be on or off (0x010A).
    case plug
    /// A door or window contact (0x0015).
    case contact

    /// The device type and its revision in release 1.4.
    public var type: (id: DeviceTypeID, revision: UInt16) {
        switch self {
        case .lock: (0x000A, 3)
        case .light: (0x0100, 3)
        case .plug: (0x010A, 3)
        case .contact: (0x0015, 2)
        }
    }
}

/// The optional properties of a door lock.
public struct LockTraits: Equatable, Sendable {
    /// True for a bolt and a latch: `unbolt` withdraws only the bolt, and `unlock` also the latch (feature UBOLT).
    public var hasLatch = false
    /// True for a door contact (feature DPS).
    public var hasDoorContact = false
    /// The time that the latch stays withdrawn (feature UBOLT).
    public var latchTime: Duration = .seconds(3)
    /// The time in seconds after which an unlocked door locks again, until an administrator sets another; 0 for never.
    public var relockSeconds: UInt32 = 0
    /// The lock's construction (LockTypeEnum); 2 is any unlisted one.
    public var lockType: UInt8 = 2
    /// True for a lock with an Aliro reader that Matter provisions (features USR and ALIRO).
    public var hasAliro = false
    /// True for a lock whose orders need a user's PIN, unless an administrator says otherwise (features USR, PIN and
    /// COTA).
    public var hasPINs = false
    /// True for a reader's door: the program decides each order of Matter, and reports all movements and states. Orders
    /// are then passed as `MatterEffect.order`; the time of relocking is read-only, and UnlockWithTimeout is not
    /// supported.
    public var asksProgram = false

    /// A lock without options.
    public init() {}

    /// True for a lock with users and credentials (feature USR).
    var hasUsers: Bool { hasAliro || hasPINs }
}

/// An operation of a lock.
public enum LockAction: UInt8, Equatable, Sendable {
    /// Bolt out.
    case lock = 0
    /// Bolt in, and the latch, if any.
    case unlock = 1
    /// Bolt in, and the latch stays.
    case unbolt = 0x27
}

/// An order of a Matter node to a lock whose program decides (`LockTraits.asksProgram`).
public struct LockOrder: Equatable, Sendable {
    /// The time for the program's answer, after which the order is refused.
    public static let answerTime = Duration.seconds(5)

    /// The number of the order, for the answer.
    public let id: UInt32
    /// The ordered movement.
    public let action: LockAction
    /// The fabric of the node.
    public let fabric: FabricIndex?
    /// The node that orders it.
    public let node: NodeID?
    /// The user whose PIN came with it; nil for none.
    public var user: UInt16?
}

/// A change of PINs, to be recorded by the program of a lock that decides (`LockTraits.asksProgram`).
public struct PINRequest: Equatable, Sendable {
    /// The number of the request, for the answer, which differs from the numbers of orders.
    public let id: UInt32
    /// The changes in order, at least one.
    public let changes: [PINChange]
    /// The administrator that ordered it.
    public let author: MatterAuthor?
}

/// A PIN that comes into force, or ends.
public struct PINChange: Equatable, Sendable {
    /// The kind of a change.
    public enum Kind: Equatable, Sendable {
        /// It authorizes orders from now on.
        case added
        /// It authorizes none any more.
        case removed
    }

    /// The kind.
    public let kind: Kind
    /// The index among the PINs.
    public let index: UInt16
    /// The user that it belongs to.
    public let user: UInt16
}

/// A request of an administrator to open a commissioning window with a code of its choice, if the program decides
/// (`MatterConfiguration.asksForWindows`).
public struct WindowRequest: Equatable, Sendable {
    /// The number of the request, for the answer, which differs from the numbers of orders.
    public let id: UInt32
    /// The requested time in seconds.
    public let seconds: UInt16
    /// The administrator.
    public let author: MatterAuthor
}

/// The state of a lock (LockStateEnum).
public enum LockState: UInt8, Equatable, Sendable {
    /// Between the end positions.
    case notFullyLocked = 0
    /// Bolt out.
    case locked = 1
    /// Bolt in.
    case unlocked = 2
    /// Bolt and latch in.
    case unlatched = 3
}

/// The source of a lock operation (OperationSourceEnum).
public enum LockSource: UInt8, Equatable, Sendable {
    /// Unknown.
    case unspecified = 0
    /// By hand: knob or key.
    case manual = 1
    /// A manufacturer's remote control: a token over Bluetooth.
    case proprietaryRemote = 2
    /// A keypad.
    case keypad = 3
    /// The lock itself: relocking.
    case auto = 4
    /// A button.
    case button = 5
    /// A schedule.
    case schedule = 6
    /// A Matter node.
    case remote = 7
    /// A card.
    case rfid = 8
    /// A finger or a face.
    case biometric = 9
    /// An Aliro credential.
    case aliro = 10
}

/// The position of a door (DoorStateEnum).
public enum DoorState: UInt8, Equatable, Sendable {
    /// Open.
    case open = 0
    /// Closed.
    case closed = 1
    /// Cannot move.
    case jammed = 2
    /// Opened by force.
    case forcedOpen = 3
    /// The sensor fails.
    case unspecifiedError = 4
    /// Open longer than permitted.
    case ajar = 5
}

/// An alarm of a lock (AlarmCodeEnum).
public enum LockAlarm: UInt8, Equatable, Sendable {
    /// The bolt is jammed.
    case jammed = 0
    /// The lock was reset.
    case factoryReset = 1
    /// The power of the radio was cycled.
    case radioPowerCycled = 3
    /// Too many wrong codes.
    case wrongCodeLimit = 4
    /// The cover was removed.
    case coverRemoved = 5
    /// The door was opened by force.
    case doorForcedOpen = 6
    /// The door is open too long.
    case doorAjar = 7
    /// A user acts under duress.
    case forcedUser = 8
}

/// The reason why a lock was not moved (OperationErrorEnum).
public enum LockOperationError: UInt8, Equatable, Sendable {
    /// Unknown.
    case unspecified = 0
    /// A wrong or unknown credential.
    case invalidCredential = 1
    /// The user is disabled.
    case disabledUser = 2
    /// A restriction of this time or state.
    case restricted = 3
    /// The battery is too weak.
    case insufficientBattery = 4
}

/// A supported operating mode of a lock (OperatingModeEnum).
public enum LockMode: UInt8, Equatable, Sendable {
    /// Without restrictions.
    case normal = 0
    /// Orders of Matter are refused.
    case noRemote = 3
}

/// The demand of safety inputs on a lock.
public enum LockHold: Equatable, Sendable {
    /// None: Matter operates the lock.
    case none
    /// Fire or an exit holds the door open: it is not locked, and does not relock.
    case open
    /// A lockdown holds the door locked: it is not unlocked.
    case locked
}

// SPDX-License-Identifier: Apache-2.0

public import JSON
import Octets
public import WiFi

/// A message of the reader to the process of its lock.
public enum LockReport: Equatable, Sendable {
    /// The reader; the first message.
    case reader(LockReader)
    /// The door as it is, without an operation.
    case door(LockDoor)
    /// The lock was released or secured.
    case moved(LockPosition, by: LockOrigin)
    /// A phone with this Aliro key released or secured the lock.
    case movedByAliro(LockPosition, LockAliroPlace)
    /// An alarm of the reader has begun.
    case alarm(LockAlarmKind)
    /// The answer to an order, to a request for a window, or to changes of PINs.
    case answered(order: UInt32, isDone: Bool)
    /// The answer to a change of Aliro.
    case aliro(request: UInt32, AliroAnswer)
    /// A document has granted a phone access.
    case granted(LockAliroGrant)
    /// Open the commissioning window for this time, 1 to 3600 s; 0 closes it.
    case window(seconds: Int)
    /// A change of a Bluetooth link to the commissioning service.
    case link(UInt16, LockLinkEvent)
    /// An event of the Wi-Fi station.
    case wifi(LockWiFiEvent)
}

/// The properties of the reader.
public struct LockReader: Equatable, Sendable {
    /// The version of the messages.
    public var version = LockChannelLimits.version
    /// The firmware's version.
    public var firmware: String
    /// The reader's identifier.
    public var serial: String
    /// True if the door has a contact.
    public var hasContact: Bool
    /// The time of a pulse in seconds, after which the door locks again.
    public var pulseSeconds: Int
    /// The address of the Wi-Fi station that the reader provisions; nil without one.
    public var wifi: WiFiAddress?
    /// The reader's Aliro, if Matter provisions it.
    public var aliro: LockAliroState?
    /// True if orders come with PINs.
    public var hasPINs: Bool

    /// A reader with these properties.
    public init(
        firmware: String, serial: String, hasContact: Bool, pulseSeconds: Int, wifi: WiFiAddress? = nil,
        aliro: LockAliroState? = nil, hasPINs: Bool = false
    ) {
        self.firmware = firmware
        self.serial = serial
        self.hasContact = hasContact
        self.pulseSeconds = pulseSeconds
        self.wifi = wifi
        self.aliro = aliro
        self.hasPINs = hasPINs
    }
}

/// A position of the lock.
public enum LockPosition: String, CaseIterable, Equatable, Sendable {
    /// The lock is secured.
    case locked
    /// The lock is released.
    case unlocked
}

/// A state of the door by its contact.
public enum DoorPosition: String, CaseIterable, Equatable, Sendable {
    /// Closed.
    case closed
    /// Open, and permitted to be.
    case open
    /// Opened without permission.
    case forced
    /// Open for too long.
    case ajar
}

/// The demand of safety inputs and of the operator on the lock.
public enum DoorHold: String, CaseIterable, Equatable, Sendable {
    /// None.
    case none
    /// Fire, an exit or a panel holds the door open.
    case open
    /// A lockdown, a tamper block or the start of the reader holds it locked.
    case locked
}

/// The states of the door.
public struct LockDoor: Equatable, Sendable {
    /// The position of the lock.
    public var lock: LockPosition
    /// The position of the door; nil without a contact.
    public var position: DoorPosition?
    /// The demand on the lock.
    public var hold: DoorHold

    /// A door in these states.
    public init(lock: LockPosition, position: DoorPosition?, hold: DoorHold) {
        self.lock = lock
        self.position = position
        self.hold = hold
    }
}

/// The origin of a movement of the lock that the process did not order.
public enum LockOrigin: String, CaseIterable, Equatable, Sendable {
    /// A phone over Bluetooth LE.
    case bluetooth = "ble"
    /// A phone over NFC.
    case nfc
    /// The control socket.
    case control
    /// A request to exit.
    case exit
    /// The office hours.
    case schedule
    /// The access panel.
    case panel
    /// Fire.
    case fire
    /// The reader itself, at the end of a release.
    case auto
}

/// An alarm of the reader.
public enum LockAlarmKind: String, CaseIterable, Equatable, Sendable {
    /// The housing was opened.
    case tamper
    /// Too many attempts were refused.
    case lockout
}

extension LockReport {
    /// The line, without its line feed.
    public var line: String {
        let object: JSONObject =
            switch self {
            case .reader(let reader): ["reader": reader.object]
            case .door(let door): ["door": door.object]
            case .moved(let position, let origin): ["moved": position.rawValue, "by": origin.rawValue]
            case .movedByAliro(let position, let key): ["moved": position.rawValue, "key": key.object]
            case .alarm(let kind): ["alarm": kind.rawValue]
            case .answered(let order, let isDone): ["answered": order, "done": isDone]
            case .aliro(let request, let answer): ["aliro": request, "is": answer.rawValue]
            case .granted(let grant): grant.object
            case .window(let seconds): ["window": seconds]
            case .link(let link, .wrote(let value, let mtu)):
                ["link": link, "wrote": Hexadecimal.text(value), "mtu": mtu]
            case .link(let link, let event): ["link": link, "event": event.word]
            case .wifi(let event): ["wifi": event.object]
            }
        return object.text
    }

    /// Parses a line without its line feed.
    public init(line: [UInt8]) throws(JSONPlaceFault) {
        let root = try JSONPlace(file: line)
        if root.has("reader") {
            self = .reader(try LockReader(root.members(["reader"]).required("reader")))
        } else if root.has("door") {
            self = .door(try LockDoor(root.members(["door"]).required("door")))
        } else if root.has("key") {
            let members = try root.members(["moved", "key"])
            self = .movedByAliro(
                try members.required("moved").value(),
                try LockAliroPlace(members.required("key").members(["kind", "index"])))
        } else if root.has("moved") {
            let members = try root.members(["moved", "by"])
            self = .moved(try members.required("moved").value(), by: try members.required("by").value())
        } else if root.has("alarm") {
            self = .alarm(try root.members(["alarm"]).required("alarm").value())
        } else if root.has("answered") {
            let members = try root.members(["answered", "done"])
            self = .answered(
                order: try members.required("answered").unsigned(), isDone: try members.required("done").boolean())
        } else if root.has("aliro") {
            let members = try root.members(["aliro", "is"])
            self = .aliro(
                request: try members.required("aliro").unsigned(), try members.required("is").value())
        } else if root.has("granted") {
            self = .granted(try LockAliroGrant(root))
        } else if root.has("link") {
            let members = try root.members(["link", "event", "wrote", "mtu"])
            self = .link(UInt16(try members.required("link").number(0...0xFFFF)), try LockLinkEvent(members))
        } else if root.has("wifi") {
            self = .wifi(try LockWiFiEvent(root.members(["wifi"]).required("wifi")))
        } else {
            self = .window(seconds: try root.members(["window"]).required("window").number(0...3600))
        }
    }
}

extension LockReader {
    fileprivate var object: JSONObject {
        [
            "version": version, "firmware": firmware, "serial": serial, "contact": hasContact,
            "pulse-s": pulseSeconds, "wifi": (wifi?.description).orNull, "aliro": (aliro?.object).orNull,
            "pins": hasPINs,
        ]
    }

    fileprivate init(_ place: JSONPlace) throws(JSONPlaceFault) {
        let members = try place.members([
            "version", "firmware", "serial", "contact", "pulse-s", "wifi", "aliro", "pins",
        ])
        self.init(
            firmware: try members.required("firmware").shortText(), serial: try members.required("serial").shortText(),
            hasContact: try members.required("contact").boolean(),
            pulseSeconds: try members.required("pulse-s").number(0...3600),
            wifi: try members.required("wifi").optional { place throws(JSONPlaceFault) in try place.wifiAddress() },
            aliro: try members.required("aliro").optional { place throws(JSONPlaceFault) in try LockAliroState(place) },
            hasPINs: try members.required("pins").boolean())
        version = try members.required("version").number(0...Int(UInt16.max))
    }
}

extension LockDoor {
    fileprivate var object: JSONObject {
        ["lock": lock.rawValue, "position": (position?.rawValue).orNull, "hold": hold.rawValue]
    }

    fileprivate init(_ place: JSONPlace) throws(JSONPlaceFault) {
        let members = try place.members(["lock", "position", "hold"])
        self.init(
            lock: try members.required("lock").value(),
            position: try members.required("position").optional { place throws(JSONPlaceFault) in try place.value() },
            hold: try members.required("hold").value())
    }
}

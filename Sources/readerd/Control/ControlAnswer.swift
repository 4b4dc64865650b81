import JSON

/// An answer to a client of the control socket, a line of JSON with one object.
enum ControlAnswer: Equatable {
    /// The reason of a refusal. The names are for programs, and stable.
    enum Refusal: String, CaseIterable {
        /// The line is no request.
        case badRequest = "bad-request"
        /// A line is longer than it may be; the connection is closed.
        case tooLong = "too-long"
        /// As many clients as there may be are connected; the connection is closed.
        case tooManyClients = "too-many-clients"
        /// As many clients as may be are sent events.
        case tooManySubscribers = "too-many-subscribers"
        /// Nothing was asked for too long, or the place was needed; the connection is closed.
        case idle
        /// Too many requests with an id within a time; again later.
        case busy
        /// The id has been used for another request.
        case idReused = "id-reused"
        /// The door is not in use: it is ending.
        case inactive
        /// There is a lockdown.
        case lockdown
        /// The housing was opened, and that has not been reset.
        case tampered
        /// Too many attempts were refused; again later.
        case lockedOut = "locked-out"
        /// The event could not be recorded, and the policy is to let nobody in then.
        case notRecorded = "not-recorded"
        /// The event log is full, and the policy is to let nobody in then.
        case logFull = "log-full"
        /// There is nothing to reset, or it is still open.
        case nothingToReset = "nothing-to-reset"
        /// The time cannot be the present one, or the system's clock is synchronised and holds.
        case timeRefused = "time-refused"
        /// The configuration names no Wi-Fi.
        case noProvisioning = "no-provisioning"
        /// There is no window to close.
        case windowClosed = "window-closed"

        /// In a line for a person: what is the matter, and what to do.
        var text: String {
            switch self {
            case .badRequest: "not a request"
            case .tooLong: "the line is longer than \(ControlLimits.requestCount) octets"
            case .tooManyClients: "\(ControlLimits.clients) clients are connected already; close one"
            case .tooManySubscribers:
                "\(ControlLimits.subscribers) clients are sent events already; close one"
            case .idle: "nothing was asked for a while, and the place was needed or the time was over; connect again"
            case .busy: "too many requests with an id in a short time; try again in a minute"
            case .idReused: "this id was used for another request; take a new one"
            case .inactive: "the door is not in use: the reader is ending"
            case .lockdown: "there is a lockdown; end it with: readerd lockdown off"
            case .tampered: "the housing was opened; close it and do: readerd tamper-reset"
            case .lockedOut: "too many attempts were refused; try again later"
            case .notRecorded: "the event could not be recorded, and events.when-failing is \"refuse\"; see the log"
            case .logFull: "the event log is full, and events.when-full is \"refuse\"; clear it"
            case .nothingToReset: "no tamper blocks the door, or the housing is still open"
            case .noProvisioning: "there is no Wi-Fi to provision; name one: provisioning.wifi in the configuration"
            case .windowClosed: "the window is closed already"
            case .timeRefused:
                "the system's clock is synchronised and holds, or the time is before this firmware was built"
            }
        }
    }

    /// It was done; what is told with it.
    case done(JSONObject)
    /// It was not done; the text says more where the refusal alone does not.
    case refused(Refusal, String?)

    /// It was done, and there is nothing to tell.
    static var done: ControlAnswer { .done(JSONObject()) }

    static func refused(_ refusal: Refusal) -> ControlAnswer { .refused(refusal, nil) }

    /// The line, without its line feed; the id is the request's.
    func line(id: String?) -> String {
        var object = JSONObject()
        switch self {
        case .done(let rest):
            object.add("ok", true)
            if let id { object.add("id", id) }
            object.add(contentsOf: rest)
        case .refused(let refusal, let text):
            object.add("ok", false)
            if let id { object.add("id", id) }
            object.add("refused", refusal.rawValue)
            object.add("why", text ?? refusal.text)
        }
        return object.text
    }

    /// A line of a subscription; the event is JSON already.
    static func eventLine(_ event: String) -> String {
        var object = JSONObject()
        object.add("event", json: event)
        return object.text
    }
}

/// The limits of the control socket.
enum ControlLimits {
    /// The most octets of a request's line: the longest request has 124.
    static let requestCount = 1024
    /// The number of clients: a monitor, a collector of metrics, a few people.
    static let clients = 8
    /// The number of subscribers, which stay as long as they like: two places are left for requests.
    static let subscribers = 6
    /// The time without a request for a client that is not subscribed: beyond a monitor's usual interval.
    static let idle = Duration.seconds(120)
    /// The time without reading: longer than a machine is ever busy with something else.
    static let stall = Duration.seconds(30)
    /// How many octets may wait for a client that does not read: the metrics a few times over. One that has more to
    /// read is dropped.
    static let waitingCount = 256 * 1024
}

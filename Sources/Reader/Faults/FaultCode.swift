// SPDX-License-Identifier: Apache-2.0

/// A fault of a running reader. The names are stable, for programs. The summaries are the tables of
/// docs/operate/faults.md, which `script/tables` writes; "Lost:" and "Remedy:" begin their further columns.
public enum FaultCode: String, CaseIterable, Hashable, Sendable {
    // MARK: The controller

    /// No controller at the end of the transport, or no answer of the name service for 5 s. Remedy: plug it in, correct
    /// `hci`, or start the program that the line names.
    case controllerAbsent = "controller-absent"
    /// The radio is switched off (rfkill). Remedy: `rfkill unblock bluetooth`, or the device's switch.
    case controllerBlocked = "controller-blocked"
    /// This process may not use the controller. Remedy: give it the right; for an adapter CAP_NET_ADMIN.
    case controllerNotPermitted = "controller-not-permitted"
    /// Another program uses the controller. Remedy: end it, usually `bluetooth.service`.
    case controllerTaken = "controller-taken"
    /// The connection to the controller broke, and links ended. Remedy: usually nothing: it comes back, or the next
    /// attempt says more.
    case controllerLost = "controller-lost"
    /// The controller does not work as required, and is reset. Remedy: if it lasts, another controller, or its
    /// firmware.
    case controllerFailed = "controller-failed"
    /// The controller cannot read RSSI: links are refused with `rssi-unavailable`, or with `too-far` after three in a
    /// row without a usable reading. Lost: modes of `proximity.gate`. Remedy: another controller; the first usable
    /// reading ends it.
    case controllerWithoutRSSI = "controller-without-rssi"
    /// The controller cannot read the transmit power of phones: links are refused with `power-unavailable`. Lost: modes
    /// with `max-path-loss-db`. Remedy: another controller, or remove the limit.
    case controllerWithoutPower = "controller-without-power"
    /// The controller refuses to advertise; tried again with pauses of up to 8 s. Lost: phones over Bluetooth LE find
    /// no reader. Remedy: see the command and the status in the line; if it lasts, another controller, or its firmware.
    case advertisingRefused = "advertising-refused"
    /// Some modes are not advertised: no controller can as configured, or this one refuses. Lost: the modes in the
    /// line. Remedy: correct `advertising.interval-ms` or the identifiers, or see the command and the status in the
    /// line.
    case modesUnserved = "modes-unserved"

    // MARK: The door's lines

    /// The output to the lock cannot be set; at the start it ends `readerd run`. Lost: the lock stays as it is, also
    /// after a grant: use the key.
    case lockLine = "line-lock"
    /// The green light cannot be set.
    case grantedIndicatorLine = "line-led-granted"
    /// The red light cannot be set.
    case deniedIndicatorLine = "line-led-denied"
    /// The buzzer cannot be set.
    case buzzerLine = "line-buzzer"
    /// The door contact cannot be read. Lost: alarms of the door, relock by the contact.
    case contactLine = "line-contact"
    /// The exit button cannot be read. Lost: the button: **people get out by the hardware**.
    case exitLine = "line-rex"
    /// The input for fire cannot be read. Lost: the release by fire, for which the contact in the lock's own circuit
    /// remains; a present release stays.
    case fireLine = "line-fire"
    /// The tamper contact cannot be read.
    case tamperLine = "line-tamper"

    // MARK: The disk and the event log

    /// No room left on the disk. Remedy: make room.
    case diskFull = "disk-full"
    /// The disk or its driver fails. Remedy: read the kernel's log, replace it.
    case diskFailing = "disk-failing"
    /// The disk does not answer in its time; a waiting person is refused after `max-wait-ms`. Remedy: a faster disk;
    /// read the kernel's log.
    case diskStalled = "disk-stalled"
    /// The state directory is not writable; the reader starts nevertheless if all that it needs is in it. Remedy: check
    /// the file system, mount it for writing, restart.
    case diskReadOnly = "disk-read-only"
    /// The log's file is damaged: it is put aside and a new one begun, then `log-lost`.
    case logDamaged = "log-damaged"
    /// The log's file can be neither opened nor made; at the start also `clock-floor-unknown`. Remedy: correct the
    /// state directory's owner and permissions.
    case logCannotOpen = "log-cannot-open"
    /// Another program writes the log. Remedy: end it.
    case logInUse = "log-in-use"
    /// A later version wrote the log. Remedy: install that version again, or put the log elsewhere.
    case logLaterVersion = "log-later-version"
    /// The log cannot be written for any other reason. Remedy: read the log and the kernel's.
    case logFailing = "log-failing"
    /// The log is full, and `when-full` is `refuse`. Lost: no phone is admitted (−8), whatever `when-failing` says.
    /// Remedy: read and clear it, or raise `events.capacity`.
    case logFull = "log-full"
    /// The log was not as the reader had left it; until the next start. Lost: earlier events only. Remedy: `readerd
    /// events --verify`; find out who was at the files.
    case logLost = "log-lost"

    // MARK: The policy

    /// The policy has not been read, or cannot be read. Remedy: check the disk and the state directory's permissions.
    case policyUnknown = "policy-unknown"
    /// The policy is missing or damaged. A damaged witness alone is written again if the log states its generation.
    /// Remedy: find out who was at the files, `readerd policy begin --yes`, have the blacklist pushed again.
    case policyLost = "policy-lost"
    /// The policy is older than the last policy that the reader kept. Remedy: as of `policy-lost`.
    case policyRolledBack = "policy-rolled-back"
    /// Newer firmware than this has served with the policy. Remedy: install the version in the line, or a newer one; to
    /// stay with the older one, begin a policy.
    case firmwareOld = "firmware-old"
    /// A key of the identity was replaced before. Lost: orders from afar too. Remedy: put the present file
    /// back, and restart; to go back to the older key, `readerd policy begin --yes`.
    case keyRolledBack = "key-rolled-back"
    /// A change of the policy could not be kept; the previous policy holds, and the reader retries. Lost: changes of
    /// blacklist and settings (phones get −8 or −21). Remedy: make room, check the state directory's permissions.
    case policyUnwritable = "policy-unwritable"
    /// The stored blacklist exceeds the configured capacity. Lost: the entries that did not fit. Remedy: raise
    /// `credentials.blacklist-capacity`, restart.
    case blacklistTooSmall = "blacklist-too-small"
    /// The list of the cards that open the door cannot be read. Lost: cards. Remedy: correct the file at the line that
    /// the fault names, reload.
    case cardsUnreadable = "cards-unreadable"
    /// A key of DESFire cards cannot be read. Lost: DESFire cards. Remedy: correct the file that the fault names, its
    /// owner and its permissions, reload.
    case desfireKeyUnreadable = "desfire-key-unreadable"

    /// The key, the certificate or the store of the Aliro reader cannot be used. Lost: Aliro's phones. Remedy: as in
    /// the line, restart.
    case aliroUnusable = "aliro-unusable"
    /// The store of the Aliro reader could not be written; it is in memory, and retried after 0.5 s, then at
    /// doubling intervals up to 60 s. Lost: at a restart its changes: phones go through the standard phase again,
    /// revocations by documents are lost. Remedy: make room, check the state directory's permissions.
    case aliroUnkept = "aliro-unkept"
    /// An issuer of Aliro's documents has revoked more phones than are kept (4,096). Lost: Aliro's phones.
    /// Remedy: a newer revocation document that replaces the list, from a phone.
    case aliroOverfull = "aliro-overfull"

    /// The site's key of PKOC phones over Bluetooth LE cannot be used. Lost: PKOC phones that require it. Remedy: as in
    /// the line, restart.
    case pkocUnusable = "pkoc-unusable"

    // MARK: The identity

    /// A file of the reader's identity, in the line, cannot be used. Lost: phones, without the reader's id, its key,
    /// its door, or any key of the back end; orders from afar, without theirs. Remedy: restore the file from a backup,
    /// or provision the reader again, and restart.
    case identityDamaged = "identity-damaged"

    // MARK: The clock

    /// The clock is not set; records have no time. Lost: phones, but for `UPDATE`, `time` and `CLK_SET` (−157); office
    /// hours. Remedy: a time service, `readerd set-time`, or a phone with a signed `UPDATE`.
    case clockUnset = "clock-unset"
    /// The clock was not set for a day and may be off. Remedy: a time service, or `readerd set-time`.
    case clockStale = "clock-stale"
    /// The time of the last event is not known. Lost: a phone can set an unset clock to before it, but not to before
    /// the day that this firmware was built. Remedy: check the disk; a time service.
    case clockFloorUnknown = "clock-floor-unknown"

    // MARK: NFC

    /// The NFC chip cannot be opened, or has failed; the reader retries. Lost: phones that touch the reader, and cards
    /// that it polls. Remedy: as in the line.
    case nfcFailed = "nfc-failed"

    // MARK: The line to a panel

    /// The line to the panel cannot be opened, or was lost; the reader opens it again. Lost: the panel gets nothing;
    /// with `mode = "panel"` phones, unless `when-silent` is `"decide"`. Remedy: plug the adapter in, or correct
    /// `osdp.line`.
    case panelLine = "panel-line"
    /// The panel is silent, or is not accepted; with a key also while others send frames without it. Lost: the same;
    /// what the panel held unlocked is secured after 8 s. Remedy: check wires, speed and address, or give panel and
    /// reader the same key.
    case panelSilent = "panel-silent"
    /// A key, or an address, that the panel has set could not be kept; the log has the file. Lost: the key is refused,
    /// the address is lost at the next start. Remedy: fix the disk, have the panel set it again.
    case panelUnkept = "panel-unkept"

    // MARK: The Matter lock

    /// The process of the Matter lock is not connected; the log says why. Lost: Matter apps see the lock as
    /// unreachable, or its state as unknown. Remedy: start `readerd-matter`, read its log, compare `matter.socket` and
    /// `matter.user`.
    case matterAbsent = "matter-absent"

    // MARK: The link to a fleet

    /// The process of the link is not connected, or silent for 25 s; the log says why. Lost: the fleet sees the reader
    /// as gone. Remedy: start `readerd-link`, read its log, compare `link.socket` and `link.user`.
    case linkAbsent = "link-absent"
    /// The broker's name has no address. Remedy: correct the name, or fix the name service.
    case linkUnresolved = "link-unresolved"
    /// The broker does not accept connections. Remedy: start the broker, open the way to its port.
    case linkUnreachable = "link-unreachable"
    /// The connection to the broker has broken off, or the broker is silent. Remedy: check the network.
    case linkLost = "link-lost"
    /// The broker's certificate is for another name. Remedy: connect by a subject alternative name of the certificate.
    case linkCertificateName = "link-certificate-name"
    /// The broker's certificate is not valid yet, or no longer. Remedy: set the clock, or renew the certificate.
    case linkCertificateTime = "link-certificate-time"
    /// The broker's certificate is of no known authority. Remedy: give `--ca` its authority.
    case linkCertificateUntrusted = "link-certificate-untrusted"
    /// The broker refuses this reader. Remedy: enrol its certificate at the broker, or permit the subscription in the
    /// line.
    case linkRefused = "link-refused"
    /// The link's certificate or key cannot be used. Remedy: correct the files of `--certificate` and `--key`; only the
    /// owner may read the key.
    case linkIdentity = "link-identity"
    /// The link's certificate ends within 14 days, or its renewed files do not serve. Lost: nothing before the end of
    /// the previous certificate. Remedy: renew the files; enrol them at the broker.
    case linkOwnCertificate = "link-own-certificate"
    /// The broker does not speak MQTT 5. Remedy: another broker.
    case linkOldProtocol = "link-old-protocol"
    /// The broker violates the rule of MQTT 5 in the line, or claims that the link does. Remedy: look for another
    /// server at that port, else report it.
    case linkViolation = "link-broker-protocol"
    /// A limit of the broker, in the line, is below the needs of the link. Remedy: for mosquitto `max_packet_size` 4096
    /// at least, `max_qos 1`, `retain_available true`.
    case linkLimit = "link-broker-limit"
    /// Another client has the same identity, or the broker closes three times within a minute without a reason and with
    /// nothing unacknowledged. Lost: delivery is slow. Remedy: give each reader its own certificate; or the broker does
    /// not stay up.
    case linkIdentityTwice = "link-identity-twice"
    /// Events are not accepted: no collector receives them, or the broker refuses them. Lost: delivery of events, not
    /// of states. Remedy: start the collector; correct the broker's access list or its quota.
    case linkUndelivered = "link-undelivered"
    /// The broker refuses a state, the presence or the discovery; the line has the topic. Remedy: correct the broker's
    /// access list or its quota.
    case linkUnpublished = "link-unpublished"
    /// Events have left the log before they were delivered; batch and collector have the numbers. Remedy: raise
    /// `events.capacity`; find out why nothing was delivered.
    case linkGap = "link-gap"
    /// An order named a command key of the reader, and was not signed by it. Ends after 10 min without another. Remedy:
    /// check who may publish to `down/cmd` at the broker; replace a key that may be in other hands.
    case linkForged = "link-forged"
    /// An empty policy was begun without a certain time, and counts as begun at the next one. Lost: orders and states
    /// from afar (`policy-begun`). Remedy: synchronise the clock, or `readerd set-time`.
    case linkClock = "link-clock"

    // MARK: Configuration and operation

    /// A reloaded configuration has faults, each in the log with its line; the previous one stays in force. Remedy:
    /// correct the file (`readerd check-config`), reload.
    case configurationRejected = "configuration-rejected"
    /// The configuration pushed by a backend is no longer usable, and the file's is in force. Lost: pushed settings;
    /// office hours too, if phones may set `door.closed-days`. Remedy: have it pushed again.
    case pushedConfigurationUnusable = "pushed-configuration-unusable"
    /// The control socket could not be made: **not in `status`**, but in the log and in `STATUS=`. Lost: `status`,
    /// `unlock`, `metrics` and the others. Remedy: make /run/readerd for readerd's user, restart.
    case controlSocketMissing = "control-socket-missing"

    // MARK: The door itself

    /// The door was forced, and is still open: an alarm. Remedy: look at the door, close it.
    case doorForced = "door-forced"
    /// The door is open for too long, or its contact is stuck: an alarm. Remedy: close it, or check the contact.
    case doorHeldOpenTooLong = "door-ajar"
    /// The housing is or was open, and the tamper was not reset: an alarm by `door.tamper`. Lost: with `"block"`, no
    /// phone is admitted. Remedy: look at the housing, close it, `readerd tamper-reset`.
    case tampered

    /// The index in `allCases`.
    var place: Int { FaultCode.places[self] ?? 0 }

    private static let places = Dictionary(
        uniqueKeysWithValues: FaultCode.allCases.enumerated().map { ($0.element, $0.offset) })
}

extension FaultCode {
    /// The reasons for an unavailable controller; at most one is present at a time.
    public static let unreachable: [FaultCode] = [
        .controllerAbsent, .controllerBlocked, .controllerNotPermitted, .controllerTaken, .controllerLost,
    ]

    /// The reasons for refusing phones for lack of a policy; at most one is present at a time.
    public static let withoutPolicy: [FaultCode] = [
        .policyUnknown, .policyLost, .policyRolledBack, .firmwareOld, .keyRolledBack,
    ]

    /// Creates the code of a policy's refusal.
    public init(_ refusal: PolicyRefusal) {
        self =
            switch refusal {
            case .copiesLost, .countLost: .policyLost
            case .rolledBack: .policyRolledBack
            }
    }

    /// The reasons for a log that cannot be written; at most one is present at a time.
    public static let unwritable: [FaultCode] = DiskFault.allCases.map { FaultCode($0) }

    /// Creates the code of a disk fault.
    public init(_ fault: DiskFault) {
        self =
            switch fault {
            case .other: .logFailing
            case .full: .diskFull
            case .inputOutput: .diskFailing
            case .readOnly: .diskReadOnly
            case .damaged: .logDamaged
            case .cannotOpen: .logCannotOpen
            case .inUse: .logInUse
            case .stalled: .diskStalled
            case .laterVersion: .logLaterVersion
            }
    }

    /// Creates the code of an output that cannot be set.
    public init(_ output: DoorOutput) {
        self =
            switch output {
            case .lock: .lockLine
            case .grantedIndicator: .grantedIndicatorLine
            case .deniedIndicator: .deniedIndicatorLine
            case .buzzer: .buzzerLine
            }
    }

    /// Creates the code of an input that cannot be read.
    public init(_ input: DoorInput) {
        self =
            switch input {
            case .contact: .contactLine
            case .exit: .exitLine
            case .fire: .fireLine
            case .tamper: .tamperLine
            }
    }
}

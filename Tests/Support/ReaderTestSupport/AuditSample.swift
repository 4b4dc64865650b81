// SPDX-License-Identifier: Apache-2.0

import Reader

enum AuditSample {
    static let time = AuditTime(
        epochSeconds: 1_795_262_400, utcOffsetMinutes: 60, quality: .system, uptimeMilliseconds: 12_345)
    static func event(_ kind: AuditKind = .granted, info: Int32 = 2) -> AuditEvent {
        var event = AuditEvent(
            kind, at: time, info: info, channel: .bluetooth, credential: "CRED000001", command: "tokn")
        event.link = 7
        event.mode = .onTouch
        event.dBm = -45
        return event
    }
}

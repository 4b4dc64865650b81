// SPDX-License-Identifier: Apache-2.0

import JSON
import Peripheral
package import SimBLE

/// A line of `readerlab phone simble`, for a person or as JSON.
package struct SimulatorText {
    /// The subject.
    package enum Subject {
        case listening(port: UInt16, state: String)
        case notice(SimBLENotice)
    }

    private let subject: Subject

    package init(_ subject: Subject) { self.subject = subject }

    /// `   12.345  connected C0:11:22:33:44:55`.
    package func line(atMilliseconds milliseconds: Int64) -> String {
        let thousandths = "\(milliseconds % 1000)"
        let time = "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - thousandths.count) + thousandths
        return VisitText.right(time, 9) + "  " + words
    }

    private var words: String {
        switch subject {
        case .listening(let port, let state): "apps connect to 127.0.0.1:\(port); \(state) has port and token"
        case .notice(let notice):
            switch notice {
            case .ready: "the controller is ready"
            case .failed(let fault): "the controller failed: \(fault); it is started again"
            case .app(let name): "app \(name)"
            case .refused(let why): "a peer was refused: \(why)"
            case .scanning(let services): "scan for \(services?.map(\.description).joined(separator: ", ") ?? "all")"
            case .scanStopped: "scan stopped"
            case .scanRefused(let status): "the controller does not scan: \(status)"
            case .connected(let address): "connected \(address)"
            case .connectionFailed(let address, let status): "not connected \(address): \(status)"
            case .disconnected(let address, let status): "disconnected \(address): \(status)"
            case .appsEnded: "no app is connected: scan and links ended"
            }
        }
    }

    /// The line as JSON.
    package func json(atMilliseconds milliseconds: Int64) -> String {
        var object: JSONObject = ["event": name, "at-ms": milliseconds]
        switch subject {
        case .listening(let port, let state):
            object.add("port", Int(port))
            object.add("state", state)
        case .notice(.failed(let fault)): object.add("why", "\(fault)")
        case .notice(.app(let name)): object.add("name", name)
        case .notice(.refused(let why)): object.add("why", why)
        case .notice(.scanning(let services?)):
            object.add("services", services.map(\.description).joined(separator: ","))
        case .notice(.scanRefused(let status)): object.add("status", Int(status.rawValue))
        case .notice(.connected(let address)): object.add("address", "\(address)")
        case .notice(.connectionFailed(let address, let status)), .notice(.disconnected(let address, let status)):
            object.add("address", "\(address)")
            object.add("status", Int(status.rawValue))
        case .notice(.ready), .notice(.scanning(nil)), .notice(.scanStopped), .notice(.appsEnded): break
        }
        return object.text
    }

    private var name: String {
        switch subject {
        case .listening: "listening"
        case .notice(let notice):
            switch notice {
            case .ready: "ready"
            case .failed: "failed"
            case .app: "app"
            case .refused: "refused"
            case .scanning: "scanning"
            case .scanStopped: "scan-stopped"
            case .scanRefused: "scan-refused"
            case .connected: "connected"
            case .connectionFailed: "connection-failed"
            case .disconnected: "disconnected"
            case .appsEnded: "apps-ended"
            }
        }
    }
}

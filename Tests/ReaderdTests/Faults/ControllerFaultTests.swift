// SPDX-License-Identifier: Apache-2.0

import Glibc
import Peripheral
import Reader
import Testing
import Timekeeping

@testable import readerd

/// Without a controller phones are not served, and everything else works (docs/operate/faults.md).
@Suite struct ControllerFaultTests {
    private static let unreachable: [(TransportFault, FaultCode)] = [
        (.noBluetooth, .controllerAbsent), (.noSuchAdapter, .controllerAbsent), (.radioIsBlocked, .controllerBlocked),
        (.notPermitted, .controllerNotPermitted), (.adapterIsUp, .controllerTaken), (.adapterIsBusy, .controllerTaken),
        (.adapterIsTaken, .controllerTaken), (.unknownHost(code: EAI_NONAME), .controllerAbsent),
        (.cannotConnect(code: ECONNREFUSED), .controllerAbsent),
        (.cannotConnect(code: EACCES), .controllerNotPermitted),
        (.cannotOpen(code: ENOENT), .controllerAbsent), (.cannotOpen(code: EACCES), .controllerNotPermitted),
        (.cannotOpen(code: EBUSY), .controllerTaken), (.cannotOpen(code: ERFKILL), .controllerBlocked),
        (.noNetsim(port: 6402, file: "/tmp/netsim.ini"), .controllerAbsent), (.netsimPort("x"), .controllerAbsent),
        (.netsimWithoutHCI(port: 6402, file: "/tmp/netsim.ini", gRPC: "8554"), .controllerAbsent),
        (.notATerminal, .controllerAbsent), (.rateRefused(actual: 9600), .controllerAbsent),
        (.ended, .controllerAbsent), (.failed(code: EIO), .controllerAbsent),
    ]

    @Test func everyFaultOfATransportHasItsCode() {
        for (fault, code) in Self.unreachable {
            let error = TransportError(transport: .hciSocket(0), fault: fault)
            #expect(FaultCode(error, wasReached: false) == code, "\(fault)")
        }
        let broken: [TransportFault] = [.ended, .failed(code: ENODEV), .stalled(count: 1)]
        for fault in broken {
            let error = TransportError(transport: .hciSocket(0), fault: fault)
            #expect(FaultCode(error, wasReached: true) == .controllerLost, "\(fault)")
        }
        #expect(FaultCode(ReaderdError.failed(""), wasReached: true) == .controllerLost)
        #expect(FaultCode(ReaderdError.failed(""), wasReached: false) == .controllerAbsent)
    }

    /// From the start on: exit, office hours, operator and status, one line in the log for all attempts, and the way
    /// back.
    @Test(arguments: [
        (TransportFault.noSuchAdapter, FaultCode.controllerAbsent), (.radioIsBlocked, .controllerBlocked),
        (.notPermitted, .controllerNotPermitted), (.adapterIsTaken, .controllerTaken),
    ]) func withoutAControllerTheDoorWorks(fault: TransportFault, code: FaultCode) throws {
        var attempts = 0
        let trouble = ProcessRig.Trouble(opening: { name, _ in
            attempts += 1
            throw TransportError(transport: name, fault: fault)
        })
        let rig = try ProcessRig(configuration: alwaysOpen, trouble: trouble)
        try rig.serve { client, rig in
            let shown = try rig.wait(client, for: code)
            #expect(shown?.text.contains("\(fault)") == true && shown?.hasSince == true)
            #expect(try rig.metric(client, code) == "1")
            #expect(try rig.metric(client, .controllerLost) == "0")
            #expect(try rig.doorState(client) == "held-open", "office hours")
            rig.operatorOpens(client)
            #expect(client.ask(#"{"lockdown":"on"}"#) == #"{"ok":true}"#)
            #expect(try rig.doorState(client) == "lockdown")
            rig.exitFreesTheLock()
            // Many attempts, and one line.
            rig.onLoop {
                for _ in 0..<20 {
                    rig.process.controllerUnreachable(TransportError(transport: .hciSocket(0), fault: fault))
                }
            }
            #expect(try rig.shownFaults(client).map(\.code) == [code.rawValue])
        }
        #expect(attempts > 0)
        #expect(rig.told(code) == 1)
        let events = try rig.events()
        #expect(events.count { $0.contains(#""kind":"controller-failed""#) && $0.contains(code.rawValue) } == 1)
        #expect(events.contains { $0.contains(#""kind":"request-to-exit""#) })
    }

    /// The real socket of a controller that is not there, and comes.
    @Test func aControllerThatComesEndsTheFault() throws {
        let rig = try ProcessRig(
            trouble: ProcessRig.Trouble(opening: { name, take in
                guard case .unix(let path) = name else { throw ReaderdError.failed("another transport") }
                return try HCITransport.open(.unix(path: path + "-later"), takeAdapter: take)
            }))
        try rig.serve { client, rig in
            let shown = try rig.wait(client, for: .controllerAbsent)
            #expect(shown?.text.contains("cannot connect: No such file or directory") == true)
            rig.onLoop { rig.process.noticeFaults(.controllerReady(ControllerFaultTests.controller(readsRSSI: true))) }
            #expect(try rig.shownFaults(client) == [])
        }
        let over = rig.lines.all.split(separator: "\n").filter {
            $0.hasPrefix("<5>fault controller-absent: over after ")
        }
        #expect(over.count == 1 && over.first?.hasSuffix(" s") == true)
        #expect(try rig.events().contains { $0.contains(#""kind":"controller-restored""#) })
    }

    @Test func aControllerThatIsLostIsSaidOnceAndTheDoorWorks() throws {
        let rig = try ProcessRig()
        try rig.serve { client, rig throws in
            let lost = TransportError(transport: .hciSocket(0), fault: .failed(code: ENODEV))
            let absent = TransportError(transport: .hciSocket(0), fault: .noSuchAdapter)
            rig.onLoop { rig.process.controllerLost(lost) }
            #expect(try rig.shownFaults(client).map(\.code) == ["controller-lost"])
            rig.exitFreesTheLock()
            // The next attempt says more, and that is all that is shown then.
            rig.onLoop { for _ in 0..<20 { rig.process.controllerUnreachable(absent) } }
            #expect(try rig.shownFaults(client).map(\.code) == ["controller-absent"])
            rig.operatorOpens(client)
        }
        #expect(rig.told(.controllerLost) == 1 && rig.told(.controllerAbsent) == 1)
    }

    @Test func aControllerThatFailsIsSaidOnceHoweverOftenItIsReset() throws {
        let rig = try ProcessRig()
        try rig.serve { client, rig throws in
            rig.onLoop {
                for _ in 0..<20 { rig.process.report(.controllerFailed(.hardwareError(code: 5))) }
                rig.process.flush()
            }
            #expect(try rig.shownFaults(client).map(\.code) == ["controller-failed"])
            rig.exitFreesTheLock()
            rig.operatorOpens(client)
        }
        #expect(rig.told(.controllerFailed) == 1)
        #expect(
            rig.lines.all.contains(
                "<3>fault controller-failed: the controller failed: hardware error 5; resetting it\n"))
    }

    /// Modes that need RSSI are refused (test_controllers.py has that over the air); the next controller may have it.
    @Test func whatAControllerCannotDoIsAFaultUntilAnotherCan() throws {
        let rig = try ProcessRig()
        try rig.serve { client, rig throws in
            for _ in 0..<3 {
                rig.onLoop {
                    rig.process.report(.controllerReady(ControllerFaultTests.controller(readsRSSI: false)))
                    rig.process.report(.rssiUnavailable)
                    rig.process.report(.unserved([.accessIBeacon]))
                    rig.process.flush()
                }
            }
            #expect(try rig.shownFaults(client).map(\.code) == ["controller-without-rssi", "modes-unserved"])
            rig.operatorOpens(client)
            rig.onLoop {
                rig.process.report(.controllerReady(ControllerFaultTests.controller(readsRSSI: true)))
                rig.process.flush()
            }
            #expect(try rig.shownFaults(client) == [])
        }
        #expect(rig.told(.controllerWithoutRSSI) == 1 && rig.told(.modesUnserved) == 1)
    }

    private static func controller(readsRSSI: Bool) -> ControllerDescription {
        ControllerDescription(
            hciVersion: 0x0D, manufacturer: 0, extendedAdvertising: true, advertisingSets: 4, readsRSSI: readsRSSI,
            aclDataLength: 251, aclPackets: 8)
    }
}

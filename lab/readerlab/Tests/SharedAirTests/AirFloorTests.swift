// SPDX-License-Identifier: Apache-2.0

import Emulation
import JSON
import TestSupport
import Testing
import Timekeeping
import VirtualRadio

@testable import SharedAir

/// The floor plan of the air: places in metres, walls, and the messages for a page.
@Suite struct AirFloorTests {
    private func scene(_ rig: AirSessionRig) -> String { rig.session.scene.text }

    @Test("a place is moved, and its levels are the distance's, the carry's and the walls'")
    func levels() throws {
        let rig = AirSessionRig()
        rig.connect()
        #expect(
            scene(rig)
                == "{\"event\":\"scene\",\"phones\":[{\"name\":\"phone\",\"on\":true,\"carry\":\"hand\",\"dbm\":-50,"
                + "\"levels\":[-50],\"links\":[\"reader\"]}],\"readers\":[{\"name\":\"reader\",\"power\":true}]}")
        #expect(try rig.order("move phone 0 -10") == ["phone: to (0.0, -10.0)"])
        #expect(scene(rig).contains("\"at\":[0.0,-10.0],\"levels\":[-70]"))
        _ = try rig.order("carry phone pocket")
        #expect(scene(rig).contains("\"carry\":\"pocket\",\"at\":[0.0,-10.0],\"levels\":[-78]"))
        #expect(try rig.order("wall -1 -5 1 -5 12") == ["1 walls on the floor plan"])
        #expect(scene(rig).contains("\"levels\":[-90]"))
        #expect(
            rig.session.plan.text
                == "{\"event\":\"plan\",\"name\":\"air\",\"plays\":false,\"needs-floor\":false,\"readers\":"
                + "[{\"name\":\"reader\",\"at\":[0.0,0.0]}],\"walls\":[{\"from\":[-1.0,-5.0],\"to\":[1.0,-5.0],"
                + "\"db\":12}]}")
        _ = try rig.order("wall 1 off")
        #expect(try rig.order("wall 1 off") == ["there is no wall 1; there are 0"])
        // The reader is moved away from the phone.
        _ = try rig.order("move reader 0 80")
        #expect(scene(rig).contains("\"levels\":[-97]"))
    }

    @Test("a move takes its time")
    func walking() throws {
        let rig = AirSessionRig()
        rig.connect()
        _ = try rig.order("move phone 0 -10")
        _ = try rig.order("move phone 0 -1 2s")
        rig.run(.seconds(1))
        #expect(scene(rig).contains("\"at\":[0.0,-5.5],\"levels\":[-65]"))
        rig.run(.seconds(1))
        #expect(scene(rig).contains("\"at\":[0.0,-1.0],\"levels\":[-50]"))
    }

    @Test("a level that is set overrides the place, until the next move")
    func overridden() throws {
        let rig = AirSessionRig()
        rig.connect()
        _ = try rig.order("move phone 0 -10")
        _ = try rig.order("rssi phone reader -61")
        #expect(scene(rig).contains("\"dbm\":-61,\"levels\":[-61]"))
        _ = try rig.order("distance phone reader 4")
        #expect(scene(rig).contains("\"metres\":4.0,\"levels\":[-62]"))
        _ = try rig.order("move phone 1 0")
        #expect(scene(rig).contains("\"at\":[1.0,0.0],\"levels\":[-50]"))
    }

    @Test(
        "a wrong line is answered with its remedy",
        arguments: [
            ("move phone 1", "write move PLACE X Y [TIME], as move phone 1.5 -2 3s"),
            ("move pone 1 1", "there is no place \"pone\"; there are reader, phone"),
            ("move phone 1 -101", "\"-101\" is no coordinate; write metres from -100 to 100, as -1.5"),
            ("move phone inf 1", "\"inf\" is no coordinate; write metres from -100 to 100, as -1.5"),
            ("carry phone", "write carry PLACE CARRY, as carry phone pocket"),
            ("wall x off", "\"x\" is no number of a wall; write wall 1 off"),
        ])
    func faults(line: String, fault: String) {
        #expect(thrown { _ = try AirOrder(line: line, places: ["reader", "phone"]) }.map { "\($0)" } == fault)
    }
}

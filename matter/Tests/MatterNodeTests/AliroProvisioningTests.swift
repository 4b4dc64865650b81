// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterCredentials
import MatterInteraction
import MatterTLV
import Octets
import TestSupport
import Testing
import Timekeeping

@testable import MatterNode
@testable import MatterSession
@testable import MatterTestSupport

/// The points of the keys of tests: multiples of P-256's base point.
enum AliroPoints {
    static let scalar = "0000000000000000000000000000000000000000000000000000000000000001"
    /// 1, 2, 3.
    static let one =
        "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
        + "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
    static let two =
        "047cf27b188d034f7e8a52380304b51ac3c08969e277f21b35a60b48fc47669978"
        + "07775510db8ed040293d9ac69f7430dbba7dade63ce982299e04b79d227873d1"
    static let three =
        "045ecbe4d1a6330a44c8f7ef951d4bf165e6c6b721efada985fb41661bc6e7fd6c"
        + "8734640c4998ff7e374b06ce1a64a2ecd82ab036384fb83d9a79b127a27d5032"
    static let group = "00112233445566778899aabbccddeeff"
    static let configuration = "{0=h\"\(scalar)\" 1=h\"\(one)\" 2=h\"\(group)\"}"
}

/// Users, Aliro credentials and the Aliro reader's configuration of Door Lock (Application Clusters 5.2).
struct AliroProvisioningTests {
    private static var traits: LockTraits {
        var traits = LockTraits()
        traits.hasAliro = true
        return traits
    }

    private static func key(
        _ kind: Int, _ index: Int, _ point: String, user: String = "null", operation: Int = 0
    ) -> String { "{0=\(operation) 1={0=\(kind) 1=\(index)} 2=h\"\(point)\" 3=\(user) 4=null 5=null}" }

    /// Without Aliro, a lock has none of it.
    @Test
    func offByDefault() throws {
        var (rig, controller) = try NodeRig.commissionedLock()
        #expect(try controller.read(&rig, 1, 0x101, 0xFFFC) == "0")
        #expect(try controller.read(&rig, 1, 0x101, 0x80) == "status 134")
        #expect(try controller.read(&rig, 1, 0x101, 0x11) == "status 134")
        #expect(try controller.invoke(&rig, 1, 0x101, 0x28, AliroPoints.configuration, timed: true) == "status 129")
        #expect(try controller.invoke(&rig, 1, 0x101, 0x1B, "{0=1}") == "status 129")
    }

    /// Features, and attributes before a configuration.
    @Test
    func attributes() throws {
        var (rig, controller) = try NodeRig.commissionedLock(Self.traits)
        #expect(try controller.read(&rig, 1, 0x101, 0xFFFC) == "\(0x2100)")
        let values = try [0x11, 0x1B, 0x1C, 0x80, 0x81, 0x83, 0x87, 0x88].map {
            try controller.read(&rig, 1, 0x101, $0)
        }
        #expect(values == ["20", "1", "10", "null", "null", "[h\"0100\"]", "8", "32"])
        for attribute: UInt32 in 0x84...0x86 {
            #expect(try controller.read(&rig, 1, 0x101, attribute) == "status 134")
        }
        let sub = try controller.read(&rig, 1, 0x101, 0x82)
        #expect(sub.count == 2 + 1 + 32 && sub.hasPrefix("h\""))
        try rig.cutPower()
        #expect(rig.node.model.state.users.sub.count == 16)
        #expect(sub == "h\"\(Hexadecimal.text(rig.node.model.state.users.sub))\"")
    }

    @Test
    func configurationOfTheReader() throws {
        var (rig, controller) = try NodeRig.commissionedLock(Self.traits)
        #expect(try controller.invoke(&rig, 1, 0x101, 0x28, AliroPoints.configuration) == "status 198")
        #expect(try controller.invoke(&rig, 1, 0x101, 0x28, AliroPoints.configuration, timed: true) == "status 0")
        #expect(try controller.read(&rig, 1, 0x101, 0x80) == "h\"\(AliroPoints.one)\"")
        #expect(try controller.read(&rig, 1, 0x101, 0x81) == "h\"\(AliroPoints.group)\"")
        #expect(try controller.invoke(&rig, 1, 0x101, 0x28, AliroPoints.configuration, timed: true) == "status 203")
        #expect(try controller.invoke(&rig, 1, 0x101, 0x29, timed: true) == "status 0")
        #expect(try controller.read(&rig, 1, 0x101, 0x80) == "null")
        #expect(try controller.read(&rig, 1, 0x101, 0x81) == "null")
        #expect(try controller.invoke(&rig, 1, 0x101, 0x28, AliroPoints.configuration, timed: true) == "status 0")
    }

    /// Lengths, a point that is not on the curve, the key of another point, a resolving key without ALBU.
    @Test
    func faultyConfigurations() throws {
        var (rig, controller) = try NodeRig.commissionedLock(Self.traits)
        let (scalar, one, group) = (AliroPoints.scalar, AliroPoints.one, AliroPoints.group)
        let off = String(one.dropLast(2)) + "f6"
        let cases = [
            ("{0=h\"\(scalar.dropLast(2))\" 1=h\"\(one)\" 2=h\"\(group)\"}", "status 135"),
            ("{0=h\"\(scalar)\" 1=h\"\(one.dropLast(2))\" 2=h\"\(group)\"}", "status 135"),
            ("{0=h\"\(scalar)\" 1=h\"\(one)\" 2=h\"\(group)00\"}", "status 135"),
            ("{0=h\"\(scalar)\" 1=h\"\(off)\" 2=h\"\(group)\"}", "status 135"),
            ("{0=h\"\(scalar)\" 1=h\"\(AliroPoints.two)\" 2=h\"\(group)\"}", "status 135"),
            ("{0=h\"\(scalar)\" 1=h\"\(one)\"}", "status 133"),
            ("{0=h\"\(scalar)\" 1=h\"\(one)\" 2=h\"\(group)\" 3=h\"\(group)\"}", "status 133"),
        ]
        for (fields, status) in cases {
            #expect(try controller.invoke(&rig, 1, 0x101, 0x28, fields, timed: true) == status, "\(fields)")
        }
        #expect(try controller.read(&rig, 1, 0x101, 0x80) == "null")
    }

    @Test
    func users() throws {
        var (rig, controller) = try NodeRig.commissionedLock(Self.traits)
        let add = "{0=0 1=2 2=\"Anna\" 3=7 4=1 5=0 6=0}"
        #expect(try controller.invoke(&rig, 1, 0x101, 0x1A, add) == "status 198")
        #expect(try controller.invoke(&rig, 1, 0x101, 0x1A, add, timed: true) == "status 0")
        #expect(try controller.invoke(&rig, 1, 0x101, 0x1A, add, timed: true) == "status 1 cluster 3")
        #expect(
            try controller.invoke(&rig, 1, 0x101, 0x1B, "{0=2}")
                == "{0=2 1=\"Anna\" 2=7 3=1 4=0 5=0 6=[] 7=1 8=1 9=null}")
        #expect(
            try controller.invoke(&rig, 1, 0x101, 0x1B, "{0=1}")
                == "{0=1 1=null 2=null 3=0 4=null 5=null 6=null 7=null 8=null 9=2}")
        let disable = "{0=2 1=2 2=null 3=null 4=3 5=null 6=null}"
        #expect(try controller.invoke(&rig, 1, 0x101, 0x1A, disable, timed: true) == "status 0")
        #expect(try controller.invoke(&rig, 1, 0x101, 0x1B, "{0=2}")?.contains("3=3") == true)
        // Modify of none, an index out of range, a rule, a type that needs schedules, a name that is too long.
        let faulty = [
            "{0=2 1=3 2=null 3=null 4=3 5=null 6=null}", "{0=0 1=21 2=null 3=null 4=1 5=0 6=0}",
            "{0=0 1=3 2=null 3=null 4=1 5=0 6=1}", "{0=0 1=3 2=null 3=null 4=1 5=1 6=0}",
            "{0=0 1=3 2=\"Maximiliana\" 3=null 4=1 5=0 6=0}", "{0=0 1=3 2=null 3=null 4=0 5=0 6=0}",
        ]
        let statuses = try faulty.map { try controller.invoke(&rig, 1, 0x101, 0x1A, $0, timed: true) }
        #expect(statuses == ["status 139", "status 133", "status 133", "status 133", "status 135", "status 133"])
        #expect(try controller.invoke(&rig, 1, 0x101, 0x1D, "{0=2}", timed: true) == "status 0")
        #expect(rig.node.model.state.users.users.isEmpty)
        #expect(
            try controller.lockEvents(&rig) == [
                "4 {0=2 1=0 2=7 3=2 4=1 5=112233 6=2}", "4 {0=2 1=2 2=7 3=2 4=1 5=112233 6=2}",
                "4 {0=2 1=1 2=7 3=2 4=1 5=112233 6=2}",
            ])
    }

    /// Each kind of key, with a new user and with a known one.
    @Test
    func credentials() throws {
        var (rig, controller) = try NodeRig.commissionedLock(Self.traits)
        let added = try controller.invoke(&rig, 1, 0x101, 0x22, Self.key(6, 1, AliroPoints.one), timed: true)
        #expect(added == "{0=0 1=1 2=2}")
        let second = Self.key(7, 4, AliroPoints.two, user: "1")
        #expect(try controller.invoke(&rig, 1, 0x101, 0x22, second, timed: true) == "{0=0 1=null 2=5}")
        let third = Self.key(8, 4, AliroPoints.three, user: "1")
        #expect(try controller.invoke(&rig, 1, 0x101, 0x22, third, timed: true) == "{0=0 1=null 2=5}")
        #expect(
            try controller.invoke(&rig, 1, 0x101, 0x24, "{0={0=7 1=4}}")
                == "{0=true 1=1 2=1 3=1 4=null 5=h\"\(AliroPoints.two)\"}")
        #expect(
            try controller.invoke(&rig, 1, 0x101, 0x24, "{0={0=8 1=1}}")
                == "{0=false 1=null 2=null 3=null 4=4 5=null}")
        #expect(
            try controller.invoke(&rig, 1, 0x101, 0x1B, "{0=1}")
                == "{0=1 1=\"\" 2=4294967295 3=1 4=0 5=0 6=[{0=6 1=1} {0=7 1=4} {0=8 1=4}] 7=1 8=1 9=null}")
        // One kind, then the last key with its user.
        #expect(try controller.invoke(&rig, 1, 0x101, 0x26, "{0={0=6 1=65534}}", timed: true) == "status 0")
        #expect(try controller.invoke(&rig, 1, 0x101, 0x26, "{0={0=7 1=4}}", timed: true) == "status 0")
        #expect(rig.node.model.state.users.users.count == 1)
        #expect(try controller.invoke(&rig, 1, 0x101, 0x26, "{0=null}", timed: true) == "status 0")
        #expect(rig.node.model.state.users.users.isEmpty && rig.node.model.state.users.credentials.isEmpty)
        #expect(
            try controller.lockEvents(&rig).suffix(2) == [
                "4 {0=13 1=1 2=7 3=1 4=1 5=112233 6=4}", "4 {0=2 1=1 2=7 3=1 4=1 5=112233 6=1}",
            ])
    }

    /// Points of no key, duplicates, occupied indices, other types, and users that do not exist.
    @Test
    func faultyCredentials() throws {
        var (rig, controller) = try NodeRig.commissionedLock(Self.traits)
        let (one, two) = (AliroPoints.one, AliroPoints.two)
        #expect(try controller.invoke(&rig, 1, 0x101, 0x22, Self.key(8, 1, one), timed: true) == "{0=0 1=1 2=2}")
        let off = String(two.dropLast(2)) + "d2"
        let cases = [
            (Self.key(8, 1, two), 3), (Self.key(8, 2, one), 2), (Self.key(6, 1, one), 2),
            (Self.key(8, 2, off), 0x85), (Self.key(8, 2, String(two.dropLast(2))), 0x85),
            (Self.key(8, 2, "02" + two.dropFirst(2)), 0x85), (Self.key(8, 0, two), 0x85),
            (Self.key(8, 33, two), 0x85), (Self.key(6, 9, two), 0x85), (Self.key(1, 1, "31323334"), 0x85),
            (Self.key(8, 2, two, user: "2"), 1), (Self.key(8, 2, two, user: "21"), 0x85),
            (Self.key(8, 1, two, user: "2", operation: 2), 0x85), (Self.key(8, 2, two, operation: 2), 0x85),
            (Self.key(8, 2, two, operation: 1), 0x85),
        ]
        for (fields, status) in cases {
            let answer = try controller.invoke(&rig, 1, 0x101, 0x22, fields, timed: true)
            #expect(answer?.hasPrefix("{0=\(status) 1=null ") == true, "\(fields): \(answer ?? "")")
        }
        #expect(rig.node.model.state.users.credentials.count == 1)
        let replaced = Self.key(8, 1, two, user: "1", operation: 2)
        #expect(try controller.invoke(&rig, 1, 0x101, 0x22, replaced, timed: true) == "{0=0 1=null 2=2}")
        #expect(rig.node.model.state.users.credentials.map(\.data) == [Hexadecimal.octets(two)])
    }

    /// A user has no more than ten keys.
    @Test
    func limitsOfAUser() throws {
        var (rig, controller) = try NodeRig.commissionedLock(Self.traits)
        for index in 1...11 {
            let octets = try P256PrivateKey.generate().publicPoint.octets
            let point = Hexadecimal.text(octets.indices.map { octets[$0] })
            let fields = Self.key(7, index, point, user: index == 1 ? "null" : "1")
            let answer = try controller.invoke(&rig, 1, 0x101, 0x22, fields, timed: true)
            #expect(answer?.hasPrefix(index == 11 ? "{0=137" : "{0=0") == true, "\(index): \(answer ?? "")")
        }
    }

    /// The users outlive a loss of power; an endpoint's opening names user and key.
    @Test
    func anOpeningNamesItsKey() throws {
        var rig = try NodeRig(.test(.lock(Self.traits)))
        var commissioner = try Commissioner()
        var controller = try commissioner.commission(&rig)
        let fields = Self.key(7, 3, AliroPoints.two)
        #expect(try controller.invoke(&rig, 1, 0x101, 0x22, fields, timed: true) == "{0=0 1=1 2=4}")
        let users = rig.node.model.state.users
        try rig.cutPower()
        #expect(rig.node.model.state.users == users)
        rig.input { $0.receive(.lockedByAliro(.unlock, .evictableEndpoint, index: 3), at: $1) }
        try commissioner.establishCASE(&rig)
        let events = try #require(try commissioner.controller?.lockEvents(&rig))
        #expect(events.last == "2 {0=1 1=10 2=1 3=null 4=null 5=[{0=7 1=3}]}")
    }

    /// A removed fabric leaves no user, no key and no configuration; a factory reset makes another identifier.
    @Test
    func removal() throws {
        var (rig, controller) = try NodeRig.commissionedLock(Self.traits)
        #expect(try controller.invoke(&rig, 1, 0x101, 0x28, AliroPoints.configuration, timed: true) == "status 0")
        let fields = Self.key(7, 3, AliroPoints.two)
        #expect(try controller.invoke(&rig, 1, 0x101, 0x22, fields, timed: true) == "{0=0 1=1 2=4}")
        let sub = rig.node.model.state.users.sub
        rig.input { $0.factoryReset(at: $1) }
        let users = rig.node.model.state.users
        #expect(users.users.isEmpty && users.credentials.isEmpty && users.reader == nil)
        #expect(users.sub != sub && users.sub.count == 16)
    }
}

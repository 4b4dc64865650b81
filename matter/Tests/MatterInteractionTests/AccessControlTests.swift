// SPDX-License-Identifier: Apache-2.0

import MatterTLV
import Testing

import MatterInteraction

/// Access control (facts, section 12).
struct AccessControlTests {
    private let endpoint = EndpointDeclaration(
        1, deviceTypes: [DeviceTypeDeclaration(0x0A, revision: 3)], clusters: [])

    private func entry(
        _ privilege: Privilege = .operate, mode: AccessControlEntry.AuthenticationMode = .case, fabric: FabricIndex = 1,
        subjects: [NodeID]? = [5], targets: [AccessControlTarget]? = nil
    ) -> AccessControlEntry {
        AccessControlEntry(
            fabric: fabric, privilege: privilege, authenticationMode: mode, subjects: subjects, targets: targets)
    }

    private func grants(_ privilege: Privilege, to accessor: Accessor, _ entries: AccessControlEntry...) -> Bool {
        GrantedPrivileges(of: accessor, on: 0x101, of: endpoint, entries: entries).include(privilege)
    }

    @Test(
        arguments: [
            (.view, [.view]), (.proxyView, [.view, .proxyView]), (.operate, [.view, .operate]),
            (.manage, [.view, .operate, .manage]),
            (.administer, [.view, .proxyView, .operate, .manage, .administer]),
        ] as [(Privilege, [Privilege])])
    func whatAPrivilegeIncludes(granted: Privilege, included: [Privilege]) {
        for privilege in [.view, .proxyView, .operate, .manage, .administer] as [Privilege] {
            #expect(grants(privilege, to: .peer(5), entry(granted)) == included.contains(privilege))
        }
    }

    @Test
    func grantsOfSeveralEntries() {
        #expect(grants(.manage, to: .peer(5), entry(.view), entry(.manage)))
        #expect(grants(.proxyView, to: .peer(5), entry(.manage), entry(.proxyView)))
        #expect(!grants(.administer, to: .peer(5), entry(.proxyView), entry(.manage)))
        #expect(!grants(.view, to: .peer(5)))
    }

    @Test
    func aCommissionerAdministers() {
        #expect(grants(.administer, to: .commissioner))
        var bound = Accessor.commissioner
        bound.fabric = 3
        #expect(grants(.administer, to: bound))
    }

    @Test
    func subjects() {
        #expect(grants(.operate, to: .peer(5), entry(subjects: nil)))
        #expect(grants(.operate, to: .peer(5), entry(subjects: [])))
        #expect(grants(.operate, to: .peer(5), entry(subjects: [4, 5])))
        #expect(!grants(.operate, to: .peer(5), entry(subjects: [4])))
        #expect(!grants(.operate, to: .peer(5), entry(fabric: 2)))
        #expect(!grants(.operate, to: .peer(5), entry(mode: .group)))
        #expect(!grants(.operate, to: .peer(5), entry(mode: .pase)))
        var withoutFabric = Accessor.peer(5)
        withoutFabric.fabric = nil
        #expect(!grants(.view, to: withoutFabric, entry(subjects: nil)))
    }

    /// Subjects 0xFFFF_FFFD_iiii_vvvv: the identifier is equal, the peer's version at least the entry's.
    @Test(
        arguments: [
            (0xABCD_0002, true), (0xABCD_0003, true), (0xABCD_0001, false), (0xABCE_0002, false), (0xABCD_0000, false),
        ] as [(UInt32, Bool)])
    func authenticatedTags(tag: UInt32, isGranted: Bool) {
        let accessor = Accessor.peer(9, tags: [0x1111_0001, CASEAuthenticatedTag(rawValue: tag)])
        #expect(grants(.view, to: accessor, entry(subjects: [0xFFFF_FFFD_ABCD_0002])) == isGranted)
        #expect(!grants(.view, to: accessor, entry(subjects: [0xFFFF_FFFD_ABCD_0000])), "version 0 is no version")
        #expect(!grants(.view, to: .peer(0xFFFF_FFFD_ABCD_0002), entry(subjects: [0xFFFF_FFFD_ABCD_0002])))
    }

    @Test(
        arguments: [
            ([AccessControlTarget(cluster: 0x101)], true), ([AccessControlTarget(cluster: 0x102)], false),
            ([AccessControlTarget(endpoint: 1)], true), ([AccessControlTarget(endpoint: 2)], false),
            ([AccessControlTarget(deviceType: 0x0A)], true), ([AccessControlTarget(deviceType: 0x0B)], false),
            ([AccessControlTarget(cluster: 0x101, endpoint: 2)], false),
            ([AccessControlTarget(cluster: 0x101, endpoint: 1)], true),
            ([AccessControlTarget(endpoint: 1, deviceType: 0x0B)], false),
            ([AccessControlTarget(cluster: 0x101, deviceType: 0x0A)], true),
            ([AccessControlTarget(cluster: 0x102), AccessControlTarget(endpoint: 1)], true),
            ([AccessControlTarget()], false), ([], true), (nil, true),
        ] as [([AccessControlTarget]?, Bool)])
    func targets(targets: [AccessControlTarget]?, isGranted: Bool) {
        #expect(grants(.operate, to: .peer(5), entry(targets: targets)) == isGranted)
    }
}

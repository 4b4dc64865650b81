// SPDX-License-Identifier: Apache-2.0

import Fleet
import Testing
import Timekeeping

/// The own identity's files while they are renewed. Stamps of files are numbers here.
@Suite struct RenewedIdentityTests {
    private static func time(_ seconds: Int64) -> Instant { .origin + .seconds(seconds) }

    /// An identity whose files 1 have connected.
    private static func serving() -> RenewedIdentity<Int> {
        var identity = RenewedIdentity<Int>()
        _ = identity.begin(1, at: time(0))
        identity.connect()
        return identity
    }

    @Test func filesAreReadUntilSomeHaveConnected() {
        var identity = RenewedIdentity<Int>()
        for fault in [LinkFault.identity, .refused, .unreachable] {
            #expect(identity.begin(1, at: RenewedIdentityTests.time(0)) == .files)
            let hasFormer = identity.fail(fault, at: RenewedIdentityTests.time(1))
            #expect(!hasFormer)
        }
        #expect(!identity.isRenewed(2, at: RenewedIdentityTests.time(2)))
    }

    @Test func unchangedFilesAreNotReadAgain() {
        var identity = RenewedIdentityTests.serving()
        #expect(!identity.isRenewed(1, at: RenewedIdentityTests.time(1)))
        #expect(identity.begin(1, at: RenewedIdentityTests.time(1)) == .former)
    }

    @Test func renewedFilesThatServeTakeThePlace() {
        var identity = RenewedIdentityTests.serving()
        #expect(identity.isRenewed(2, at: RenewedIdentityTests.time(1)))
        #expect(identity.begin(2, at: RenewedIdentityTests.time(1)) == .files)
        identity.connect()
        #expect(identity.begin(2, at: RenewedIdentityTests.time(2)) == .former)
        #expect(!identity.isRenewed(2, at: RenewedIdentityTests.time(2)))
    }

    @Test(arguments: [LinkFault.refused, .identity, .certificateUntrusted, .certificateName])
    func theFormerServeWhenTheRenewedDoNot(fault: LinkFault) {
        var identity = RenewedIdentityTests.serving()
        _ = identity.begin(2, at: RenewedIdentityTests.time(1))
        let hasFormer = identity.fail(fault, at: RenewedIdentityTests.time(2))
        #expect(hasFormer)
        #expect(identity.begin(2, at: RenewedIdentityTests.time(7)) == .former)
        identity.connect()
        // The former have connected: the renewed are known to fail, for six hours, or until they change.
        #expect(!identity.isRenewed(2, at: RenewedIdentityTests.time(8)))
        #expect(identity.isRenewed(3, at: RenewedIdentityTests.time(8)))
        #expect(identity.isRenewed(2, at: RenewedIdentityTests.time(2 + 6 * 3600)))
    }

    /// A network that is down says nothing about the files.
    @Test(arguments: [LinkFault.unreachable, .lost, .unresolved, .oldProtocol])
    func aNetworkThatIsDownDoesNotBringTheFormerBack(fault: LinkFault) {
        var identity = RenewedIdentityTests.serving()
        _ = identity.begin(2, at: RenewedIdentityTests.time(1))
        let isOfFiles = identity.fail(fault, at: RenewedIdentityTests.time(2))
        #expect(!isOfFiles)
        #expect(identity.begin(2, at: RenewedIdentityTests.time(7)) == .files)
    }
}

// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Glibc
import Journal
import Logging
import System
import Reader
import Testing
import Timekeeping

@testable import readerd

/// The platform's updater as a real program.
@Suite struct UpdaterServiceTests {
    private static let request = UpdateRequest(credential: "CRED 00\u{1}1", command: "BOOTLD")

    /// A loop with a service, and what it told.
    private final class Rig {
        let reactor: Reactor
        let lines = LoggedLines()
        let log: Logger
        var states: [UpdaterState] = []
        var endings: [UpdaterProgram.Ending] = []
        var kept: [[UInt8]?] = []

        init() throws {
            reactor = try Reactor()
            log = lines.logger()
        }

        func service(_ command: [String]) -> UpdaterService {
            let service = UpdaterService(command, device: "Door0001", reactor: reactor, log: log)
            service.onChange = { [weak self] in self?.states.append($0) }
            service.keep = { [weak self] in self?.kept.append($0) }
            service.onEnd = { [weak self] in
                self?.endings.append($0)
                self?.reactor.stop()
            }
            return service
        }

        /// Runs the program to its end; the lines that it wrote.
        func run(_ command: [String]) throws -> [String] {
            let service = service(command)
            reactor.schedule(at: reactor.now) {
                service.start(UpdaterServiceTests.request)
                // It is busy at once; a second is not begun.
                #expect(service.state == .busy)
                service.start(UpdaterServiceTests.request)
            }
            try reactor.run()
            #expect(service.state == .ready && endings.count == 1 && service.last == endings.first)
            return written
        }

        var written: [String] {
            lines.all.split(separator: "\n").filter { $0.hasPrefix("<6>updater: ") }.map { String($0.dropFirst(12)) }
        }
    }

    @Test func theProgramGetsWhatIsDocumentedAndNoMore() throws {
        let rig = try Rig()
        #expect(getenv("PWD") != nil, "there is something that must not be handed on")
        #expect(
            Set(try rig.run(["/usr/bin/env"])) == [
                "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "READERD_DEVICE=Door0001",
                "READERD_ASKED_BY=CRED?00?1",
            ])
        #expect(rig.endings == [.exited(0)] && rig.states == [.busy, .ready])
        #expect(rig.lines.all.hasPrefix("<5>updater: requested by credential C…0\\u{1}1 (BOOTLD)\n"))
        #expect(rig.lines.all.hasSuffix("<5>updater: ended with status 0\n"))
        // The process is kept while it runs.
        #expect(rig.kept.count == 2 && rig.kept[0].flatMap { ProcessIdentity($0) } != nil && rig.kept[1] == nil)
    }

    /// Its own session, no input, the directory /, no descriptor but the three, no signal blocked, SIGPIPE (13)
    /// ignored.
    @Test func itIsOnItsOwn() throws {
        let rig = try Rig()
        // As a library might open one: handed on unless somebody sees to it.
        let opened = open("/dev/null", O_RDONLY)
        let stray = fcntl(opened, F_DUPFD, 100)
        close(opened)
        defer { close(stray) }
        let written = try rig.run([
            "/bin/sh", "-c",
            """
            set -- $(cat /proc/$$/stat); [ "$6" = $$ ] && echo own session
            cat; pwd; echo on standard error >&2
            [ -e /proc/$$/fd/\(stray) ] || echo no stray
            grep -E '^Sig(Blk|Ign)' /proc/$$/status | sed -E 's/:.*(.{8})$/ \\1/; s/ [08]/ ?/'
            """,
        ])
        // Signal 32 is the C library's own, and no program's to set: whoever starts the tests may ignore it.
        #expect(
            written == [
                "own session", "/", "on standard error", "no stray", "SigBlk ?0000000",
                "SigIgn ?0001000",
            ])
    }

    /// readerd has CAP_NET_ADMIN, ambient and inheritable, under systemd, and all of them as root.
    @Test func itHasNoCapability() throws {
        let rig = try Rig()
        let none = String(repeating: "0", count: 16)
        let written = try rig.run(["/bin/sed", "-n", "/^Cap/s/\\t/ /p", "/proc/self/status"])
        #expect(written.count == 5)
        for set in ["CapInh", "CapPrm", "CapEff", "CapAmb"] { #expect(written.contains("\(set): \(none)")) }
        // What it may get again with a program of another user: nothing, where readerd may say so.
        #expect(geteuid() != 0 || written.contains("CapBnd: \(none)"))
    }

    @Test func howItEndsIsTold() throws {
        for (command, ending, text) in [
            (["/bin/sh", "-c", "exit 7"], .exited(7), "ended with status 7"),
            (["/bin/sh", "-c", "kill -9 $$"], .killed(9), "ended by signal 9"),
            // The status that a shell would have for it is not taken for the fault.
            (["/bin/sh", "-c", "exit 127"], .exited(127), "ended with status 127"),
            (["/no/such/program"], .notStarted(ENOENT), "cannot be started: No such file or directory"),
            (["/dev/null"], .notStarted(EACCES), "cannot be started: Permission denied"),
        ] as [([String], UpdaterProgram.Ending, String)] {
            let rig = try Rig()
            _ = try rig.run(command)
            #expect(rig.endings == [ending])
            #expect(rig.lines.all.hasSuffix("<4>updater: \(text)\n"))
        }
        #expect(UpdaterProgram.Ending.killed(9).auditInfo == 265)
        #expect(UpdaterProgram.Ending.notStarted(ENOENT).auditInfo == -2)
    }

    /// The process was stopped between the request and the start.
    @Test func aStartThatIsLateIsNone() throws {
        let rig = try Rig()
        let service = rig.service(["/bin/sh", "-c", "echo started"])
        service.lateness = .milliseconds(1)
        rig.reactor.schedule(at: rig.reactor.now) {
            service.start(UpdaterServiceTests.request)
            usleep(UInt32(UpdaterService.delay.wholeMilliseconds + 50) * 1000)
        }
        try rig.reactor.run()
        #expect(rig.endings == [.notStarted(ETIME)] && service.state == .ready)
        #expect(rig.lines.all.hasSuffix("<4>updater: not started: readerd was suspended meanwhile; ask again\n"))
        #expect(rig.written.isEmpty)
    }

    /// Its last output is read, more than a pipe holds; output of its children after its end is not awaited.
    @Test func allOfItsOutputIsHeard() throws {
        let rig = try Rig()
        let written = try rig.run([
            "/bin/sh", "-c",
            "i=0; while [ $i -lt 990 ]; do echo \(String(repeating: "x", count: 150)) $i; i=$((i+1)); done; "
                + "sleep 1000 & printf 'child %s' $!",
        ])
        #expect(written.count == 991)
        let child = try #require(written.last.flatMap { Int32($0.dropFirst(6)) })
        #expect(kill(child, SIGKILL) == 0)
    }

    @Test func itOutlivesReaderdAndTheNextKnowsIt() throws {
        let directory = try TemporaryDirectory()
        let (gate, proof) = (directory.path + "/gate", directory.path + "/proof")
        #expect(mkfifo(gate, 0o600) == 0 && mkfifo(proof, 0o600) == 0)
        let rig = try Rig()
        let script = "echo started; cat \(gate); echo nobody reads this; echo lives > \(proof); cat \(gate)"
        var service: UpdaterService? = rig.service(["/bin/sh", "-c", script])
        let watch = LineWatch(rig.reactor) { rig.written.contains("started") && !rig.kept.isEmpty }
        rig.reactor.schedule(at: rig.reactor.now) {
            service?.start(UpdaterServiceTests.request)
            watch.begin()
        }
        try rig.reactor.run()
        service?.close()
        service = nil
        #expect(rig.lines.all.hasSuffix("<5>updater: continues without readerd\n"))
        #expect(rig.endings.isEmpty)
        // Nobody has the other end of its output any more, and it writes there.
        close(open(gate, O_WRONLY))
        let reader = open(proof, O_RDONLY)
        var octets = [UInt8](repeating: 0, count: 16)
        #expect(read(reader, &octets, octets.count) == 6 && octets.prefix(6).elementsEqual("lives\n".utf8))
        close(reader)
        // The next readerd takes it over: busy until it ends.
        let kept = try #require(rig.kept.last ?? nil)
        let next = rig.service(["/bin/true"])
        rig.states = []
        rig.reactor.schedule(at: rig.reactor.now) {
            next.adopt(kept)
            #expect(next.state == .busy)
            next.start(UpdaterServiceTests.request)
            close(open(gate, O_WRONLY))
        }
        try rig.reactor.run()
        #expect(rig.endings == [.exited(0)] && rig.states == [.busy, .ready] && rig.kept.last == .some(nil))
        // One that has ended, or another process with its number, is not taken over.
        next.adopt(kept)
        next.adopt(Array("\(getpid()) 1 x".utf8))
        next.adopt([0xFF])
        #expect(next.state == .ready)
    }

    /// A process that is nobody's child here, as after a restart.
    @Test func howAnAdoptedOneEndsIsNotKnown() throws {
        let rig = try Rig()
        let written = try rig.run(["/bin/sh", "-c", "sleep 1000 & echo $!"])
        let process = try #require(written.first.flatMap { Int32($0) })
        let identity = try #require(ProcessIdentity(of: process))
        #expect(ProcessIdentity(identity.octets) == identity)
        let next = rig.service([])
        #expect(next.state == .absent)
        rig.reactor.schedule(at: rig.reactor.now) {
            next.adopt(identity.octets)
            #expect(next.state == .busy && kill(process, SIGKILL) == 0)
        }
        try rig.reactor.run()
        #expect(rig.endings.last == .unknown && UpdaterProgram.Ending.unknown.auditInfo == 512)
    }

    /// Answered, and readerd ends before it was begun: said and recorded, not done.
    @Test func whatHasNotBegunIsNotBegunAtTheEnd() throws {
        let rig = try Rig()
        let service = rig.service(["/bin/true"])
        rig.reactor.schedule(at: rig.reactor.now) {
            service.start(UpdaterServiceTests.request)
            service.close()
        }
        try rig.reactor.run()
        #expect(rig.endings == [.notStarted(ECANCELED)])
        #expect(rig.lines.all.contains("updater: not started: readerd stopped before\n"))
    }

    @Test func aProgramThatIsNotThereIsSaidAtTheStart() throws {
        let rig = try Rig()
        _ = rig.service(["/no/such/program"])
        #expect(
            rig.lines.all
                == "<4>updater.command: /no/such/program cannot be executed now: No such file or directory\n")
    }
}

/// Looks at something in every turn of a loop, and ends the loop when it is so.
private final class LineWatch {
    private let reactor: Reactor
    private let isSo: () -> Bool

    init(_ reactor: Reactor, until isSo: @escaping () -> Bool) { (self.reactor, self.isSo) = (reactor, isSo) }

    func begin() {
        guard !isSo() else { return reactor.stop() }
        reactor.schedule(at: reactor.now + .milliseconds(5)) { self.begin() }
    }
}

@Suite struct UpdaterOutputTests {
    private func lines(_ pieces: [String]) -> [String] {
        var output = UpdaterOutput()
        var lines: [String] = []
        for piece in pieces { output.append(Array(piece.utf8)) { lines.append($0) } }
        output.finish { lines.append($0) }
        return lines
    }

    @Test func linesEndWhereTheyDo() {
        #expect(lines(["one\ntw", "o\r\n\n10 %\r20 %\rrest"]) == ["one", "two", "10 %", "20 %", "rest"])
        #expect(lines([]) == [])
    }

    @Test func aLineIsCutToTheOctet() {
        let whole = String(repeating: "x", count: UpdaterOutput.lineLimit)
        #expect(lines([whole + "\n"]) == [whole])
        #expect(lines([whole, "y\nz\n"]) == [whole + " […]", "z"])
    }

    @Test func aRunHasSoManyLinesAndNoMore() {
        var output = UpdaterOutput()
        var count = 0
        for _ in 0..<UpdaterOutput.runLimit + 7 { output.append([0x78, 0x0A]) { _ in count += 1 } }
        #expect(count == UpdaterOutput.runLimit && output.omitted == 7)
    }
}

// SPDX-License-Identifier: Apache-2.0

package import Commands
import Fleet
import Glibc
import LoadGenerator
import MQTT
import Statistics
import System
import Timekeeping

/// Many links at one broker, on one reactor: all connect, report events, and reconnect after the broker was killed.
package final class FleetBench {
    /// The longest time until the broker listens.
    private static let listenWithin = Duration.seconds(10)
    private static let look = Duration.milliseconds(20)
    /// The time between two lines of progress.
    private static let progressPause = Duration.seconds(2)
    /// The longest time in which the last events arrive.
    private static let restWithin = Duration.seconds(30)
    /// The time for which the broker is absent: as long as a service manager takes to restart it.
    private static let away = Duration.seconds(1)
    /// The time in which memory use settles after the last link has connected.
    private static let settling = Duration.seconds(2)

    private enum Phase { case starting, rising, pacing, resting, away, storm }

    private let plan: FleetPlan
    private let log: BenchLog
    private let reactor: Reactor
    private let isEnding: () -> Bool
    private var links: [FleetBenchLink] = []
    private var backEnd: FleetBenchBackEnd?
    private var broker: HostProcess?
    private var report: FleetBenchReport
    private var phase = Phase.starting
    private var began = Instant.origin
    private var processorAtBegin: Int64 = 0
    private var residentAtBegin = 0
    private var there = 0
    /// The number of links that have lost the broker.
    private var lost = 0
    private var attempts = 0
    private var connections: [Int: Int] = [:]
    /// The time until 99 of 100 links were connected; nil before that.
    private var nearly: Duration?
    private var events = 0
    private var times: [Double] = []
    private var next = 0

    package init(_ plan: FleetPlan, _ log: BenchLog, isEnding: @escaping () -> Bool) throws(CommandError) {
        (self.plan, self.log, self.isEnding) = (plan, log, isEnding)
        report = FleetBenchReport(links: plan.links, isTLS: plan.broker.tls != nil, spread: plan.spread)
        do throws(SystemError) { reactor = try Reactor() } catch { throw .failed("\(error)") }
    }

    /// Runs the bench to its end, or to a fault.
    package func run() throws(CommandError) -> FleetBenchReport {
        do throws(ProgramFailure) {
            for number in 1...plan.links {
                links.append(try FleetBenchLink(number, plan, reactor) { [weak self] in self?.receive($0) })
            }
            backEnd = try FleetBenchBackEnd(plan.broker, reactor) { [weak self] in self?.store($0, upTo: $1) }
        } catch {
            throw .failed(error.description)
        }
        startBroker { [self] in rise() }
        tick()
        showProgress()
        do throws(SystemError) { try reactor.run() } catch { throw .failed("\(error)") }
        for link in links { link.end() }
        backEnd?.end()
        return report
    }

    private func end(_ fault: String? = nil) {
        report.fault = report.fault ?? fault
        reactor.stop()
    }

    // MARK: - The broker

    /// Starts the broker, and calls `then` when it listens.
    private func startBroker(_ then: @escaping () -> Void) {
        do throws(LoadFault) {
            broker = try HostProcess(plan.arguments, output: log.descriptor)
        } catch {
            return end("\(error)")
        }
        began = reactor.now
        wait(until: began + FleetBench.listenWithin, then)
    }

    private func wait(until limit: Instant, _ then: @escaping () -> Void) {
        if LoopbackPort.listens(plan.broker.port) { return then() }
        guard reactor.now < limit else {
            return end("the broker does not listen at port \(plan.broker.port): see its log, and try its command alone")
        }
        reactor.schedule(at: reactor.now + FleetBench.look) { [weak self] in self?.wait(until: limit, then) }
    }

    private func usage() -> (processor: Int64, resident: Int)? {
        guard let process = broker?.process else { return nil }
        let usage = ProcessMeter(process: process).usage()
        guard let processor = usage.processorNanoseconds, let resident = usage.residentKilobytes else { return nil }
        return (processor, resident)
    }

    private func count() {
        (attempts, connections, nearly) = (0, [:], nil)
        (processorAtBegin, residentAtBegin) = usage() ?? (0, 0)
    }

    // MARK: - Arrivals

    private func rise() {
        phase = .rising
        began = reactor.now
        count()
        backEnd?.start()
        for link in links { link.start() }
        limit(.rising)
    }

    private func limit(_ phase: Phase) {
        reactor.schedule(at: reactor.now + .seconds(plan.wait)) { [weak self] in
            guard let self, self.phase == phase else { return }
            end("\(plan.links - there) of \(plan.links) links are not connected after \(plan.wait) s: give more --wait")
        }
    }

    private func receive(_ change: FleetBenchLink.Change) {
        switch change {
        case .attempt: attempts += 1
        case .connected:
            connections[Int((reactor.now - began).wholeNanoseconds / 1_000_000_000), default: 0] += 1
        case .there:
            there += 1
            let isNearly = there * 100 >= plan.links * 99 && (phase != .storm || lost >= plan.links)
            if isNearly { nearly = nearly ?? (reactor.now - began) }
            arriveIfAll()
        case .gone:
            there -= 1
            lost += 1
        }
    }

    private func arriveIfAll() {
        if there == plan.links, phase == .rising || phase == .storm && lost >= plan.links { arrived() }
    }

    private func arrived() {
        let all = reactor.now - began
        let (seconds, nearly) = (Double(all.wholeNanoseconds) / 1e9, Double((nearly ?? all).wholeNanoseconds) / 1e9)
        let isStorm = phase == .storm
        phase = .resting
        reactor.schedule(at: reactor.now + FleetBench.settling) { [weak self] in
            guard let self, let usage = usage() else { return }
            let links = Double(plan.links)
            let arrival = FleetBenchReport.Arrival(
                seconds: seconds, nearly: nearly, peak: connections.values.max() ?? 0, attempts: attempts,
                processor: Double(usage.processor - processorAtBegin) / 1000 / links,
                memory: isStorm ? nil : Double(usage.resident - residentAtBegin) / links)
            report.resident = usage.resident
            if isStorm { report.storm = arrival } else { report.rise = arrival }
            if isStorm { end() } else { pace() }
        }
    }

    // MARK: - Events

    private func pace() {
        phase = .pacing
        began = reactor.now
        count()
        record()
    }

    /// Records the events that are due, on one link after the other.
    private func record() {
        guard phase == .pacing else { return }
        let passed = reactor.now - began
        let due = min(
            Int(Double(passed.wholeNanoseconds) / 1e9 * Double(plan.rate)), plan.rate * plan.seconds)
        while events < due {
            links[next % links.count].record()
            (events, next) = (events + 1, next + 1)
        }
        if passed >= .seconds(plan.seconds) {
            phase = .resting
            return rest(until: reactor.now + FleetBench.restWithin)
        }
        reactor.schedule(at: reactor.now + FleetBench.look) { [weak self] in self?.record() }
    }

    private func store(_ device: String, upTo number: UInt64) {
        guard let index = FleetBenchLink.number(of: device), (1...links.count).contains(index) else { return }
        times += links[index - 1].arrive(upTo: number).map { Double($0.wholeNanoseconds) / 1e6 }
    }

    private func rest(until limit: Instant) {
        guard times.count < events, reactor.now < limit else { return endTraffic() }
        reactor.schedule(at: reactor.now + FleetBench.look) { [weak self] in self?.rest(until: limit) }
    }

    private func endTraffic() {
        guard let usage = usage() else { return end("the broker has ended: see its log") }
        let all = Distribution(times)
        report.traffic = FleetBenchReport.Traffic(
            events: events, arrived: times.count, median: all[.median], p99: all[.p99],
            processor: events > 0 ? Double(usage.processor - processorAtBegin) / 1000 / Double(events) : nil)
        kill()
    }

    // MARK: - The storm

    private func kill() {
        (phase, lost) = (.away, 0)
        broker?.crash()
        reactor.schedule(at: reactor.now + FleetBench.away) { [weak self] in
            guard let self else { return }
            startBroker { [weak self] in self?.storm() }
        }
    }

    private func storm() {
        phase = .storm
        began = reactor.now
        count()
        limit(.storm)
        // All links may have reconnected before the restarted broker was noticed.
        arriveIfAll()
    }

    // MARK: - Meanwhile

    private func tick() {
        if isEnding() {
            report.isInterrupted = true
            return end()
        }
        if phase != .away, phase != .starting, let how = broker?.ended() {
            return end("the broker has ended (\(how)): see its log, and try its command alone")
        }
        reactor.schedule(at: reactor.now + FleetBench.look * 5) { [weak self] in self?.tick() }
    }

    private func showProgress() {
        reactor.schedule(at: reactor.now + FleetBench.progressPause) { [weak self] in
            guard let self else { return }
            ConsoleOutput.write(
                "readerlab bench fleet: \(there) of \(plan.links) links there, \(times.count) of \(events) events arrived",
                to: STDERR_FILENO)
            showProgress()
        }
    }
}

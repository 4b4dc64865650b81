// SPDX-License-Identifier: Apache-2.0

import Peripheral

/// Requests, one outstanding per link, and commands followed by a request.
extension LoadRun where Line: ~Copyable {
    /// The number of write commands between two reads.
    private var commandsPerFence: Int { 16 }

    mutating func sendRequest(_ pdu: [UInt8], on link: Int) {
        controller.links[link].hasAnswer = false
        isOutstanding[link] = true
        controller.send(pdu, on: link, awaitsAnswer: true)
    }

    /// True if the link's request has been answered, reported once.
    mutating func takeAnswer(_ link: Int) -> Bool {
        guard isOutstanding[link], controller.links[link].hasAnswer else { return false }
        isOutstanding[link] = false
        controller.links[link].hasAnswer = false
        return true
    }

    /// Repeats the commands and the request on every link, each round after the response to the previous one. An
    /// operation is a command, or a request if there are no commands.
    mutating func requestTest(
        _ test: LoadTest, commands: [[UInt8]], request: [UInt8]
    ) throws(LoadFault) -> TestResult {
        let perRound = max(commands.count, 1)
        let rounds = max(plan.operations / perRound, 1)
        // Unmeasured rounds first: a host's initial setup is not part of the cost of a request.
        try carryOutRounds(test, min(rounds / 20 + plan.phones, 500), commands, request, nil)
        let before = before()
        try carryOutRounds(test, rounds, commands, request, before)
        return result(test, since: before, operations: latencies.count * perRound, of: rounds * perRound)
    }

    private mutating func carryOutRounds(
        _ test: LoadTest, _ wanted: Int, _ commands: [[UInt8]], _ request: [UInt8], _ limit: Before?
    ) throws(LoadFault) {
        begin(expecting: wanted)
        let expected = request[0] + 1
        var started = 0
        for link in 0..<min(plan.phones, wanted) {
            sendRound(commands, request, on: link)
            started += 1
        }
        var last = line.now
        while latencies.count < wanted {
            if try turn() { last = receivedAt }
            try checkSilence(since: last, during: test.rawValue)
            if let limit, isOver(limit) { break }
            for link in 0..<plan.phones where takeAnswer(link) {
                latencies.append(receivedAt - sentAt[link])
                perLink[link] += 1
                if controller.links[link].answer.first != expected { failures += 1 }
                guard started < wanted else { continue }
                started += 1
                sendRound(commands, request, on: link)
            }
        }
        try drain(test)
    }

    private mutating func sendRound(_ commands: [[UInt8]], _ request: [UInt8], on link: Int) {
        for command in commands { controller.send(command, on: link) }
        sendRequest(request, on: link)
    }

    mutating func commandTest() throws(LoadFault) -> TestResult {
        let value = controller.random.octets(BenchTable.longestCount)
        let command = ATTRequest.writeCommand(handle(.command), value)
        let commands = Array(repeating: command, count: min(commandsPerFence, plan.operations))
        let countBefore = try writtenCommands()
        var result = try requestTest(.command, commands: commands, request: ATTRequest.read(handle(.read)).octets())
        // All commands count, including those of the unmeasured rounds.
        let warming = min(max(plan.operations / commands.count, 1) / 20 + plan.phones, 500) * commands.count
        let sent = result.operations + warming
        let taken = Int(try writtenCommands() &- countBefore)
        result.failures += max(sent - taken, 0)
        return result
    }

    /// Queries the number of write commands that the host has received, by one notification.
    private mutating func writtenCommands() throws(LoadFault) -> UInt32 {
        controller.links[0].notifications = 0
        try ask(controlWrite(count: 1, of: 20), on: 0, during: LoadTest.command.rawValue)
        let start = line.now
        while controller.links[0].notifications == 0 {
            _ = try turn()
            try checkSilence(since: start, during: LoadTest.command.rawValue)
        }
        return controller.links[0].mark
    }

    /// Waits for the responses that were outstanding when the time of a test was over, so that the next test does not
    /// count them.
    mutating func drain(_ test: LoadTest) throws(LoadFault) {
        let start = line.now
        while isOutstanding.contains(true) {
            _ = try turn()
            for link in 0..<plan.phones { _ = takeAnswer(link) }
            try checkSilence(since: start, during: test.rawValue)
        }
    }

    // MARK: - Notifications

    func controlWrite(count: Int, of octets: Int) -> [UInt8] {
        var value: [UInt8] = []
        for shift in stride(from: 0, to: 32, by: 8) { value.append(UInt8(truncatingIfNeeded: count >> shift)) }
        value.append(UInt8(truncatingIfNeeded: octets))
        value.append(UInt8(truncatingIfNeeded: octets >> 8))
        return ATTRequest.write(handle(.control), value)
    }

    mutating func notificationTest(_ test: LoadTest, count octets: Int) throws(LoadFault) -> TestResult {
        let perPhone = max(plan.operations / plan.phones, 1)
        // Unmeasured notifications first: queues grow to their size.
        try notify(test, min(perPhone / 20 + 1, 200), octets, nil)
        begin(expecting: 0)
        let before = before()
        try notify(test, perPhone, octets, before)
        for link in 0..<plan.phones {
            perLink[link] = controller.links[link].notifications
            failures += perLink[link] * octets == controller.links[link].notifiedOctets ? 0 : 1
        }
        return result(
            test, since: before, operations: perLink.reduce(0, +), of: perPhone * plan.phones)
    }

    private mutating func notify(
        _ test: LoadTest, _ perPhone: Int, _ octets: Int, _ limit: Before?
    ) throws(LoadFault) {
        for link in 0..<plan.phones {
            controller.links[link].notifications = 0
            controller.links[link].notifiedOctets = 0
            sendRequest(controlWrite(count: perPhone, of: octets), on: link)
        }
        var last = line.now
        while controller.links.contains(where: { $0.notifications < perPhone }) || isOutstanding.contains(true) {
            if try turn() { last = receivedAt }
            for link in 0..<plan.phones { _ = takeAnswer(link) }
            try checkSilence(since: last, during: test.rawValue)
            if let limit, isOver(limit) { throw .tooSlow(during: test.rawValue) }
        }
    }
}

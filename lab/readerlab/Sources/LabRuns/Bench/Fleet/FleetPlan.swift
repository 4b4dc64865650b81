// SPDX-License-Identifier: Apache-2.0

package import Commands
import Glibc
package import MQTT
import System
import Timekeeping

/// The plan of a bench of many links.
package struct FleetPlan {
    /// The maximum number of links.
    package static let maximumLinks = 20_000
    /// The descriptors of a link: its socket, and a file or a name look-up.
    package static let descriptorsPerLink = 2
    /// The descriptors of everything else.
    private static let otherDescriptors = 64
    /// The placeholder of the broker's port in its command.
    package static let placeholder = "{port}"

    /// The number of links.
    package var links = 1000
    /// The events per second of all links together.
    package var rate = 100
    /// The time with these events, in seconds.
    package var seconds = 10
    /// The time over which the first attempts are spread, in seconds: the option of readerd-link.
    package var spread = 10
    /// The longest time in seconds until all links are connected.
    package var wait = 120
    /// The seed of the random delays.
    package var seed: UInt64 = 1
    /// The broker.
    package var broker: Broker
    /// The command of the broker.
    package var command: [String]

    package init(
        links: Int = 1000, rate: Int = 100, seconds: Int = 10, spread: Int = 10, wait: Int = 120, seed: UInt64 = 1,
        broker: Broker, command: [String]
    ) {
        self.links = links
        self.rate = rate
        self.seconds = seconds
        self.spread = spread
        self.wait = wait
        self.seed = seed
        self.broker = broker
        self.command = command
    }

    /// The command with the port in it.
    package var arguments: [String] {
        command.map { $0.split(separator: FleetPlan.placeholder, omittingEmptySubsequences: false) }
            .map { $0.joined(separator: "\(broker.port)") }
    }

    /// Raises the limit of descriptors to the number that the links need.
    ///
    /// - Throws: `CommandError` if that is not permitted.
    package func raiseLimit() throws(CommandError) {
        let wanted = rlim_t(links * FleetPlan.descriptorsPerLink + FleetPlan.otherDescriptors)
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        guard limit.rlim_cur < wanted else { return }
        limit.rlim_cur = min(wanted, limit.rlim_max)
        // Only the superuser can raise the hard limit.
        var higher = rlimit(rlim_cur: wanted, rlim_max: max(wanted, limit.rlim_max))
        if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &higher) == 0 { return }
        guard limit.rlim_cur >= wanted, setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            throw .failed(
                "\(links) links need \(wanted) descriptors, and \(limit.rlim_max) are permitted: ulimit -Hn as root, or "
                    + "fewer links (-k)")
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

package import MQTT

/// The broker, and the client identifier there.
package struct FleetAccess {
    package let broker: Broker
    package let identity: String

    package init(broker: Broker, identity: String) { (self.broker, self.identity) = (broker, identity) }
}

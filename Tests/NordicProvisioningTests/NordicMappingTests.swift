// SPDX-License-Identifier: Apache-2.0

import NordicProvisioning
import Testing
import WiFi
import WiFiStation

@Suite struct NordicMappingTests {
    /// The Nordic protocol has no number for two generations together.
    @Test func setsOfSecurity() {
        #expect(WiFiSecurity.wpa2WPA3PSK.named == .wpa2Personal && WiFiSecurity.personal.named == .wpaWpa2Personal)
        #expect(WiFiSecurity.wpa2WPA3PSK.exactScanned == .wpaWpa2Personal)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PacketStreamer

@Suite struct PlacePoolTests {
    @Test func aPlaceHasANameAndAPath() {
        #expect(PlacePool.Place("netsim1=/tmp/a=b")?.name == "netsim1")
        #expect(PlacePool.Place("netsim1=/tmp/a=b")?.path == "/tmp/a=b")
        for text in ["", "=", "=/tmp/a", "netsim1", "netsim1="] { #expect(PlacePool.Place(text) == nil, "\(text)") }
    }

    @Test func theFirstFreePlaceIsTaken() {
        var pool = PlacePool(["a=/a", "b=/b"].compactMap(PlacePool.Place.init))
        let first = pool.reserve()
        #expect(first?.name == "a" && pool.reserve()?.name == "b" && pool.reserve() == nil)
        if let first { pool.free(first) }
        #expect(pool.reserve()?.name == "a" && pool.reserve() == nil)
    }

    @Test func theFileHasThePort() {
        #expect(DiscoveryText.text(port: 8554) == "grpc.port=8554\n")
        #expect(DiscoveryText.port(in: "web.port=7681\r\ngrpc.port=8554\r\n") == 8554)
        #expect(DiscoveryText.port(in: "grpc.port=localhost:8554\n") == 8554)
        for text in [
            "", "grpc.port=", "grpc.port=0\n", "grpc.port=65536\n", "grpc.port=x\n", "port=1\n", " grpc.port=1",
        ] {
            #expect(DiscoveryText.port(in: text) == nil, "\(text)")
        }
    }
}

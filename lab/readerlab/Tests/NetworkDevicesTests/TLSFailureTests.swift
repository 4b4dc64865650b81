// SPDX-License-Identifier: Apache-2.0

#if NetworkDevices
    import Testing

    @testable import NetworkDevices

    /// Failed TLS handshakes in words.
    @Suite struct TLSFailureTests {
        /// BoringSSL's text names its own source files; the developer of an app is told what to do.
        @Test(arguments: [
            ("TLSV1_ALERT_UNKNOWN_CA", "the app does not trust the device's certificate"),
            ("HTTP_REQUEST", "the app speaks HTTP without TLS; write https"),
            ("SOMETHING_NEW", "the TLS handshake failed: something new"),
            ("TLSV1_ALERT_USER_CANCELLED", "the app gave the TLS handshake up"),
        ])
        func aTLSFailureInPlainWords(token: String, words: String) {
            struct Failure: Error, CustomStringConvertible { let description: String }
            let error = Failure(
                description: "sslError([Error: 268436528 error:10000430:SSL routines:OPENSSL_internal:\(token) at "
                    + "/home/somebody/.build/checkouts/swift-nio-ssl/tls_record.cc:592])")
            #expect(TLSFailure(error).words == words)
            #expect(TLSFailure(error).isByApp == ["TLSV1_ALERT_UNKNOWN_CA", "HTTP_REQUEST"].contains(token))
            #expect(TLSFailure(Failure(description: "at /home/x")).words == "the TLS handshake failed")
        }
    }
#endif

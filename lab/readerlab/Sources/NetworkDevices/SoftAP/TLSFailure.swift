// SPDX-License-Identifier: Apache-2.0

#if NetworkDevices
    import NIOSSL

    /// The cause of a failed TLS handshake, in words for the developer of an app.
    struct TLSFailure {
        /// The reason.
        let words: String
        /// True if the app caused the failure; false if the handshake merely did not complete.
        let isByApp: Bool

        /// The failure for an error. In BoringSSL's text the reason is in capitals, between numbers and the path of its
        /// source.
        init(_ error: any Error) {
            let text = "\(error)"
            guard let mark = text.firstRange(of: "OPENSSL_internal:") else {
                self.init(token: "")
                return
            }
            self.init(token: String(text[mark.upperBound...].prefix { $0.isUppercase || $0.isNumber || $0 == "_" }))
        }

        /// The failure for a reason of BoringSSL.
        init(token: String) {
            isByApp = TLSFailure.reason(token) != nil
            words =
                TLSFailure.reason(token)
                ?? (["TLSV1_ALERT_USER_CANCELLED", "TLSV1_ALERT_INTERNAL_ERROR"].contains(token)
                    ? "the app gave the TLS handshake up"
                    : token.isEmpty
                        ? "the TLS handshake failed"
                        : "the TLS handshake failed: \(token.lowercased().replacing("_", with: " "))")
        }

        private static func reason(_ token: String) -> String? {
            switch token {
            case "TLSV1_ALERT_UNKNOWN_CA", "SSLV3_ALERT_CERTIFICATE_UNKNOWN", "SSLV3_ALERT_BAD_CERTIFICATE",
                "SSLV3_ALERT_UNSUPPORTED_CERTIFICATE", "TLSV1_ALERT_BAD_CERTIFICATE_STATUS_RESPONSE":
                "the app does not trust the device's certificate"
            case "SSLV3_ALERT_CERTIFICATE_EXPIRED": "the app takes the device's certificate for expired: see its clock"
            case "SSLV3_ALERT_HANDSHAKE_FAILURE", "NO_SHARED_CIPHER":
                "the app and the device have no TLS cipher in common"
            case "HTTP_REQUEST", "HTTPS_PROXY_REQUEST": "the app speaks HTTP without TLS; write https"
            case "UNSUPPORTED_PROTOCOL", "WRONG_VERSION_NUMBER", "TLSV1_ALERT_PROTOCOL_VERSION":
                "the app and the device have no TLS version in common, or the app does not speak TLS"
            default: nil
            }
        }
    }
#endif

// SPDX-License-Identifier: Apache-2.0

#if NetworkDevices
    import NIOSSL

    /// A failed TLS handshake in words for the developer of an app.
    enum TLSFailure {
        /// The reason. BoringSSL's own text has its reason in capitals, among numbers and the path of its source.
        static func words(_ error: any Error) -> String {
            let text = "\(error)"
            guard let mark = text.firstRange(of: "OPENSSL_internal:") else { return "the TLS handshake failed" }
            let token = text[mark.upperBound...].prefix { $0.isUppercase || $0.isNumber || $0 == "_" }
            return words(String(token))
        }

        /// The reason for one of BoringSSL's.
        static func words(_ token: String) -> String {
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
            case "TLSV1_ALERT_USER_CANCELLED", "TLSV1_ALERT_INTERNAL_ERROR": "the app gave the TLS handshake up"
            case "": "the TLS handshake failed"
            default: "the TLS handshake failed: \(token.lowercased().replacing("_", with: " "))"
            }
        }
    }
#endif

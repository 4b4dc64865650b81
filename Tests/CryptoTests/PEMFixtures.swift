// SPDX-License-Identifier: Apache-2.0

/// The demo terminal key in every form that a file may have, and keys that must be refused. All were made with the
/// `openssl` program; none protects anything.
enum PEMFixtures {
    /// PKCS#8, as `openssl pkcs8 -topk8 -nocrypt` writes it.
    static let pkcs8 = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgpattFBEwR6etbBDk
        TeY8BblrhLUf4xTWh1xGnrnNaSuhRANCAAQ6ZoZ1ySkpB8NjGJdN2UQccfnkReh0
        Gj+va8WMnGkTvkQUC2BFT3YvwvGYQZjsbjkbUzaLkHPqHecgz6G+LdTx
        -----END PRIVATE KEY-----

        """

    /// SEC 1, as `openssl ec` writes it.
    static let sec1 = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIKWrbRQRMEenrWwQ5E3mPAW5a4S1H+MU1odcRp65zWkroAoGCCqGSM49
        AwEHoUQDQgAEOmaGdckpKQfDYxiXTdlEHHH55EXodBo/r2vFjJxpE75EFAtgRU92
        L8LxmEGY7G45G1M2i5Bz6h3nIM+hvi3U8Q==
        -----END EC PRIVATE KEY-----

        """

    /// SEC 1 after a block of parameters, as `openssl ecparam -genkey` writes it.
    static let sec1WithParameters = """
        -----BEGIN EC PARAMETERS-----
        BggqhkjOPQMBBw==
        -----END EC PARAMETERS-----
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIKWrbRQRMEenrWwQ5E3mPAW5a4S1H+MU1odcRp65zWkroAoGCCqGSM49
        AwEHoUQDQgAEOmaGdckpKQfDYxiXTdlEHHH55EXodBo/r2vFjJxpE75EFAtgRU92
        L8LxmEGY7G45G1M2i5Bz6h3nIM+hvi3U8Q==
        -----END EC PRIVATE KEY-----

        """

    /// SEC 1 with the scalar and the curve only.
    static let sec1WithoutPublicHalf = """
        -----BEGIN EC PRIVATE KEY-----
        MDECAQEEIKWrbRQRMEenrWwQ5E3mPAW5a4S1H+MU1odcRp65zWkroAoGCCqGSM49
        AwEH
        -----END EC PRIVATE KEY-----

        """

    /// SEC 1 whose public half belongs to the demo signature key.
    static let mismatched = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIKWrbRQRMEenrWwQ5E3mPAW5a4S1H+MU1odcRp65zWkroAoGCCqGSM49
        AwEHoUQDQgAEWg1uZ0XM1cGM69iv9uqG2MOvQz+3otJfITRC1M2Wg7TmfS3cJetT
        +RJ2HkDmyZmD3ZCQ/vC0JZnNFq45L8+WQw==
        -----END EC PRIVATE KEY-----

        """

    /// The curve spelled out instead of named.
    static let explicitParameters = """
        -----BEGIN EC PRIVATE KEY-----
        MIIBaAIBAQQgpattFBEwR6etbBDkTeY8BblrhLUf4xTWh1xGnrnNaSuggfowgfcC
        AQEwLAYHKoZIzj0BAQIhAP////8AAAABAAAAAAAAAAAAAAAA////////////////
        MFsEIP////8AAAABAAAAAAAAAAAAAAAA///////////////8BCBaxjXYqjqT57Pr
        vVV2mIa8ZR0GsMxTsPY7zjw+J9JgSwMVAMSdNgiG5wSTamZ44ROdJreBn36QBEEE
        axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpZP40Li/hp/m47n60p8D54W
        K84zV2sxXs7LtkBoN79R9QIhAP////8AAAAA//////////+85vqtpxeehPO5ysL8
        YyVRAgEBoUQDQgAEOmaGdckpKQfDYxiXTdlEHHH55EXodBo/r2vFjJxpE75EFAtg
        RU92L8LxmEGY7G45G1M2i5Bz6h3nIM+hvi3U8Q==
        -----END EC PRIVATE KEY-----

        """

    /// PKCS#8 under the passphrase `secret`.
    static let encryptedPKCS8 = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhFmCtd/Mzb/AICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEN9nXWF//ljUtOXmEcIXrbEEgZC5
        18zJ47dcbwBlojN8DCWhC+oa5p9yUzKILxyTH7+P0jLncCjHmprSpFySFILivSuC
        68FlSDi9lTYvc5dHspBq+5YEm4rwWf+WYnWVqyn6XH5TkX1mzGKMlRj9NDI4RdFD
        lMkrNA/BEx6h1Eh6xw15/ckaSdqnjHon2Ne17PsYRCiFkesOqIMzA+kHVHFsyMM=
        -----END ENCRYPTED PRIVATE KEY-----

        """

    /// SEC 1 under the passphrase `secret`.
    static let encryptedSEC1 = """
        -----BEGIN EC PRIVATE KEY-----
        Proc-Type: 4,ENCRYPTED
        DEK-Info: AES-128-CBC,23797407451013C56CAADBC1D235DC3C

        qN3irjOIHlm3oZUaqUAFHZ0iNs2H0g/0k34tsnQgzoCO3gt+Otm/2yw0HQJwW1ra
        BUrSp7Zl9455LWGNqdoS1Pce1KWVjLsAkFAzJoR/CETgU/6A/n8wvMt1HPKUNjKB
        vFuFKGFnTzRUYdSTLadXUQz1faVPRmyV1pi8tJ/kv0E=
        -----END EC PRIVATE KEY-----

        """

    /// Another curve.
    static let p384 = """
        -----BEGIN EC PRIVATE KEY-----
        MIGkAgEBBDAtnphZsOMpk/67VIQWTAfagUawXinyjYRlmHPzpbFfyji8I6LsYoOr
        3vCuBAFQ8m6gBwYFK4EEACKhZANiAASkK8vFI/UjDeOYkyANphH8XRk0dNLNeLAu
        gSXExvBCFW1Hs+z4sr9cSZlvmAb3nhdJGWqByn49yu61Rfxa+PhDyclNmzxOEGOz
        OjNxAypetE6BJ6kpC4+KmdGQ6TwFZZc=
        -----END EC PRIVATE KEY-----

        """

    /// Another kind of key.
    static let ed25519 = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIKF4oTOKNQLnbuP6iq6EBShrmhI5Svn+J3moijaCWM8/
        -----END PRIVATE KEY-----

        """

    /// The public half.
    static let publicKey = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEOmaGdckpKQfDYxiXTdlEHHH55EXo
        dBo/r2vFjJxpE75EFAtgRU92L8LxmEGY7G45G1M2i5Bz6h3nIM+hvi3U8Q==
        -----END PUBLIC KEY-----

        """

    /// The public half, its point compressed.
    static let compressedPublicKey = """
        -----BEGIN PUBLIC KEY-----
        MDkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDIgADOmaGdckpKQfDYxiXTdlEHHH55EXo
        dBo/r2vFjJxpE74=
        -----END PUBLIC KEY-----

        """

    /// Another curve, public.
    static let p384PublicKey = """
        -----BEGIN PUBLIC KEY-----
        MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEpCvLxSP1Iw3jmJMgDaYR/F0ZNHTSzXiw
        LoElxMbwQhVtR7Ps+LK/XEmZb5gG954XSRlqgcp+PcrutUX8Wvj4Q8nJTZs8ThBj
        szozcQMqXrROgSepKQuPipnRkOk8BWWX
        -----END PUBLIC KEY-----

        """
}

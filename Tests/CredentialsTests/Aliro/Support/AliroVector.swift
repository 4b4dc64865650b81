// SPDX-License-Identifier: Apache-2.0

import TestSupport

/// A transaction with all its octets, from an independent implementation whose keys other programs have reproduced.
/// Signatures are those of RFC 6979.
struct AliroVector: Sendable {
    let name: String
    /// Keys and identifiers by name.
    let inputs: [String: String]
    let derived: [String: String]
    /// Commands and responses.
    let apdus: [(command: String, response: String)]

    func input(_ name: String) -> [UInt8] { octets(inputs[name] ?? "") }
    func key(_ name: String) -> [UInt8] { octets(derived[name] ?? "") }
}

extension AliroVector {
    static let standard = AliroVector(
        name: "standard",
        inputs: [
            "reader_private_key": "bd448b7ded19a52ecd429b1f273fb5b18c9c94ae56dd5e8c4b2e44aecd056a73",
            "reader_public_key": """
            04df8925beb802b687a6c2d0fb1fae3f519e6b6fba197798dbfc117e0f8f3e536eaa8def5c08c508b6032fe5083519
            7f43cf3d7ecd4f87640073ab55ba0186046f
            """,
            "reader_group_identifier": "a656fb93b8b06b859bda2819d4d3f245",
            "reader_group_sub_identifier": "5616535d0a9760eb3fd20ef0a1bb0e6a",
            "credential_private_key": "9293c769ccc75562180455ed7db8ba0699ddcb582d34872d71f442f7a61d43e3",
            "credential_public_key": """
            041f52380d2966e0c314169d7275febca33859ad4ca47e6946158740c1b86374a193f6b6baab6f9f5328d3fd19e8d4
            810e382506804fe80211c69a7f7b0f17d5a1
            """,
            "reader_ephemeral_private_key": "96cc072e98fa1d819044ed988b5aa175cf3563e718a95f5a59763ee03c133833",
            "device_ephemeral_private_key": "fe68ead92de0a7e87fb47c012d0ca9dbfefc4adc48cd01f7d74a50dcb4ddb498",
            "device_ephemeral_public_key": """
            04736c3a414d10230ecbef03f368d211b6b3e11b82bf6d69fa4fe8f066fa51e79903f0697dad85cabea2eea975c5f9
            66ff01114f5417c54f4ff8e726b37028b1c0
            """,
            "transaction_identifier": "6375fee14305f9e5eb8a947e2d2812f9",
        ],
        derived: [
            "ecdh_x": "7e2a3bf4ac042e0c5cb8fba7eb120ee2338ef1545e169744945f9dd75d4d6265",
            "Kdh": "cfba55c49638fc77a8cf65dbd46dd9547abd0b8bdc68899d0746d75a2ca17f78",
            "salt": """
            df8925beb802b687a6c2d0fb1fae3f519e6b6fba197798dbfc117e0f8f3e536e566f6c6174696c652a2a2a2aa656fb
            93b8b06b859bda2819d4d3f2455616535d0a9760eb3fd20ef0a1bb0e6a5e5c020100eb0609c754fcd55783e5fe8eb9
            11bda37531799c970cae06b455943f836793fd6375fee14305f9e5eb8a947e2d2812f90001a508800200005c020100
            """,
            "info": "736c3a414d10230ecbef03f368d211b6b3e11b82bf6d69fa4fe8f066fa51e799",
            "okm": """
            c072043f2adbbc5ccdfb380bdd497fb66110f1cd3b2e3960a5685edf5c52a1fa1f70d5870a2027dc5d70302a0b1b75
            6512672bae0cb55a194da379f0dedfa0af8c79295a879f950c2ac15cd3cf2c49d20df058cf0c6df9639d9413f7846c
            5c209832ae661c8933fbbea6b4cb6ffbaf3d469360fa51c8143e869d3b467294ea1e00577b4553bf81ac0e93e2a08c
            d259e9a30cd15c10d4c3da2b62d6798b2db299
            """,
            "ExpeditedSKReader": "c072043f2adbbc5ccdfb380bdd497fb66110f1cd3b2e3960a5685edf5c52a1fa",
            "ExpeditedSKDevice": "1f70d5870a2027dc5d70302a0b1b756512672bae0cb55a194da379f0dedfa0af",
            "StepUpSK": "8c79295a879f950c2ac15cd3cf2c49d20df058cf0c6df9639d9413f7846c5c20",
            "StepUpSKReader": "c26334ecdf03881419991cadaeeb13e9963cd496fe2ac81edd1da4364f2b626d",
            "StepUpSKDevice": "1d250ef4e4ad61150a4bed39c13fc993baa942ff8a1fcb336c825f7527214592",
            "salt_persistent": """
            df8925beb802b687a6c2d0fb1fae3f519e6b6fba197798dbfc117e0f8f3e536e50657273697374656e742a2aa656fb
            93b8b06b859bda2819d4d3f2455616535d0a9760eb3fd20ef0a1bb0e6a5e5c020100eb0609c754fcd55783e5fe8eb9
            11bda37531799c970cae06b455943f836793fd6375fee14305f9e5eb8a947e2d2812f90001a508800200005c020100
            1f52380d2966e0c314169d7275febca33859ad4ca47e6946158740c1b86374a1
            """,
            "Kpersistent": "473092fb09d46e1592131c81b76e17d566c058fcb2a56fbfa2d0ec2390e3ae91",
            "reader_signature_input": """
            4d20a656fb93b8b06b859bda2819d4d3f2455616535d0a9760eb3fd20ef0a1bb0e6a8620736c3a414d10230ecbef03
            f368d211b6b3e11b82bf6d69fa4fe8f066fa51e7998720eb0609c754fcd55783e5fe8eb911bda37531799c970cae06
            b455943f836793fd4c106375fee14305f9e5eb8a947e2d2812f99304415d9569
            """,
            "reader_signature": """
            c83fc0c75076a972e4e7ce162d3b65535b2a580d3d868433e930418dfa501623e3c8576abcd15156c7d7156e64a190
            a46ff37ea06f85070b8e7219c41d5ce962
            """,
            "device_signature_input": """
            4d20a656fb93b8b06b859bda2819d4d3f2455616535d0a9760eb3fd20ef0a1bb0e6a8620736c3a414d10230ecbef03
            f368d211b6b3e11b82bf6d69fa4fe8f066fa51e7998720eb0609c754fcd55783e5fe8eb911bda37531799c970cae06
            b455943f836793fd4c106375fee14305f9e5eb8a947e2d2812f993044e887b4c
            """,
        ],
        apdus: [
            (
                "00a4040009a000000909acce550100",
                "6f158409a000000909acce5501a508800200005c0201009000"
            ),
            (
                """
                80800000814101004201015c020100874104eb0609c754fcd55783e5fe8eb911bda37531799c970cae06b45594
                3f836793fd2ef803116f80ef445cbcc363f3b3349db59988886444e8428bd83d44523e4b3f4c106375fee14305
                f9e5eb8a947e2d2812f94d20a656fb93b8b06b859bda2819d4d3f2455616535d0a9760eb3fd20ef0a1bb0e6a00
                """,
                """
                864104736c3a414d10230ecbef03f368d211b6b3e11b82bf6d69fa4fe8f066fa51e79903f0697dad85cabea2ee
                a975c5f966ff01114f5417c54f4ff8e726b37028b1c09000
                """
            ),
            (
                """
                80810000454101019e40c83fc0c75076a972e4e7ce162d3b65535b2a580d3d868433e930418dfa501623e3c857
                6abcd15156c7d7156e64a190a46ff37ea06f85070b8e7219c41d5ce96200
                """,
                """
                dfb53a311768bed618274a52e688c00e9b859ec9e81d44c8a3cf31ea69801c145eaa3cd46fcd287d461794af86
                4474ccd12f6d58825684ae3917080cebfa10f4c4ef6dc4d8e4785db5f87c8d5fb056e865b4d7f23202db57974e
                cf79202868fcabaf8ab0bcb4dc8be26ba1bb5b5be049b4d45eb38a37a27d0cf66fb5bb5f8415fca52ff1237f60
                1e7fa7cde2c063d24736a84caef63af486669000
                """
            ),
            (
                "80c9000014e6e7dcbd0a2383f0c22eecf5ee3dc99b57d3ae0a00",
                "caaecbe17b1b6f26bb83304c6989ffeb6d08f1409000"
            ),
        ])

    static let fast = AliroVector(
        name: "fast",
        inputs: [
            "reader_private_key": "bd448b7ded19a52ecd429b1f273fb5b18c9c94ae56dd5e8c4b2e44aecd056a73",
            "reader_public_key": """
            04df8925beb802b687a6c2d0fb1fae3f519e6b6fba197798dbfc117e0f8f3e536eaa8def5c08c508b6032fe5083519
            7f43cf3d7ecd4f87640073ab55ba0186046f
            """,
            "reader_group_identifier": "a656fb93b8b06b859bda2819d4d3f245",
            "reader_group_sub_identifier": "5616535d0a9760eb3fd20ef0a1bb0e6a",
            "credential_private_key": "9293c769ccc75562180455ed7db8ba0699ddcb582d34872d71f442f7a61d43e3",
            "credential_public_key": """
            041f52380d2966e0c314169d7275febca33859ad4ca47e6946158740c1b86374a193f6b6baab6f9f5328d3fd19e8d4
            810e382506804fe80211c69a7f7b0f17d5a1
            """,
            "reader_ephemeral_private_key": "b366157796e56b28e8346428e898f11d8561497b76384a52800c12d9cda71e7f",
            "device_ephemeral_private_key": "b10d6a42e437a3cc933503fadfb44132154567ec2e6d4fe75642018d6c87d8d9",
            "device_ephemeral_public_key": """
            04e1b7785adc409df31f27a938d8759c94c14f53fa608227d0b9f74c51edf514882a88481f28c6b9e390ba743ea9af
            59ea91bd479165fa6b1dd850c3f8152ac5b4
            """,
            "transaction_identifier": "2b2648cfadc70ccc8685e35836a9454a",
            "Kpersistent": "473092fb09d46e1592131c81b76e17d566c058fcb2a56fbfa2d0ec2390e3ae91",
        ],
        derived: [
            "salt": """
            df8925beb802b687a6c2d0fb1fae3f519e6b6fba197798dbfc117e0f8f3e536e566f6c6174696c6546617374a656fb
            93b8b06b859bda2819d4d3f2455616535d0a9760eb3fd20ef0a1bb0e6a5e5c0201008b06d407e198b03c16ae188859
            5635edbf8804aa4f17089bf2a6f815025de8c32b2648cfadc70ccc8685e35836a9454a0101a508800200005c020100
            1f52380d2966e0c314169d7275febca33859ad4ca47e6946158740c1b86374a1
            """,
            "info": "736c3a414d10230ecbef03f368d211b6b3e11b82bf6d69fa4fe8f066fa51e799",
            "okm": """
            2abe1834cee644678947d40da6e1d9fe28327fe4e568079d328b48941b16bfee3b3e719ad4dbbd0bf2a9252da6c0bd
            18c5a29d536ccc933d8aca272b77fb43ea205bf73b2369ae7ed09a0bfa222cdb3bc7986f1669ba77f44f6a66fc7c3b
            4b582d282fdaae0aaa2a7857bd7280e4119ba2445c469d48caf4d07413295fdd452a3c8d5a275fad4948eb29b9b2cd
            964860a703678b62df74af6968db874e6034e7
            """,
            "ExpeditedSKReader": "3b3e719ad4dbbd0bf2a9252da6c0bd18c5a29d536ccc933d8aca272b77fb43ea",
            "ExpeditedSKDevice": "205bf73b2369ae7ed09a0bfa222cdb3bc7986f1669ba77f44f6a66fc7c3b4b58",
            "CryptogramSK": "2abe1834cee644678947d40da6e1d9fe28327fe4e568079d328b48941b16bfee",
            "cryptogram_plaintext": """
            5e0200009114323032362d30312d30315430303a30303a30305a921400000000000000000000000000000000000000
            00
            """,
            "cryptogram": """
            a8965324985b529ab597d7f6ec4c3675e1092115fa929e82c9ce85ef86be75525cde50b1605503e03faa8277192081
            24051476ea4d003e624a5f037d9db29a8b
            """,
        ],
        apdus: [
            (
                "00a4040009a000000909acce550100",
                "6f158409a000000909acce5501a508800200005c0201009000"
            ),
            (
                """
                80800000814101014201015c0201008741048b06d407e198b03c16ae1888595635edbf8804aa4f17089bf2a6f8
                15025de8c3774d3e73963eeabbd4d706cff04a7a5bec3bba5f19ae74d7976e7795a0df3b1d4c102b2648cfadc7
                0ccc8685e35836a9454a4d20a656fb93b8b06b859bda2819d4d3f2455616535d0a9760eb3fd20ef0a1bb0e6a00
                """,
                """
                864104e1b7785adc409df31f27a938d8759c94c14f53fa608227d0b9f74c51edf514882a88481f28c6b9e390ba
                743ea9af59ea91bd479165fa6b1dd850c3f8152ac5b49d40a8965324985b529ab597d7f6ec4c3675e1092115fa
                929e82c9ce85ef86be75525cde50b1605503e03faa827719208124051476ea4d003e624a5f037d9db29a8b9000
                """
            ),
            (
                "80c90000142c935dab10f866b62aa64d0f12b0a08955fbe60c00",
                "fe209da969ae01df056645a544ad5b66f0da60aa9000"
            ),
        ])

    static let stepUp = AliroVector(
        name: "step-up",
        inputs: [
            "reader_private_key": "bd448b7ded19a52ecd429b1f273fb5b18c9c94ae56dd5e8c4b2e44aecd056a73",
            "reader_public_key": """
            04df8925beb802b687a6c2d0fb1fae3f519e6b6fba197798dbfc117e0f8f3e536eaa8def5c08c508b6032fe5083519
            7f43cf3d7ecd4f87640073ab55ba0186046f
            """,
            "reader_group_identifier": "a656fb93b8b06b859bda2819d4d3f245",
            "reader_group_sub_identifier": "5616535d0a9760eb3fd20ef0a1bb0e6a",
            "credential_private_key": "9293c769ccc75562180455ed7db8ba0699ddcb582d34872d71f442f7a61d43e3",
            "credential_public_key": """
            041f52380d2966e0c314169d7275febca33859ad4ca47e6946158740c1b86374a193f6b6baab6f9f5328d3fd19e8d4
            810e382506804fe80211c69a7f7b0f17d5a1
            """,
            "reader_ephemeral_private_key": "82d7d5bac366f3928697f2ea10df665dc03be0ce9cb295bc65410056bd79d543",
            "device_ephemeral_private_key": "ff198ec3ac8ed85dcec09d43fbbde89fcd95c96b3f9216e01947bec673e1bf55",
            "device_ephemeral_public_key": """
            0474ca3bfd8a609663d4cee76a6cad0a6ca866db45ba3b528fcae56c2ac1c565fcd50d1db87e5ae4c808496e9a1aec
            5275e5a0d18f64a8b434ba935b56cb17e430
            """,
            "transaction_identifier": "1b92f2a609fdc404df23c73eb95b624d",
            "issuer_public_key": """
            04576010c56178b00fd4af2d9bdcc71a8e5c88bfcec629f81357ebb7ef3e60b02c5531d60753c7a4e134fd563a9773
            5f996e3fc94a44579eb95d8c439dae56a57f
            """,
            "issuer_private_key": "ad68f9e900d7969d114262c275339b10dc05bb746ff4bcbb8dc8552fd01c6348",
        ],
        derived: [
            "ecdh_x": "00147d319c06a9c12906801ef0229272babb467de695d1488f16994b064e4d00",
            "Kdh": "8db31532cff1f321fc8c6a621f075e406e4739f905adc632b9de385d71bf55ee",
            "salt": """
            df8925beb802b687a6c2d0fb1fae3f519e6b6fba197798dbfc117e0f8f3e536e566f6c6174696c652a2a2a2aa656fb
            93b8b06b859bda2819d4d3f2455616535d0a9760eb3fd20ef0a1bb0e6a5e5c020100c7d02b84b5f4d3423a0df89d9d
            043971cd074335beefaea821ff3f515e430fa01b92f2a609fdc404df23c73eb95b624d0001a508800200005c020100
            """,
            "info": "74ca3bfd8a609663d4cee76a6cad0a6ca866db45ba3b528fcae56c2ac1c565fc",
            "okm": """
            df094c7d9d0c6369099b40bd997ec5bd39c5b0e762a3e41660574efd3a041f1d0a6dbe8eda3e61f4e6eea39be1b1f4
            05b01262c83fc25497d60088dae16e0ef1d616aaa07c71b3c85c5e52cbfe8008809fec9a876f0b590a4310642b7a40
            59d7577495cd711628e59bd71d1b370123735f26dc54a0ac8cc29bba24b3c44ec385e0c5d0e6fe628745180f586301
            bd8185930e1d95fc19024d8c52cbb838c3b64b
            """,
            "ExpeditedSKReader": "df094c7d9d0c6369099b40bd997ec5bd39c5b0e762a3e41660574efd3a041f1d",
            "ExpeditedSKDevice": "0a6dbe8eda3e61f4e6eea39be1b1f405b01262c83fc25497d60088dae16e0ef1",
            "StepUpSK": "d616aaa07c71b3c85c5e52cbfe8008809fec9a876f0b590a4310642b7a4059d7",
            "StepUpSKReader": "2a9cefe2a4ac354d668a37f87b691cdaa6c1d1677bed356d20cd286a46731acc",
            "StepUpSKDevice": "53d1246365db98fe2fd410d356a2b87ea0a734ded3bc11487c41dce2e6130b06",
            "salt_persistent": """
            df8925beb802b687a6c2d0fb1fae3f519e6b6fba197798dbfc117e0f8f3e536e50657273697374656e742a2aa656fb
            93b8b06b859bda2819d4d3f2455616535d0a9760eb3fd20ef0a1bb0e6a5e5c020100c7d02b84b5f4d3423a0df89d9d
            043971cd074335beefaea821ff3f515e430fa01b92f2a609fdc404df23c73eb95b624d0001a508800200005c020100
            1f52380d2966e0c314169d7275febca33859ad4ca47e6946158740c1b86374a1
            """,
            "Kpersistent": "cf864c501fd198dec4f3009ba652fb4ae790ff1654bc8f0be4e40d1de6529602",
            "reader_signature_input": """
            4d20a656fb93b8b06b859bda2819d4d3f2455616535d0a9760eb3fd20ef0a1bb0e6a862074ca3bfd8a609663d4cee7
            6a6cad0a6ca866db45ba3b528fcae56c2ac1c565fc8720c7d02b84b5f4d3423a0df89d9d043971cd074335beefaea8
            21ff3f515e430fa04c101b92f2a609fdc404df23c73eb95b624d9304415d9569
            """,
            "reader_signature": """
            6134565e915fb19870170ee657e36ba9b259ed6d164956aa3195b6dd050780b931a6c637ea7929cf1620595f562571
            913f07b114d277cf653ea84e68fb1f4c6e
            """,
            "device_signature_input": """
            4d20a656fb93b8b06b859bda2819d4d3f2455616535d0a9760eb3fd20ef0a1bb0e6a862074ca3bfd8a609663d4cee7
            6a6cad0a6ca866db45ba3b528fcae56c2ac1c565fc8720c7d02b84b5f4d3423a0df89d9d043971cd074335beefaea8
            21ff3f515e430fa04c101b92f2a609fdc404df23c73eb95b624d93044e887b4c
            """,
        ],
        apdus: [
            (
                "00a4040009a000000909acce550100",
                "6f158409a000000909acce5501a508800200005c0201009000"
            ),
            (
                """
                80800000814101004201015c020100874104c7d02b84b5f4d3423a0df89d9d043971cd074335beefaea821ff3f
                515e430fa0437800c351e2891522b69ac3ee3840c681bc178bca1c0643411901d5c65507d24c101b92f2a609fd
                c404df23c73eb95b624d4d20a656fb93b8b06b859bda2819d4d3f2455616535d0a9760eb3fd20ef0a1bb0e6a00
                """,
                """
                86410474ca3bfd8a609663d4cee76a6cad0a6ca866db45ba3b528fcae56c2ac1c565fcd50d1db87e5ae4c80849
                6e9a1aec5275e5a0d18f64a8b434ba935b56cb17e4309000
                """
            ),
            (
                """
                80810000454101019e406134565e915fb19870170ee657e36ba9b259ed6d164956aa3195b6dd050780b931a6c6
                37ea7929cf1620595f562571913f07b114d277cf653ea84e68fb1f4c6e00
                """,
                """
                34cf6e4f8008643b20884962a240cf104163c08a0c8c7f9c4b3f3cebc17400558c1c42e36db44a35370aa77cce
                1f7bfff15016ddaf78167e67b9f40b71247c77b8bbe187d092bc80d8b406db8aa6ce33c3f2468523c34e4f76de
                c8fc59466e404dd27331bf423133c304e3b0ecd0c9df671c694f3efdd4182c9a8a859f2bc7192090e124be01f3
                38fc711e32aa93016042673c5d73a5ad72b5a7f10e492caf3b8395484c665092761ffa17ce1c96ea9000
                """
            ),
            (
                "00a4040009a000000909acce550200",
                "6f118409a000000909acce5502a504800200009000"
            ),
            (
                """
                00c300004b5349a164646174615841e36abb3e00906791181090b37e063ba04d5dc54121ac759d16e96a7d2e3b
                e381f9f27ef8ef2ee38dfc02eee9f085c733deb4095ebce6a5c115bb363c6b3b56435000
                """,
                """
                538201c9a164646174615901c0e17a7813f3f9ac8280195bde32209e0eba470bb41241bb051d3d5ca1f71b0753
                0fb0edaabfea73b54de21de5e00ef96dc55e5f475421d458622371db5ab5760c3118b2f4bb10b29333ee50bc0f
                0f6fb36f271772cd42937149b730cf83e1be4eff59604aa55511d78cf3a5030ef0be653e13fc86f4432116aa35
                66bb9fc191f89ad9325b57cbf513cab7821c10d50e0c5a950e40f19e2f17a10d246f2083b7d361434e08bedb62
                3dd5b39cf15afc09bb18a3cae86befb4738dda8f4c44090fa82cff90f68fa24abf5b14927de400b3e856bddb25
                59fa37c9342c8d94b323259fd97455f36aa2d985f9a55556cdbded1807a38461cd
                """
            ),
            (
                "00c00000cd",
                """
                0176aa5bab91352c40b66f5f339f4b95414023c40c582f6a333639423740fb0c0492bc6fee290679732a131f48
                67800fff3d28a8a1a07ebb957e0e5db624b282cd9f8feea9c89265b7afdc1ef4c744b330828c24eae3a9a82a1e
                fa84a7352304fde28caadb933d15a8e9ee57308c4e240152fd08ea0e68916c8cb0b429c6fb438476223bf15b7a
                a3747045f567353b69a83696eb7c84e2823ae3ea6fb762e3321cc9ca510acb7306f9a6cea7ec36dc8881375c68
                a579fb6ca75699852eae6012d9f264062aa965673f290e1ac89000
                """
            ),
            (
                "80c90000144ea093681a85210bd7ae2fb986dc86e8ca12058200",
                "f9ef957d88728ab9fe9ab514b1f1918a3e61f46c9000"
            ),
        ])

    static let certified = AliroVector(
        name: "with a certificate",
        inputs: [
            "reader_private_key": "bd448b7ded19a52ecd429b1f273fb5b18c9c94ae56dd5e8c4b2e44aecd056a73",
            "reader_public_key": """
            04df8925beb802b687a6c2d0fb1fae3f519e6b6fba197798dbfc117e0f8f3e536eaa8def5c08c508b6032fe5083519
            7f43cf3d7ecd4f87640073ab55ba0186046f
            """,
            "reader_group_identifier": "a656fb93b8b06b859bda2819d4d3f245",
            "reader_group_sub_identifier": "5616535d0a9760eb3fd20ef0a1bb0e6a",
            "credential_private_key": "9293c769ccc75562180455ed7db8ba0699ddcb582d34872d71f442f7a61d43e3",
            "credential_public_key": """
            041f52380d2966e0c314169d7275febca33859ad4ca47e6946158740c1b86374a193f6b6baab6f9f5328d3fd19e8d4
            810e382506804fe80211c69a7f7b0f17d5a1
            """,
            "reader_ephemeral_private_key": "14884d5035e3a4f4860206ed231e4f57cef28bfb5958ffd0958af1685bf77a81",
            "device_ephemeral_private_key": "1cd7666e2c6e544d686027f2f11e0a6121e6a517b4152326a1bc52d57abf54bd",
            "device_ephemeral_public_key": """
            048c11b6a41a3f32f9502b93d2713673ccac6741bec7e0bbe8428dcb11e4b604e297507ba2c99c24ebe3246098e7c0
            8a575935b0ba18aa896ab88a470783c4210c
            """,
            "transaction_identifier": "ff0aa6bbeef47326a37e9db994302873",
            "reader_ca_public_key": """
            04e4a6f36f28448ece7097f1b5078cab0d23b297211d234d42c475957c1062dbfa6eed3559cf7b1abc49b16ebb1443
            029a4cdb65a6374cbb0c662c9201b18fa63f
            """,
            "compressed_certificate": """
            3081cf040200003081c880012a810f62656e636820726561646572204341820d3236303130313030303030305a830d
            3336303130313030303030305a8406646f6f72203785420004df8925beb802b687a6c2d0fb1fae3f519e6b6fba1977
            98dbfc117e0f8f3e536eaa8def5c08c508b6032fe50835197f43cf3d7ecd4f87640073ab55ba0186046f8648003045
            022100947c31d1cc14df6fda01422b454fa0341c1655a492f1429720ac1ffd3aefcee402206860a5de5f756271120d
            bca2ab1deaf736b01a39bf3dd1b78e76e487424691bf
            """,
        ],
        derived: [
            "ecdh_x": "45db62b04c8ceef2255e475c3fa3d31d30623d023d12660b27506468747d4c96",
            "Kdh": "82acf88fdd7a3aac11306f55cbebba3f41ffbb3bf9f38a1d9002302f2b66cb06",
            "salt": """
            e4a6f36f28448ece7097f1b5078cab0d23b297211d234d42c475957c1062dbfa566f6c6174696c652a2a2a2aa656fb
            93b8b06b859bda2819d4d3f2455616535d0a9760eb3fd20ef0a1bb0e6a5e5c0201008202442c4609b40789085f5619
            52c8b302ccb6d701113e2414acc12c3636a148ff0aa6bbeef47326a37e9db9943028730001a508800200005c020100
            """,
            "info": "8c11b6a41a3f32f9502b93d2713673ccac6741bec7e0bbe8428dcb11e4b604e2",
            "okm": """
            4983815764bdace8ab8ccd0d09832d140f84412982b468539a46bac49df85bb5c9d6333739b67032fdc4bdb263b44b
            a3f6a6f3d7130f2890db8a262ed1055593b8ed4ae3177253e88c1248f8cca2cfe7576c8dff2932392239b401d86644
            fb0d5ba9214433524513590d86c78079b70acbc333f932b834e0c9b1ce757b7ecfe794e01f3387043351768fb521b5
            6a16ff27650e2e599d769ba1824da9d7516a54
            """,
            "ExpeditedSKReader": "4983815764bdace8ab8ccd0d09832d140f84412982b468539a46bac49df85bb5",
            "ExpeditedSKDevice": "c9d6333739b67032fdc4bdb263b44ba3f6a6f3d7130f2890db8a262ed1055593",
            "StepUpSK": "b8ed4ae3177253e88c1248f8cca2cfe7576c8dff2932392239b401d86644fb0d",
            "StepUpSKReader": "6c268da4e21c21edacacef793ec7fcc409829800c2f4a77c758b65c8c1786e53",
            "StepUpSKDevice": "270024163f0e00bc56c4e54c380917ab50d44c7df59314c78c7b071135663fc1",
            "salt_persistent": """
            e4a6f36f28448ece7097f1b5078cab0d23b297211d234d42c475957c1062dbfa50657273697374656e742a2aa656fb
            93b8b06b859bda2819d4d3f2455616535d0a9760eb3fd20ef0a1bb0e6a5e5c0201008202442c4609b40789085f5619
            52c8b302ccb6d701113e2414acc12c3636a148ff0aa6bbeef47326a37e9db9943028730001a508800200005c020100
            1f52380d2966e0c314169d7275febca33859ad4ca47e6946158740c1b86374a1
            """,
            "Kpersistent": "b1c071ae8cb03703913e8c1043e1a98551f5e3c708b9ce65bb2307f2e8eb7e41",
            "reader_signature_input": """
            4d20a656fb93b8b06b859bda2819d4d3f2455616535d0a9760eb3fd20ef0a1bb0e6a86208c11b6a41a3f32f9502b93
            d2713673ccac6741bec7e0bbe8428dcb11e4b604e287208202442c4609b40789085f561952c8b302ccb6d701113e24
            14acc12c3636a1484c10ff0aa6bbeef47326a37e9db9943028739304415d9569
            """,
            "reader_signature": """
            086a9c80ad31fa7bc45f5b629dbd3277f5544651f9077cfc16fd4f5315ed72edabd77b3a51a3ef8f4fbf7b3d82d750
            35b630cc4243146aea8a7c5f54fc11709c
            """,
            "device_signature_input": """
            4d20a656fb93b8b06b859bda2819d4d3f2455616535d0a9760eb3fd20ef0a1bb0e6a86208c11b6a41a3f32f9502b93
            d2713673ccac6741bec7e0bbe8428dcb11e4b604e287208202442c4609b40789085f561952c8b302ccb6d701113e24
            14acc12c3636a1484c10ff0aa6bbeef47326a37e9db99430287393044e887b4c
            """,
        ],
        apdus: [
            (
                "00a4040009a000000909acce550100",
                "6f158409a000000909acce5501a508800200005c0201009000"
            ),
            (
                """
                80800000814101004201015c0201008741048202442c4609b40789085f561952c8b302ccb6d701113e2414acc1
                2c3636a14846346ef24230203d8f99caa2775d303dfbfd216499c777403c245dbb911c8ff34c10ff0aa6bbeef4
                7326a37e9db9943028734d20a656fb93b8b06b859bda2819d4d3f2455616535d0a9760eb3fd20ef0a1bb0e6a00
                """,
                """
                8641048c11b6a41a3f32f9502b93d2713673ccac6741bec7e0bbe8428dcb11e4b604e297507ba2c99c24ebe324
                6098e7c08a575935b0ba18aa896ab88a470783c4210c9000
                """
            ),
            (
                """
                80d10000d23081cf040200003081c880012a810f62656e636820726561646572204341820d3236303130313030
                303030305a830d3336303130313030303030305a8406646f6f72203785420004df8925beb802b687a6c2d0fb1f
                ae3f519e6b6fba197798dbfc117e0f8f3e536eaa8def5c08c508b6032fe50835197f43cf3d7ecd4f87640073ab
                55ba0186046f8648003045022100947c31d1cc14df6fda01422b454fa0341c1655a492f1429720ac1ffd3aefce
                e402206860a5de5f756271120dbca2ab1deaf736b01a39bf3dd1b78e76e487424691bf00
                """,
                "9000"
            ),
            (
                """
                80810000454101019e40086a9c80ad31fa7bc45f5b629dbd3277f5544651f9077cfc16fd4f5315ed72edabd77b
                3a51a3ef8f4fbf7b3d82d75035b630cc4243146aea8a7c5f54fc11709c00
                """,
                """
                e2a717b15e7f77061f9184b636aebe9118683d981ea85c7f3b9a306809dd228acf45198584f63a6508c76fe98c
                3f83aac71a96fd47f7e06758a62edb962f36aed0eabbfe8f785b4573ef237633c1d0d9404bf82ebf8444b72d7d
                c7bb5bd12bb7c00bf02da60d952bf80fc0df82b43fef5ecb232172fe223e01a8f5ebfc72001150ebbacd8e0bfd
                1d04d739d7d3c33f510a265d53570e17e2879000
                """
            ),
            (
                "80c90000140e9214a8bc1695ecad2ecb79f7bde21707778ed500",
                "fccec50197a3d22babe60f010e7172f3a51fac009000"
            ),
        ])

    static let badSignature = AliroVector(
        name: "bad signature",
        inputs: [
            "reader_private_key": "bd448b7ded19a52ecd429b1f273fb5b18c9c94ae56dd5e8c4b2e44aecd056a73",
            "reader_public_key": """
            04df8925beb802b687a6c2d0fb1fae3f519e6b6fba197798dbfc117e0f8f3e536eaa8def5c08c508b6032fe5083519
            7f43cf3d7ecd4f87640073ab55ba0186046f
            """,
            "reader_group_identifier": "a656fb93b8b06b859bda2819d4d3f245",
            "reader_group_sub_identifier": "5616535d0a9760eb3fd20ef0a1bb0e6a",
            "credential_private_key": "9293c769ccc75562180455ed7db8ba0699ddcb582d34872d71f442f7a61d43e3",
            "credential_public_key": """
            041f52380d2966e0c314169d7275febca33859ad4ca47e6946158740c1b86374a193f6b6baab6f9f5328d3fd19e8d4
            810e382506804fe80211c69a7f7b0f17d5a1
            """,
            "reader_ephemeral_private_key": "9ba311812859343814098a90b59b099d8938ebac2b08cc0147145bd5c72a3fc1",
            "device_ephemeral_private_key": "99ef0acc140f817309fec30189fa7b8fb4cb0c7229fe5ede3f304c4d911c5161",
            "device_ephemeral_public_key": """
            04fd41a9e1bdae634a7b1e714fec214ba6fcce29579911a668764dbc4dd22c479e9bbed61475429249258d8157bb2f
            2990ef42088d5e9cbacd8f67ace37233b71f
            """,
            "transaction_identifier": "6e6f597950333e3e08f9875b0c65376d",
        ],
        derived: [:],
        apdus: [
            (
                "00a4040009a000000909acce550100",
                "6f158409a000000909acce5501a508800200005c0201009000"
            ),
            (
                """
                80800000814101004201015c0201008741040dfac60309f1aa9ccfcf9fd4d477e8a3301d1c86de7022e70af4e5
                f7da3e08855ac1cbc3ea53119bf3a3d82f1fc708ad79b1e79e246dfa7244e6feb2ec20934d4c106e6f59795033
                3e3e08f9875b0c65376d4d20a656fb93b8b06b859bda2819d4d3f2455616535d0a9760eb3fd20ef0a1bb0e6a00
                """,
                """
                864104fd41a9e1bdae634a7b1e714fec214ba6fcce29579911a668764dbc4dd22c479e9bbed61475429249258d
                8157bb2f2990ef42088d5e9cbacd8f67ace37233b71f9000
                """
            ),
            (
                """
                80810000454101019e400d6dee2c5fc595210779a65638dd63145203210dc005ac3368c48ae297acaf53f8d130
                8f7ecd3c36cbfe7bb03c27e7202c9191744320637a74de9f84885dfe3200
                """,
                """
                c30613ff05a2d0c033ded07d703cb6a5b142709682ff1c53b4d265c4dda59353574df365857ab51b4871dc5ac4
                467ce6341a9ac037bda7c4847dfa86e24c515ec58e1e618eae7865f227f10daf107717efbaea30ce032c45af05
                a94618d7885a45f7a3eb14cb61478e08a02cc6b0dce53114b2f6ee92238c85d69643752624d6e053a5ac034e8e
                90d18ee057c10c81cd410330770e1db6cf7b9000
                """
            ),
            (
                "80c90000145ae644cdc58f1d1e31a5f6766bbaa529c781ed8e00",
                "538c19cbc1dec02c0c59031469482dd9f6b269399000"
            ),
        ])

    static let wrongKind = AliroVector(
        name: "other kind of key",
        inputs: [
            "reader_private_key": "bd448b7ded19a52ecd429b1f273fb5b18c9c94ae56dd5e8c4b2e44aecd056a73",
            "reader_public_key": """
            04df8925beb802b687a6c2d0fb1fae3f519e6b6fba197798dbfc117e0f8f3e536eaa8def5c08c508b6032fe5083519
            7f43cf3d7ecd4f87640073ab55ba0186046f
            """,
            "reader_group_identifier": "a656fb93b8b06b859bda2819d4d3f245",
            "reader_group_sub_identifier": "5616535d0a9760eb3fd20ef0a1bb0e6a",
            "credential_private_key": "9293c769ccc75562180455ed7db8ba0699ddcb582d34872d71f442f7a61d43e3",
            "credential_public_key": """
            041f52380d2966e0c314169d7275febca33859ad4ca47e6946158740c1b86374a193f6b6baab6f9f5328d3fd19e8d4
            810e382506804fe80211c69a7f7b0f17d5a1
            """,
            "reader_ephemeral_private_key": "9d77225451566d89b8ce377eb1ff197710e5ff8624e6f97d245aa6fa106a3adb",
            "device_ephemeral_private_key": "251f8a93b896f1b9c696c5db8f4ea8a499d7c3550ac412b8cefcd9944b8d9fb7",
            "device_ephemeral_public_key": """
            04152431732c21f6e81fa88a1c74e17e2794957a6d15846966ddcf6e5fb66c97d8f7a4c44c39eb4e35a1588e24f357
            df64003c8b2faa04112403641c191350df30
            """,
            "transaction_identifier": "bd3eaa4eab47b9b5fb14e0affa6162e8",
        ],
        derived: [:],
        apdus: [
            (
                "00a4040009a000000909acce550100",
                "6f158409a000000909acce5501a508800200005c0201009000"
            ),
            (
                """
                80800000814101004201015c020100874104e20f6b977f37cb805c1716d4568e6829da1f50308d2d9ad0eaca86
                953b23fb2440b0221c2b43ec4e2f191acc559e4c7441cbe9b8940bcfb32c158974e986e9a34c10bd3eaa4eab47
                b9b5fb14e0affa6162e84d20a656fb93b8b06b859bda2819d4d3f2455616535d0a9760eb3fd20ef0a1bb0e6a00
                """,
                """
                864104152431732c21f6e81fa88a1c74e17e2794957a6d15846966ddcf6e5fb66c97d8f7a4c44c39eb4e35a158
                8e24f357df64003c8b2faa04112403641c191350df309000
                """
            ),
            (
                """
                80810000454101019e40b033e9e2d52a706a93546291d51611222b640760cb1941fa940d06873370a1dbd58406
                dca1dd957603ac5d3e5c27ee2a0b82438b172ac4a183a35057f91e756100
                """,
                """
                e6328446d91fa8158d91e9c18d4422d1222245553f7be47171656c11f94b09333415dea07edde6e314154e431a
                b057d616ee0bd6e7a3a59aa1745e973ee66db22a763597c13264a1c8f6c5988ba067a2e7625d049e865d9f8e2f
                23acbbec290a9000
                """
            ),
            (
                "80c900001422010c8531251853c921e37c939b0ea5429d43ab00",
                "26787a9db288f1cadbdfaee6808b0c9fb631fe5e9000"
            ),
        ])

    static let badTag = AliroVector(
        name: "bad tag",
        inputs: [
            "reader_private_key": "bd448b7ded19a52ecd429b1f273fb5b18c9c94ae56dd5e8c4b2e44aecd056a73",
            "reader_public_key": """
            04df8925beb802b687a6c2d0fb1fae3f519e6b6fba197798dbfc117e0f8f3e536eaa8def5c08c508b6032fe5083519
            7f43cf3d7ecd4f87640073ab55ba0186046f
            """,
            "reader_group_identifier": "a656fb93b8b06b859bda2819d4d3f245",
            "reader_group_sub_identifier": "5616535d0a9760eb3fd20ef0a1bb0e6a",
            "credential_private_key": "9293c769ccc75562180455ed7db8ba0699ddcb582d34872d71f442f7a61d43e3",
            "credential_public_key": """
            041f52380d2966e0c314169d7275febca33859ad4ca47e6946158740c1b86374a193f6b6baab6f9f5328d3fd19e8d4
            810e382506804fe80211c69a7f7b0f17d5a1
            """,
            "reader_ephemeral_private_key": "580aa9c30a8af7512cd66df8202bb20876dfa54becb1b9448d4cd63f617f54a4",
            "device_ephemeral_private_key": "e444d6ce5bb18383a3ac07655fefad2f0fd857531a4aa6fb06ddaf4e395e1049",
            "device_ephemeral_public_key": """
            040b58ffc9715bdf451e037e52e70d891a1526ab607f9334f6856748a0141feeb8632cf3ef12fdbc841b08dbaa2175
            16ffabbb7e907ef26738943f2e420a655915
            """,
            "transaction_identifier": "62fe3974634a7b6c1f7ad4f99c06f29c",
        ],
        derived: [:],
        apdus: [
            (
                "00a4040009a000000909acce550100",
                "6f158409a000000909acce5501a508800200005c0201009000"
            ),
            (
                """
                80800000814101004201015c020100874104998e5cbc162c915210d8ca69a380012dee7631f8c7fbbdbb268295
                560feabc66ca6e75e1fa63a81eef2d7c773c20a6352b6d735ed77e464ccfa1de5e267445864c1062fe3974634a
                7b6c1f7ad4f99c06f29c4d20a656fb93b8b06b859bda2819d4d3f2455616535d0a9760eb3fd20ef0a1bb0e6a00
                """,
                """
                8641040b58ffc9715bdf451e037e52e70d891a1526ab607f9334f6856748a0141feeb8632cf3ef12fdbc841b08
                dbaa217516ffabbb7e907ef26738943f2e420a6559159000
                """
            ),
            (
                """
                80810000454101019e40a4838b4985c88cdcd39a09e4f4ebe97db815740fef9e1f93c6e91dd39f72a3b516468a
                378b6a6308febe7b2a0b5228782f327ab15b3298bcaa27a618452c53e400
                """,
                """
                fa43d09a60ca39f42fd087375b2800a258fa26d17d010f8710a3e38bbe1f2497b61617b47b45f3a0011b4db30c
                e2c088b5bcaf0c9013158a653fa7e0ffd3539a0aacb840e29ac0d23fb71f55a9acb6331c303a09ed5e7413ea78
                ffe924042ff2e858fb47743575b035c99fa3cc14f56b4c02fb8ce7ca8a50e4d8013ea8e67ec8061ed03c271fe8
                49bcb1d4bb106e29494e9b0bb763a10ff1969000
                """
            ),
            (
                "80c9000014cc59161584657195ff918dc46c10ccd8ed426ca600",
                "6f839bfab5e733906682d483a9a0d4af1a7f85de9000"
            ),
        ])

    static let version = AliroVector(
        name: "version",
        inputs: [:],
        derived: [:],
        apdus: [
            (
                "00a4040009a000000909acce550100",
                "6f158409a000000909acce5501a508800200005c0200099000"
            ),
            (
                "803c000006410100420127",
                "9000"
            ),
        ])
}

// SPDX-License-Identifier: Apache-2.0

import java.math.BigInteger
import java.security.AlgorithmParameters
import java.security.KeyFactory
import java.security.KeyPair
import java.security.PublicKey
import java.security.spec.ECGenParameterSpec
import java.security.spec.ECParameterSpec
import java.security.spec.ECPoint
import java.security.spec.ECPrivateKeySpec
import java.security.spec.ECPublicKeySpec

// Computes protocols/access/session-vector.json with the session of samples/AccessPhone.kt. Arguments: SECTION.NAME=HEX.

private val curve = AlgorithmParameters.getInstance("EC").run {
    init(ECGenParameterSpec("secp256r1"))
    getParameterSpec(ECParameterSpec::class.java)
}

private fun number(octets: ByteArray) = BigInteger(1, octets)

/** The key of 04, X, Y. */
private fun publicKey(point: ByteArray): PublicKey = KeyFactory.getInstance("EC").generatePublic(
    ECPublicKeySpec(ECPoint(number(point.copyOfRange(1, 33)), number(point.copyOfRange(33, 65))), curve)
)

fun main(arguments: Array<String>) {
    val vector = arguments.associate { argument ->
        val (name, hexadecimal) = argument.split("=")
        name to hexadecimal.chunked(2).map { it.toInt(16).toByte() }.toByteArray()
    }
    fun octets(name: String) = vector[name] ?: throw IllegalArgumentException("the vector has no $name")
    fun expect(name: String, found: ByteArray?) =
        if (found?.contentEquals(octets(name)) == true) Unit else throw IllegalStateException("$name differs")

    val own = KeyFactory.getInstance("EC").generatePrivate(ECPrivateKeySpec(number(octets("phone.private-key")), curve))
    val session = AccessSession(
        AccessSession.publicKey(publicKey(octets("reader.public-key")).encoded),
        octets("handshake.phone-salt"),
        KeyPair(publicKey(octets("phone.public-key")), own)
    )
    expect("handshake.message", session.handshake())
    session.accept(Inbox().take(octets("reply.message")) ?: throw IllegalStateException("the reply is not whole"))
    expect("request.message", session.request(octets("token.octets")))
    expect("answer.data", Inbox().take(octets("answer.message"))?.let(session::answer))
}

// SPDX-License-Identifier: Apache-2.0

import java.math.BigInteger
import java.nio.ByteBuffer
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
    session.accept(Inbox().receive(octets("reply.message")) ?: throw IllegalStateException("the reply is not whole"))
    expect("request.message", session.request(octets("token.octets")))
    expect("answer.data", Inbox().receive(octets("answer.message"))?.let(session::answer))

    touch(::octets, ::expect) {
        AccessSession(
            AccessSession.publicKey(publicKey(octets("reader.public-key")).encoded),
            octets("handshake.phone-salt"),
            KeyPair(publicKey(octets("phone.public-key")), own)
        )
    }
}

/** The same exchange by a touch: the reader's APDUs (docs/protocol/nfc-profile.md, 7). */
private fun touch(octets: (String) -> ByteArray, expect: (String, ByteArray?) -> Unit, session: () -> AccessSession) {
    var result: VisitResult? = null
    val entry = ReaderEntry("wa0y1YwS", ByteArray(0), octets("token.octets"))
    val card = CardTouch({ id -> if (id == entry.deviceId) entry else null }, { session() }) { result = it }

    fun command(header: Int, data: ByteArray, isLast: Boolean = true): ByteArray =
        ByteBuffer.allocate(4).putInt(header).array() + data.size.toByte() + data +
            (if (isLast) byteArrayOf(0) else ByteArray(0))

    /** The message in a response, and in those to GET RESPONSE. */
    fun whole(response: ByteArray): ByteArray {
        val data = response.copyOf(response.size - 2)
        return when (response[response.size - 2].toInt()) {
            0x61 -> data + whole(card.respond(byteArrayOf(0, 0xC0.toByte(), 0, 0, 0)))
            0x90 - 0x100 -> data
            else -> throw IllegalStateException("the card refuses")
        }
    }

    /** The response to the last part of a message. */
    fun deliver(message: ByteArray): ByteArray {
        val parts = message.toList().chunked(240).map { it.toByteArray() }
        for (part in parts.dropLast(1)) whole(card.respond(command(0x90160000.toInt(), part, false)))
        return whole(card.respond(command(0x80160000.toInt(), parts.last())))
    }

    val application = byteArrayOf(0xF0.toByte()) + "readerd".toByteArray() + 1
    val begin = byteArrayOf(0x80.toByte(), 1, 1, 0x82.toByte(), 8) + entry.deviceId.toByteArray()
    whole(card.respond(command(0x00A40400, application)))
    expect("handshake.message", whole(card.respond(command(0x80140000.toInt(), begin))))
    expect("request.message", deliver(octets("reply.message")))
    if (deliver(octets("answer.message")).isNotEmpty()) throw IllegalStateException("a message after the last")
    expect("answer.data", (result as? VisitResult.Answered)?.data)
}

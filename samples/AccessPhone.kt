// SPDX-License-Identifier: Apache-2.0

/*
 * A phone for readerd in one file, for Android 6 (API 23) or later: finds a reader, proves that it is the right one,
 * shows a token. docs/protocol/access-profile.md describes each step; the numbers in brackets are its sections.
 *
 * Permissions: BLUETOOTH_SCAN and BLUETOOTH_CONNECT (API 31 and later), else BLUETOOTH, BLUETOOTH_ADMIN and
 * ACCESS_FINE_LOCATION. `readerlab credentials phone-bundle` makes the keys and tokens (docs/operate/credentials.md).
 *
 *     DoorVisit(context, ReaderEntry(deviceId, terminalPublicKey, token)) { result -> … }.start()
 *
 * DoorCardService plays the card for a reader that polls (docs/protocol/nfc-profile.md, 7).
 *
 * AccessSession and CardTouch need no Android: they compute protocols/access/session-vector.json on any JVM.
 */

import android.bluetooth.BluetoothDevice
import android.bluetooth.BluetoothGatt
import android.bluetooth.BluetoothGattCallback
import android.bluetooth.BluetoothGattCharacteristic
import android.bluetooth.BluetoothGattDescriptor
import android.bluetooth.BluetoothManager
import android.bluetooth.BluetoothProfile
import android.bluetooth.le.ScanCallback
import android.bluetooth.le.ScanResult
import android.bluetooth.le.ScanSettings
import android.content.Context
import android.nfc.cardemulation.HostApduService
import android.os.Bundle
import android.os.Handler
import android.os.Looper
import java.io.ByteArrayOutputStream
import java.math.BigInteger
import java.nio.ByteBuffer
import java.security.KeyFactory
import java.security.KeyPair
import java.security.KeyPairGenerator
import java.security.MessageDigest
import java.security.PublicKey
import java.security.SecureRandom
import java.security.Signature
import java.security.interfaces.ECPublicKey
import java.security.spec.ECGenParameterSpec
import java.security.spec.X509EncodedKeySpec
import java.util.UUID
import javax.crypto.Cipher
import javax.crypto.KeyAgreement
import javax.crypto.Mac
import javax.crypto.spec.IvParameterSpec
import javax.crypto.spec.SecretKeySpec

/** A reader of a bundle: its device id, its key (SubjectPublicKeyInfo, DER), and a token as it is sent. */
class ReaderEntry(val deviceId: String, val terminalPublicKey: ByteArray, val token: ByteArray)

/** The end of a visit. */
sealed class VisitResult {
    /** The reader answered; `data` is the result of the token (6, 7). */
    class Answered(val data: ByteArray) : VisitResult()

    /** The reader, or this side, ended the visit without success. */
    class Failed(val reason: String) : VisitResult()
}

/** The visit ended without success; the message says why. */
class Refusal(reason: String) : Exception(reason)

// Messages and frames (4)

object Frames {
    private val table = intArrayOf(
        0x0000, 0x1021, 0x2042, 0x3063, 0x4084, 0x50A5, 0x60C6, 0x70E7,
        0x8108, 0x9129, 0xA14A, 0xB16B, 0xC18C, 0xD1AD, 0xE1CE, 0xF1EF
    )

    /** The CRC of a payload; `123456789` gives 0xB58D. */
    fun crc(octets: ByteArray): Int {
        var value = 0xFFFF
        for (octet in octets) {
            for (nibble in intArrayOf(octet.toInt() and 0xF, octet.toInt() shr 4 and 0xF)) {
                value = (value shl 4 and 0xFFFF) xor table[value shr 12 xor nibble]
            }
        }
        return value
    }

    /** Header and payload. */
    fun message(payload: ByteArray): ByteArray =
        ByteBuffer.allocate(6 + payload.size).putShort(payload.size.toShort()).putShort(crc(payload).toShort())
            .putShort(0).put(payload).array()
}

/** Joins the frames of an answer. */
class Inbox {
    private val octets = ByteArrayOutputStream()

    /** The payload once the message is complete. Throws for a status, and for a damaged message. */
    fun receive(frame: ByteArray): ByteArray? {
        octets.write(frame, 0, frame.size)
        val all = octets.toByteArray()
        if (all.size < 6) throw Refusal("the reader sent a message without a header")
        val header = ByteBuffer.wrap(all)
        val length = header.short.toInt() and 0xFFFF
        val checksum = header.short.toInt() and 0xFFFF
        val status = header.short.toInt()
        val payload = all.copyOfRange(6, all.size)
        if (payload.size < length) return null
        octets.reset()
        if (status != 0) throw Refusal("refused with status $status: docs/protocol/status-codes.md")
        if (payload.size > length || checksum != (if (payload.isEmpty()) 0 else Frames.crc(payload))) {
            throw Refusal("the reader sent a damaged message")
        }
        return payload
    }
}

// Protobuf, as far as the session needs it (5)

object Wire {
    /** A length-delimited field of fewer than 128 octets. */
    fun field(number: Int, octets: ByteArray): ByteArray =
        byteArrayOf((number shl 3 or 2).toByte(), octets.size.toByte()) + octets

    /** The length-delimited fields of a message that has its length in front; padding may follow. */
    fun fields(octets: ByteArray): Map<Int, ByteArray> {
        val found = HashMap<Int, ByteArray>()
        val cursor = ByteBuffer.wrap(octets)
        try {
            val end = varint(cursor).let { cursor.position() + it }
            while (cursor.position() < end) {
                val key = varint(cursor)
                val value = varint(cursor)
                if (key and 7 != 2) continue
                found[key shr 3] = ByteArray(value).also { cursor.get(it) }
            }
        } catch (error: RuntimeException) {
            throw Refusal("the reader sent a damaged message")
        }
        return found
    }

    private fun varint(cursor: ByteBuffer): Int {
        var value = 0
        for (shift in 0..28 step 7) {
            val octet = cursor.get().toInt()
            value = value or (octet and 0x7F shl shift)
            if (octet >= 0) return value
        }
        throw IllegalArgumentException("varint")
    }
}

// The session (5)

/** The phone's side of one exchange: octets in, octets out. Salt and key are arguments for known answers alone. */
class AccessSession(
    private val reader: PublicKey,
    private val salt: ByteArray = strongSalt(),
    private val key: KeyPair = freshKey()
) {
    private val secret = KeyAgreement.getInstance("ECDH").run {
        init(key.private)
        doPhase(reader, true)
        generateSecret()
    }
    private var kdfSalt = ByteArray(0)
    private var macSalt = ByteArray(0)

    /** Message 1. */
    fun handshake(): ByteArray = Frames.message(Wire.field(1, salt).let { byteArrayOf(it.size.toByte()) + it })

    /** Message 2: the reader proves its key. */
    fun accept(payload: ByteArray) {
        val reply = Wire.fields(payload)
        val readerSalt = reply[1] ?: ByteArray(0)
        if (!isStrong(readerSalt)) throw Refusal("the reader's handshake is damaged or weak")
        val isSigned = try {
            Signature.getInstance("SHA256withECDSA").run {
                initVerify(reader)
                update(salt)
                verify(reply[2] ?: ByteArray(0))
            }
        } catch (error: java.security.SignatureException) {
            false
        }
        if (!isSigned) throw Refusal("wrong reader: the handshake is not signed by the key in the bundle")
        kdfSalt = salt.copyOfRange(0, 8) + readerSalt.copyOfRange(0, 8)
        macSalt = salt.copyOfRange(8, 16) + readerSalt.copyOfRange(8, 16)
    }

    /** Message 3: the token, encrypted. */
    fun request(token: ByteArray): ByteArray {
        val own = point(key.public)
        val keys = derive(own)
        val padded = token.copyOf((token.size + 15) / 16 * 16)
        val ciphertext = cipher(Cipher.ENCRYPT_MODE, keys.copyOfRange(0, 16)).doFinal(padded)
        return Frames.message(own + ciphertext + mac(keys.copyOfRange(16, 48), ciphertext))
    }

    /** Message 4: the data of the result. */
    fun answer(payload: ByteArray): ByteArray {
        if (payload.size < 65 + 16 + 32) throw Refusal("the reader sent a damaged message")
        val sender = payload.copyOfRange(0, 65)
        val ciphertext = payload.copyOfRange(65, payload.size - 32)
        if (!sender.contentEquals(point(reader))) throw Refusal("the answer is not from this reader")
        val keys = derive(sender)
        val expected = mac(keys.copyOfRange(64, 96), ciphertext)
        if (!MessageDigest.isEqual(expected, payload.copyOfRange(payload.size - 32, payload.size))) {
            throw Refusal("the answer was altered on its way")
        }
        val plaintext = cipher(Cipher.DECRYPT_MODE, keys.copyOfRange(48, 64)).doFinal(ciphertext)
        return Wire.fields(plaintext)[1] ?: ByteArray(0)
    }

    /** HKDF-SHA256, 96 octets, for the sender's point. */
    private fun derive(sender: ByteArray): ByteArray {
        val extracted = hmac(kdfSalt, sender + secret)
        val info = "Secure Message Exchange".toByteArray(Charsets.US_ASCII)
        var block = ByteArray(0)
        var output = ByteArray(0)
        for (counter in 1..3) {
            block = hmac(extracted, block + info + byteArrayOf(counter.toByte()))
            output += block
        }
        return output
    }

    private fun mac(key: ByteArray, ciphertext: ByteArray) = hmac(key, ciphertext + macSalt)

    private fun hmac(key: ByteArray, octets: ByteArray): ByteArray = Mac.getInstance("HmacSHA256").run {
        init(SecretKeySpec(key, "HmacSHA256"))
        doFinal(octets)
    }

    private fun cipher(mode: Int, key: ByteArray): Cipher = Cipher.getInstance("AES/CBC/NoPadding").apply {
        init(mode, SecretKeySpec(key, "AES"), IvParameterSpec(ByteArray(16)))
    }

    companion object {
        /** The salt rule of both sides. */
        fun isStrong(salt: ByteArray) = salt.size == 16 && salt.filter { it != 0xFF.toByte() }.toSet().size >= 8

        /** A fresh salt. */
        fun strongSalt(): ByteArray {
            val salt = ByteArray(16)
            do SecureRandom().nextBytes(salt) while (!isStrong(salt))
            return salt
        }

        /** A key for one request. */
        fun freshKey(): KeyPair = KeyPairGenerator.getInstance("EC").run {
            initialize(ECGenParameterSpec("secp256r1"))
            generateKeyPair()
        }

        /** A reader's key from a bundle. */
        fun publicKey(der: ByteArray): PublicKey =
            KeyFactory.getInstance("EC").generatePublic(X509EncodedKeySpec(der))

        /** 04, X, Y. */
        fun point(key: PublicKey): ByteArray {
            val point = (key as ECPublicKey).w
            return byteArrayOf(4) + fixed(point.affineX) + fixed(point.affineY)
        }

        private fun fixed(number: BigInteger): ByteArray {
            val octets = number.toByteArray().takeLast(32).toByteArray()
            return ByteArray(32 - octets.size) + octets
        }
    }
}

// The phone as the card (docs/protocol/nfc-profile.md, 7)

/**
 * The card's side of one touch: command APDUs in, responses out. `entry` finds the reader of a device id, null if the
 * phone has no token for it; `done` is called once, with the reader's answer or the reason of a failure.
 */
class CardTouch(
    private val entry: (String) -> ReaderEntry?,
    private val begin: (ReaderEntry) -> AccessSession =
        { AccessSession(AccessSession.publicKey(it.terminalPublicKey)) },
    private val done: (VisitResult) -> Unit
) {
    private var isSelected = false
    private var session: AccessSession? = null
    private var token = ByteArray(0)
    private var hasReply = false
    private val received = ByteArrayOutputStream()
    private var outgoing = ByteArray(0)

    /** The response to a command; each SELECT begins again. */
    fun respond(command: ByteArray): ByteArray = try {
        if (command.size < 5) WRONG_LENGTH else execute(command)
    } catch (refusal: Refusal) {
        reset()
        done(VisitResult.Failed(refusal.message ?: "refused"))
        NOT_NOW
    }

    /** Ends the touch, as when the phone leaves the reader. */
    fun reset() {
        isSelected = false
        session = null
        token = ByteArray(0)
        hasReply = false
        received.reset()
        outgoing = ByteArray(0)
    }

    private fun execute(command: ByteArray): ByteArray {
        val header = ByteBuffer.wrap(command).int
        if (header == SELECT) return select(data(command))
        if (!isSelected) return NOT_NOW
        return when (header) {
            BEGIN -> start(data(command))
            DELIVER_PART -> {
                append(data(command))
                OK
            }
            DELIVER -> {
                append(data(command))
                val message = received.toByteArray()
                received.reset()
                send(next(message))
            }
            FETCH, GET_RESPONSE -> rest()
            else -> UNKNOWN
        }
    }

    private fun select(name: ByteArray): ByteArray {
        reset()
        if (!name.contentEquals(APPLICATION)) return NOT_FOUND
        isSelected = true
        return VERSION + OK
    }

    /** The reader's version and id; the id is a name, which its signature proves later. */
    private fun start(objects: ByteArray): ByteArray {
        val isKnown = objects.size > 5 && objects.copyOf(4).contentEquals(VERSION + 0x82.toByte())
        if (!isKnown || objects[4].toInt() != objects.size - 5 || session != null) return NOT_NOW
        val id = String(objects.copyOfRange(5, objects.size), Charsets.US_ASCII)
        val reader = entry(id) ?: return NOT_FOUND
        token = reader.token
        val session = begin(reader)
        this.session = session
        return send(session.handshake())
    }

    private fun append(part: ByteArray) {
        if (received.size() + part.size > MESSAGE_LIMIT) throw Refusal("the reader sent a message that is too long")
        received.write(part, 0, part.size)
    }

    /** The phone's message after the reader's; empty after the last. */
    private fun next(message: ByteArray): ByteArray {
        val session = session ?: throw Refusal("the reader sent a message too early")
        val payload = Inbox().receive(message) ?: throw Refusal("the reader sent a part of a message")
        if (!hasReply) {
            hasReply = true
            session.accept(payload)
            return session.request(token)
        }
        val data = session.answer(payload)
        reset()
        done(VisitResult.Answered(data))
        return ByteArray(0)
    }

    private fun send(message: ByteArray): ByteArray {
        outgoing = message
        return rest()
    }

    private fun rest(): ByteArray {
        val part = outgoing.copyOf(minOf(outgoing.size, PART_LIMIT))
        outgoing = outgoing.copyOfRange(part.size, outgoing.size)
        if (outgoing.isEmpty()) return part + OK
        return part + byteArrayOf(0x61, if (outgoing.size > 255) 0 else outgoing.size.toByte())
    }

    /** The data of a command, with Le or without. */
    private fun data(command: ByteArray): ByteArray {
        val count = command[4].toInt() and 0xFF
        if (count == 0 || command.size != 5 + count && command.size != 6 + count) throw Refusal("a damaged command")
        return command.copyOfRange(5, 5 + count)
    }

    companion object {
        private const val SELECT = 0x00A40400
        private const val GET_RESPONSE = 0x00C00000
        private const val BEGIN = 0x80140000.toInt()
        private const val DELIVER = 0x80160000.toInt()
        private const val DELIVER_PART = 0x90160000.toInt()
        private const val FETCH = 0x80180000.toInt()
        private const val PART_LIMIT = 240
        private const val MESSAGE_LIMIT = 2054
        private val APPLICATION = byteArrayOf(0xF0.toByte()) + "readerd".toByteArray(Charsets.US_ASCII) + byteArrayOf(1)
        private val VERSION = byteArrayOf(0x80.toByte(), 1, 1)
        private val OK = byteArrayOf(0x90.toByte(), 0)
        private val WRONG_LENGTH = byteArrayOf(0x67, 0)
        private val NOT_NOW = byteArrayOf(0x69, 0x85.toByte())
        private val NOT_FOUND = byteArrayOf(0x6A, 0x82.toByte())
        private val UNKNOWN = byteArrayOf(0x6D, 0)
    }
}

// The visit

/** One visit to a reader of a bundle (1, 2, 3). `done` is called once, on the main thread. */
class DoorVisit(
    private val context: Context,
    private val reader: ReaderEntry,
    private val done: (VisitResult) -> Unit
) {
    private val handler = Handler(Looper.getMainLooper())
    private val session = AccessSession(AccessSession.publicKey(reader.terminalPublicKey))
    private val adapter =
        (context.getSystemService(Context.BLUETOOTH_SERVICE) as BluetoothManager).adapter
    private val inbox = Inbox()
    private val frames = ArrayDeque()
    private var gatt: BluetoothGatt? = null
    private var rx: BluetoothGattCharacteristic? = null
    private var mtu = 23
    private var hasReply = false
    private var isOver = false

    /** A queue of frames that wait for the write before them. */
    private class ArrayDeque : java.util.ArrayDeque<ByteArray>()

    /** Starts to scan. A full reader does not advertise, so the scan goes on until the time is over. */
    fun start() {
        handler.postDelayed({ end(VisitResult.Failed("no reader of the bundle is heard: go nearer")) }, VISIT_MS)
        val scanner = adapter.bluetoothLeScanner ?: return end(VisitResult.Failed("Bluetooth is off"))
        val settings = ScanSettings.Builder().setScanMode(ScanSettings.SCAN_MODE_LOW_LATENCY).build()
        scanner.startScan(emptyList(), settings, scan)
    }

    private val scan = object : ScanCallback() {
        override fun onScanResult(callbackType: Int, result: ScanResult) {
            if (result.scanRecord?.deviceName != reader.deviceId || gatt != null || isOver) return
            adapter.bluetoothLeScanner?.stopScan(this)
            gatt = result.device.connectGatt(context, false, callback, BluetoothDevice.TRANSPORT_LE)
        }
    }

    private val callback = object : BluetoothGattCallback() {
        override fun onConnectionStateChange(gatt: BluetoothGatt, status: Int, newState: Int) {
            if (newState == BluetoothProfile.STATE_CONNECTED) {
                gatt.requestMtu(WANTED_MTU)
            } else {
                finish(VisitResult.Failed("the reader ended the link, status $status: go nearer, or try again"))
            }
        }

        override fun onMtuChanged(gatt: BluetoothGatt, value: Int, status: Int) {
            if (status == BluetoothGatt.GATT_SUCCESS) mtu = value
            gatt.discoverServices()
        }

        override fun onServicesDiscovered(gatt: BluetoothGatt, status: Int) = attempt {
            val service = SERVICES.mapNotNull { gatt.getService(it) }.firstOrNull()
            val tx = service?.getCharacteristic(TX)
            val descriptor = tx?.getDescriptor(CLIENT_CONFIGURATION) ?: throw Refusal("no access service")
            rx = service.getCharacteristic(RX)
            gatt.setCharacteristicNotification(tx, true)
            descriptor.value = BluetoothGattDescriptor.ENABLE_NOTIFICATION_VALUE
            gatt.writeDescriptor(descriptor)
        }

        override fun onDescriptorWrite(gatt: BluetoothGatt, descriptor: BluetoothGattDescriptor, status: Int) =
            attempt { send(session.handshake()) }

        override fun onCharacteristicWrite(gatt: BluetoothGatt, value: BluetoothGattCharacteristic, status: Int) =
            attempt { writeNext() }

        override fun onCharacteristicChanged(gatt: BluetoothGatt, value: BluetoothGattCharacteristic) = attempt {
            val payload = inbox.receive(value.value ?: ByteArray(0))
            if (payload != null && !hasReply) {
                hasReply = true
                session.accept(payload)
                send(session.request(reader.token))
            } else if (payload != null) {
                finish(VisitResult.Answered(session.answer(payload)))
            }
        }
    }

    private fun send(message: ByteArray) {
        val size = minOf(mtu - 3, 512)
        for (start in message.indices step size) {
            frames.add(message.copyOfRange(start, minOf(start + size, message.size)))
        }
        writeNext()
    }

    /** Writes with response: one at a time, as Android requires. */
    private fun writeNext() {
        val target = rx ?: throw Refusal("no access service")
        target.value = frames.poll() ?: return
        if (gatt?.writeCharacteristic(target) != true) throw Refusal("the write was not accepted: try again")
    }

    private fun attempt(step: () -> Unit) {
        try {
            step()
        } catch (refusal: Refusal) {
            finish(VisitResult.Failed(refusal.message ?: "refused"))
        }
    }

    private fun finish(result: VisitResult) {
        handler.post { end(result) }
    }

    private fun end(result: VisitResult) {
        if (isOver) return
        isOver = true
        handler.removeCallbacksAndMessages(null)
        adapter.bluetoothLeScanner?.stopScan(scan)
        gatt?.disconnect()
        gatt?.close()
        done(result)
    }

    companion object {
        private const val VISIT_MS = 10_000L
        private const val WANTED_MTU = 247
        private val SERVICES = listOf(
            "0000FCBA-0000-1000-8000-00805F9B34FB",
            "00005301-0010-002A-426C-756549442A00",
            "00005301-0000-002A-426C-756549442A00"
        ).map(UUID::fromString)
        private val RX = UUID.fromString("58920001-0BB5-4F7D-ADA1-988C7FEC44E4")
        private val TX = UUID.fromString("A0150002-4C92-496C-9CF1-007367D7E838")
        private val CLIENT_CONFIGURATION = UUID.fromString("00002902-0000-1000-8000-00805F9B34FB")
    }
}

// The service for a touch

/**
 * The phone as the card, while the app's process has entries. The manifest has to declare it, with its
 * `apduservice.xml` (nfc-profile.md, 7.4).
 */
class DoorCardService : HostApduService() {
    private val touch = CardTouch({ id -> readers[id] }) { result -> onResult(result) }

    /** On the main thread: the keys of a request take some milliseconds. */
    override fun processCommandApdu(command: ByteArray, extras: Bundle?): ByteArray = touch.respond(command)

    override fun onDeactivated(reason: Int) = touch.reset()

    companion object {
        /** The readers of the bundle by their device ids. */
        @Volatile
        var readers: Map<String, ReaderEntry> = emptyMap()

        /** Receives the end of each touch, on the main thread. */
        @Volatile
        var onResult: (VisitResult) -> Unit = {}
    }
}

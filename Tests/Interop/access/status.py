"""Status codes of the access protocol that tests name."""

from enum import IntEnum


class Status(IntEnum):
    """A status as the header of a message carries it: 0 is well, below 0 is an error."""

    OK = 0
    INVALID_ARGUMENTS = -3
    INVALID_STATE = -4
    NOT_SUPPORTED = -5
    OVERFLOW = -7
    CRC = -9
    SIGNATURE = -12
    VALIDITY = -13
    CRYPTO = -14
    BUSY = -21
    DECODE = -32
    SYSTEM_CONFIGURATION = -34
    SALT = -150
    DECRYPT = -156
    CLOCK = -157
    PEER_STATUS = -170

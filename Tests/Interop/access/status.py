# SPDX-License-Identifier: Apache-2.0
"""Status codes of the access protocol that tests name."""

from enum import IntEnum


class Status(IntEnum):
    """A status as the header of a message carries it: 0 is well, below 0 is an error."""

    OK = 0
    INVALID_ARGUMENTS = -3
    INVALID_STATE = -4
    NOT_SUPPORTED = -5
    END_OF_FILE = -6
    OVERFLOW = -7
    STORAGE_FULL = -8
    CRC = -9
    VERSION = -11
    SIGNATURE = -12
    VALIDITY = -13
    CRYPTO = -14
    UNAVAILABLE = -21
    DECODE = -32
    SYSTEM_CONFIGURATION = -34
    SALT = -150
    DECRYPT = -156
    CLOCK = -157
    PEER_STATUS = -170
    CREDENTIAL_ID = -200
    SO_MAJOR_VERSION = -230
    SO_CREDENTIAL_TYPE = -231
    SO_TIMESTAMP = -233
    SO_PERIOD = -234
    SO_SITE = -235
    SO_DOOR_SCHEDULE = -237
    EXTENSION_TOO_LARGE = -243
    EXTENSION_SIZE = -244
    EXTENSION_TOO_MANY_FEATURES = -245
    EXTENSION_VALUE_TOO_LARGE = -246
    EXTENSION_LENGTH = -247
    EXTENSION_TAG = -248
    TOO_MANY_BLACKLIST_ENTRIES = -250
    SID_MAJOR_VERSION = -280
    SID_CREDENTIAL_TYPE = -281

// SPDX-License-Identifier: Apache-2.0

// The prepared frames of the emulated action camera: H.264 byte streams and AAC in ADTS, made by script/make-clips.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// The octets of a medium, by its number: 0 to 3 the pictures in 2160, 1080, 720 and 480 lines, 4 to 7 the sound at
/// 48, 24, 12 and 8 kHz; null for any other.
const uint8_t *_Nullable action_camera_media(int number, size_t *_Nonnull count);

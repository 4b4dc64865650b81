// SPDX-License-Identifier: Apache-2.0

#include "action_camera_media.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t video_2160[] = {
#embed "media/2160.h264"
};
static const uint8_t video_1080[] = {
#embed "media/1080.h264"
};
static const uint8_t video_720[] = {
#embed "media/720.h264"
};
static const uint8_t video_480[] = {
#embed "media/480.h264"
};
static const uint8_t sound_48[] = {
#embed "media/48.aac"
};
static const uint8_t sound_24[] = {
#embed "media/24.aac"
};
static const uint8_t sound_12[] = {
#embed "media/12.aac"
};
static const uint8_t sound_8[] = {
#embed "media/8.aac"
};

static const struct {
    const uint8_t *octets;
    size_t count;
} media[] = {
    {video_2160, sizeof video_2160}, {video_1080, sizeof video_1080}, {video_720, sizeof video_720},
    {video_480, sizeof video_480},   {sound_48, sizeof sound_48},     {sound_24, sizeof sound_24},
    {sound_12, sizeof sound_12},     {sound_8, sizeof sound_8},
};

const uint8_t *action_camera_media(int number, size_t *count) {
    if (number < 0 || (size_t)number >= sizeof media / sizeof media[0]) {
        *count = 0;
        return NULL;
    }
    *count = media[number].count;
    return media[number].octets;
}

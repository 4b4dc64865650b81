// SPDX-License-Identifier: Apache-2.0

// The search for a line by name, common to both libraries. Their differences are confined to the four functions of
// backend.h.
#include "CGPIO.h"
#include "backend.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

// The directory of the devices, by udev's default.
static const char devices[] = "/dev";
static const char prefix[] = "gpiochip";

// Returns true if the entry is a chip's own device; a link to one would make each of its lines ambiguous.
static bool is_chip_device(const char *name, char path[READERD_GPIO_PATH_SIZE])
{
    if (strncmp(name, prefix, sizeof prefix - 1) != 0) return false;
    int length = snprintf(path, READERD_GPIO_PATH_SIZE, "%s/%s", devices, name);
    if (length < 0 || length >= READERD_GPIO_PATH_SIZE) return false;
    struct stat status;
    return lstat(path, &status) == 0 && S_ISCHR(status.st_mode);
}

enum readerd_gpio_outcome readerd_gpio_find(const char *name, struct readerd_gpio_place *place, int *error)
{
    *error = 0;
    DIR *directory = opendir(devices);
    if (directory == NULL) {
        *error = errno;
        return READERD_GPIO_NO_SUCH_NAME;
    }
    size_t matches = 0;
    char path[READERD_GPIO_PATH_SIZE];
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (!is_chip_device(entry->d_name, path)) continue;
        uint32_t offset = 0;
        size_t found = 0;
        int failure = readerd_gpio_backend_search(path, name, &offset, &found);
        if (failure != 0) *error = failure;
        if (found > 0 && matches == 0) {
            memcpy(place->chip, path, sizeof path);
            place->offset = offset;
        }
        matches += found;
    }
    closedir(directory);
    if (matches == 0) return READERD_GPIO_NO_SUCH_NAME;
    *error = 0;
    return matches == 1 ? READERD_GPIO_OK : READERD_GPIO_AMBIGUOUS_NAME;
}

// SPDX-License-Identifier: Apache-2.0

// The state of a line, queried without requesting it, for both libraries.
#include "CGPIO.h"
#include "backend.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void put(struct readerd_gpio_state *state, bool is_held, const char *holder)
{
    state->is_held = is_held;
    snprintf(state->holder, sizeof state->holder, "%s", holder == NULL ? "" : holder);
}

#if READERD_GPIO_API == 1

enum readerd_gpio_outcome readerd_gpio_look(
    const struct readerd_gpio_place *place, struct readerd_gpio_state *state, int *error)
{
    *error = 0;
    memset(state, 0, sizeof *state);
    struct gpiod_chip *chip = gpiod_chip_open(place->chip);
    if (chip == NULL) {
        *error = errno;
        return READERD_GPIO_CHIP_FAILED;
    }
    enum readerd_gpio_outcome outcome = READERD_GPIO_NO_SUCH_OFFSET;
    if (place->offset < gpiod_chip_num_lines(chip)) {
        struct gpiod_line *line = gpiod_chip_get_line(chip, place->offset);
        if (line == NULL) {
            *error = errno;
            outcome = READERD_GPIO_ACCESS_FAILED;
        } else {
            put(state, gpiod_line_is_used(line), gpiod_line_consumer(line));
            outcome = READERD_GPIO_OK;
        }
    }
    gpiod_chip_close(chip);
    return outcome;
}

#else

enum readerd_gpio_outcome readerd_gpio_look(
    const struct readerd_gpio_place *place, struct readerd_gpio_state *state, int *error)
{
    *error = 0;
    memset(state, 0, sizeof *state);
    struct gpiod_chip *chip = gpiod_chip_open(place->chip);
    if (chip == NULL) {
        *error = errno;
        return READERD_GPIO_CHIP_FAILED;
    }
    enum readerd_gpio_outcome outcome = READERD_GPIO_OK;
    struct gpiod_line_info *line = gpiod_chip_get_line_info(chip, place->offset);
    if (line == NULL) {
        *error = errno;
        // The kernel's error for an offset that the chip does not have.
        outcome = errno == EINVAL ? READERD_GPIO_NO_SUCH_OFFSET : READERD_GPIO_ACCESS_FAILED;
    } else {
        put(state, gpiod_line_info_is_used(line), gpiod_line_info_get_consumer(line));
        gpiod_line_info_free(line);
    }
    gpiod_chip_close(chip);
    return outcome;
}

#endif

#include "backend.h"

#if READERD_GPIO_API == 1

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct readerd_gpio_output {
    struct gpiod_chip *chip;
    struct gpiod_line *line;
};

int readerd_gpio_api(void) { return 1; }

int readerd_gpio_backend_search(const char *path, const char *name, uint32_t *offset, size_t *found)
{
    *found = 0;
    struct gpiod_chip *chip = gpiod_chip_open(path);
    if (chip == NULL) return errno;
    int failure = 0;
    unsigned int count = gpiod_chip_num_lines(chip);
    for (unsigned int number = 0; number < count; number++) {
        struct gpiod_line *line = gpiod_chip_get_line(chip, number);
        if (line == NULL) {
            failure = errno;
            continue;
        }
        const char *candidate = gpiod_line_name(line);
        if (candidate == NULL || strcmp(candidate, name) != 0) continue;
        if (*found == 0) *offset = number;
        *found += 1;
    }
    gpiod_chip_close(chip);
    return failure;
}

enum readerd_gpio_outcome readerd_gpio_open_output(
    const struct readerd_gpio_place *place, bool active_low, bool active, struct readerd_gpio_output **output,
    int *error)
{
    *error = 0;
    struct gpiod_chip *chip = gpiod_chip_open(place->chip);
    if (chip == NULL) {
        *error = errno;
        return READERD_GPIO_CHIP_FAILED;
    }
    enum readerd_gpio_outcome outcome = READERD_GPIO_NO_SUCH_OFFSET;
    if (place->offset >= gpiod_chip_num_lines(chip)) goto failed;

    outcome = READERD_GPIO_REQUEST_FAILED;
    struct gpiod_line *line = gpiod_chip_get_line(chip, place->offset);
    int flags = active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0;
    if (line == NULL
        || gpiod_line_request_output_flags(line, READERD_GPIO_CONSUMER, flags, active ? 1 : 0) != 0) {
        *error = errno;
        goto failed;
    }
    struct readerd_gpio_output *opened = malloc(sizeof *opened);
    if (opened == NULL) {
        outcome = READERD_GPIO_NO_MEMORY;
        gpiod_line_release(line);
        goto failed;
    }
    opened->chip = chip;
    opened->line = line;
    *output = opened;
    return READERD_GPIO_OK;

failed:
    gpiod_chip_close(chip);
    return outcome;
}

enum readerd_gpio_outcome readerd_gpio_set(struct readerd_gpio_output *output, bool active, int *error)
{
    *error = 0;
    if (gpiod_line_set_value(output->line, active ? 1 : 0) == 0) return READERD_GPIO_OK;
    *error = errno;
    return READERD_GPIO_ACCESS_FAILED;
}

enum readerd_gpio_outcome readerd_gpio_get(struct readerd_gpio_output *output, bool *active, int *error)
{
    *error = 0;
    int value = gpiod_line_get_value(output->line);
    if (value < 0) {
        *error = errno;
        return READERD_GPIO_ACCESS_FAILED;
    }
    *active = value != 0;
    return READERD_GPIO_OK;
}

void readerd_gpio_close(struct readerd_gpio_output *output)
{
    if (output == NULL) return;
    gpiod_line_release(output->line);
    gpiod_chip_close(output->chip);
    free(output);
}

struct readerd_gpio_input {
    struct gpiod_chip *chip;
    struct gpiod_line *line;
};

static int input_flags(bool active_low, enum readerd_gpio_bias bias)
{
    int flags = active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0;
    if (bias == READERD_GPIO_BIAS_PULL_UP) flags |= GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_UP;
    if (bias == READERD_GPIO_BIAS_PULL_DOWN) flags |= GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_DOWN;
    return flags;
}

enum readerd_gpio_outcome readerd_gpio_open_input(
    const struct readerd_gpio_place *place, bool active_low, enum readerd_gpio_bias bias,
    struct readerd_gpio_input **input, int *error)
{
    *error = 0;
    struct gpiod_chip *chip = gpiod_chip_open(place->chip);
    if (chip == NULL) {
        *error = errno;
        return READERD_GPIO_CHIP_FAILED;
    }
    enum readerd_gpio_outcome outcome = READERD_GPIO_NO_SUCH_OFFSET;
    if (place->offset >= gpiod_chip_num_lines(chip)) goto failed;

    outcome = READERD_GPIO_REQUEST_FAILED;
    struct gpiod_line *line = gpiod_chip_get_line(chip, place->offset);
    if (line == NULL
        || gpiod_line_request_both_edges_events_flags(line, READERD_GPIO_CONSUMER, input_flags(active_low, bias)) != 0) {
        *error = errno;
        goto failed;
    }
    struct readerd_gpio_input *opened = malloc(sizeof *opened);
    if (opened == NULL) {
        outcome = READERD_GPIO_NO_MEMORY;
        gpiod_line_release(line);
        goto failed;
    }
    opened->chip = chip;
    opened->line = line;
    *input = opened;
    return READERD_GPIO_OK;

failed:
    gpiod_chip_close(chip);
    return outcome;
}

int readerd_gpio_input_descriptor(struct readerd_gpio_input *input) { return gpiod_line_event_get_fd(input->line); }

enum readerd_gpio_outcome readerd_gpio_input_get(struct readerd_gpio_input *input, bool *active, int *error)
{
    *error = 0;
    int value = gpiod_line_get_value(input->line);
    if (value < 0) {
        *error = errno;
        return READERD_GPIO_ACCESS_FAILED;
    }
    *active = value != 0;
    return READERD_GPIO_OK;
}

enum readerd_gpio_outcome readerd_gpio_next_edge(
    struct readerd_gpio_input *input, bool *active, uint64_t *nanoseconds, int *error)
{
    *error = 0;
    const struct timespec at_once = {0, 0};
    int waiting = gpiod_line_event_wait(input->line, &at_once);
    if (waiting == 0) return READERD_GPIO_NO_EDGE;
    struct gpiod_line_event event;
    if (waiting < 0 || gpiod_line_event_read(input->line, &event) != 0) {
        *error = errno;
        return READERD_GPIO_ACCESS_FAILED;
    }
    *active = event.event_type == GPIOD_LINE_EVENT_RISING_EDGE;
    *nanoseconds = (uint64_t)event.ts.tv_sec * 1000000000u + (uint64_t)event.ts.tv_nsec;
    return READERD_GPIO_OK;
}

void readerd_gpio_close_input(struct readerd_gpio_input *input)
{
    if (input == NULL) return;
    gpiod_line_release(input->line);
    gpiod_chip_close(input->chip);
    free(input);
}

#endif

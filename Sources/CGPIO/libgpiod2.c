// SPDX-License-Identifier: Apache-2.0

#include "backend.h"

#if READERD_GPIO_API == 2

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// A requested line.
struct held_line {
    struct gpiod_line_request *request;
    unsigned int offset;
};

struct readerd_gpio_output {
    struct held_line held;
};

struct readerd_gpio_input {
    struct held_line held;
    struct gpiod_edge_event_buffer *buffer;
};

int readerd_gpio_api(void) { return 2; }

// Returns the number of the chip's lines; −1 with errno on failure.
static long line_count(struct gpiod_chip *chip)
{
    struct gpiod_chip_info *info = gpiod_chip_get_info(chip);
    if (info == NULL) return -1;
    long count = (long)gpiod_chip_info_get_num_lines(info);
    gpiod_chip_info_free(info);
    return count;
}

int readerd_gpio_backend_search(const char *path, const char *name, uint32_t *offset, size_t *found)
{
    *found = 0;
    struct gpiod_chip *chip = gpiod_chip_open(path);
    if (chip == NULL) return errno;
    long count = line_count(chip);
    int failure = count < 0 ? errno : 0;
    for (long number = 0; number < count; number++) {
        struct gpiod_line_info *line = gpiod_chip_get_line_info(chip, (unsigned int)number);
        if (line == NULL) {
            failure = errno;
            continue;
        }
        const char *candidate = gpiod_line_info_get_name(line);
        if (candidate != NULL && strcmp(candidate, name) == 0) {
            if (*found == 0) *offset = (uint32_t)number;
            *found += 1;
        }
        gpiod_line_info_free(line);
    }
    gpiod_chip_close(chip);
    return failure;
}

// Opens the chip if it has the line; otherwise NULL with the outcome.
static struct gpiod_chip *open_chip(
    const struct readerd_gpio_place *place, enum readerd_gpio_outcome *outcome, int *error)
{
    *error = 0;
    struct gpiod_chip *chip = gpiod_chip_open(place->chip);
    long count = chip == NULL ? -1 : line_count(chip);
    if (count < 0) *error = errno;
    if ((long)place->offset < count) return chip;
    if (chip != NULL) gpiod_chip_close(chip);
    *outcome = count < 0 ? READERD_GPIO_CHIP_FAILED : READERD_GPIO_NO_SUCH_OFFSET;
    return NULL;
}

// The parameters of a line request.
struct wish {
    bool active_low;
    enum gpiod_line_direction direction;
    // For outputs; ignored by the library for inputs.
    enum gpiod_line_value value;
    enum gpiod_line_bias bias;
    enum gpiod_line_edge edges;
};

// Requests the line from the kernel; NULL with errno on failure.
static struct gpiod_line_request *request_line(
    struct gpiod_chip *chip, unsigned int offset, const struct wish *wish)
{
    struct gpiod_line_request *request = NULL;
    struct gpiod_line_settings *settings = gpiod_line_settings_new();
    struct gpiod_line_config *lines = gpiod_line_config_new();
    struct gpiod_request_config *config = gpiod_request_config_new();
    if (settings != NULL && lines != NULL && config != NULL) {
        gpiod_line_settings_set_active_low(settings, wish->active_low);
        gpiod_request_config_set_consumer(config, READERD_GPIO_CONSUMER);
        if (gpiod_line_settings_set_direction(settings, wish->direction) == 0
            && gpiod_line_settings_set_output_value(settings, wish->value) == 0
            && gpiod_line_settings_set_bias(settings, wish->bias) == 0
            && gpiod_line_settings_set_edge_detection(settings, wish->edges) == 0
            && gpiod_line_config_add_line_settings(lines, &offset, 1, settings) == 0)
            request = gpiod_chip_request_lines(chip, config, lines);
    }
    int failure = errno;
    gpiod_request_config_free(config);
    gpiod_line_config_free(lines);
    gpiod_line_settings_free(settings);
    errno = failure;
    return request;
}

static enum readerd_gpio_outcome hold(
    const struct readerd_gpio_place *place, const struct wish *wish, struct held_line *held, int *error)
{
    enum readerd_gpio_outcome outcome;
    struct gpiod_chip *chip = open_chip(place, &outcome, error);
    if (chip == NULL) return outcome;
    held->offset = place->offset;
    held->request = request_line(chip, place->offset, wish);
    if (held->request == NULL) *error = errno;
    // The request remains valid after the chip is closed.
    gpiod_chip_close(chip);
    return held->request == NULL ? READERD_GPIO_REQUEST_FAILED : READERD_GPIO_OK;
}

static enum readerd_gpio_outcome get(struct held_line held, bool *active, int *error)
{
    *error = 0;
    enum gpiod_line_value value = gpiod_line_request_get_value(held.request, held.offset);
    if (value == GPIOD_LINE_VALUE_ERROR) {
        *error = errno;
        return READERD_GPIO_ACCESS_FAILED;
    }
    *active = value == GPIOD_LINE_VALUE_ACTIVE;
    return READERD_GPIO_OK;
}

enum readerd_gpio_outcome readerd_gpio_open_output(
    const struct readerd_gpio_place *place, bool active_low, bool active, struct readerd_gpio_output **output,
    int *error)
{
    *error = 0;
    struct readerd_gpio_output *opened = malloc(sizeof *opened);
    if (opened == NULL) return READERD_GPIO_NO_MEMORY;
    struct wish wish = {
        .active_low = active_low,
        .direction = GPIOD_LINE_DIRECTION_OUTPUT,
        .value = active ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE,
        .bias = GPIOD_LINE_BIAS_AS_IS,
        .edges = GPIOD_LINE_EDGE_NONE,
    };
    enum readerd_gpio_outcome outcome = hold(place, &wish, &opened->held, error);
    if (outcome == READERD_GPIO_OK) *output = opened;
    else free(opened);
    return outcome;
}

enum readerd_gpio_outcome readerd_gpio_set(struct readerd_gpio_output *output, bool active, int *error)
{
    *error = 0;
    enum gpiod_line_value value = active ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE;
    if (gpiod_line_request_set_value(output->held.request, output->held.offset, value) == 0) return READERD_GPIO_OK;
    *error = errno;
    return READERD_GPIO_ACCESS_FAILED;
}

enum readerd_gpio_outcome readerd_gpio_get(struct readerd_gpio_output *output, bool *active, int *error)
{
    return get(output->held, active, error);
}

void readerd_gpio_close(struct readerd_gpio_output *output)
{
    if (output == NULL) return;
    gpiod_line_request_release(output->held.request);
    free(output);
}

enum readerd_gpio_outcome readerd_gpio_open_input(
    const struct readerd_gpio_place *place, bool active_low, enum readerd_gpio_bias bias,
    struct readerd_gpio_input **input, int *error)
{
    *error = 0;
    struct readerd_gpio_input *opened = malloc(sizeof *opened);
    struct gpiod_edge_event_buffer *buffer = gpiod_edge_event_buffer_new(1);
    enum readerd_gpio_outcome outcome = READERD_GPIO_NO_MEMORY;
    if (opened != NULL && buffer != NULL) {
        struct wish wish = {
            .active_low = active_low,
            .direction = GPIOD_LINE_DIRECTION_INPUT,
            .value = GPIOD_LINE_VALUE_INACTIVE,
            .bias = GPIOD_LINE_BIAS_AS_IS,
            .edges = GPIOD_LINE_EDGE_BOTH,
        };
        if (bias == READERD_GPIO_BIAS_PULL_UP) wish.bias = GPIOD_LINE_BIAS_PULL_UP;
        if (bias == READERD_GPIO_BIAS_PULL_DOWN) wish.bias = GPIOD_LINE_BIAS_PULL_DOWN;
        outcome = hold(place, &wish, &opened->held, error);
    }
    if (outcome != READERD_GPIO_OK) {
        free(opened);
        gpiod_edge_event_buffer_free(buffer);
        return outcome;
    }
    opened->buffer = buffer;
    *input = opened;
    return READERD_GPIO_OK;
}

int readerd_gpio_input_descriptor(struct readerd_gpio_input *input)
{
    return gpiod_line_request_get_fd(input->held.request);
}

enum readerd_gpio_outcome readerd_gpio_input_get(struct readerd_gpio_input *input, bool *active, int *error)
{
    return get(input->held, active, error);
}

enum readerd_gpio_outcome readerd_gpio_next_edge(
    struct readerd_gpio_input *input, bool *active, uint64_t *nanoseconds, int *error)
{
    *error = 0;
    int waiting = gpiod_line_request_wait_edge_events(input->held.request, 0);
    if (waiting == 0) return READERD_GPIO_NO_EDGE;
    if (waiting < 0 || gpiod_line_request_read_edge_events(input->held.request, input->buffer, 1) < 1) {
        *error = errno;
        return READERD_GPIO_ACCESS_FAILED;
    }
    // Owned by the buffer.
    struct gpiod_edge_event *event = gpiod_edge_event_buffer_get_event(input->buffer, 0);
    *active = gpiod_edge_event_get_event_type(event) == GPIOD_EDGE_EVENT_RISING_EDGE;
    *nanoseconds = gpiod_edge_event_get_timestamp_ns(event);
    return READERD_GPIO_OK;
}

void readerd_gpio_close_input(struct readerd_gpio_input *input)
{
    if (input == NULL) return;
    gpiod_line_request_release(input->held.request);
    gpiod_edge_event_buffer_free(input->buffer);
    free(input);
}

#endif

// SPDX-License-Identifier: Apache-2.0

#ifndef CTOML_H
#define CTOML_H

// TOML 1.0 text as a flat list of its entries, implemented with toml++ (MIT). No function throws an exception.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum readerd_toml_kind {
    READERD_TOML_TABLE = 0,
    // `count` elements, each a separate entry.
    READERD_TOML_ARRAY,
    READERD_TOML_STRING,
    READERD_TOML_INTEGER,
    READERD_TOML_FLOAT,
    READERD_TOML_BOOLEAN,
    // A date, a time, or both, without distinction.
    READERD_TOML_DATE_TIME,
};

// UTF-8 text, not terminated, possibly with zeros; valid for the lifetime of the document.
struct readerd_toml_text {
    const char *octets;
    size_t count;
};

// A table, an array, a value, or an element of an array.
struct readerd_toml_entry {
    // Keys from the root, joined by dots; a key that is not bare is quoted, with \" and \\ inside. An element of an
    // array has the path of its array; the elements of a nested array, and the keys of a table in an array, have that
    // path with [index] appended.
    struct readerd_toml_text path;
    // The index of the element in its array; -1 for a key's value.
    int64_t index;
    enum readerd_toml_kind kind;
    // The number of elements of an array.
    size_t count;
    struct readerd_toml_text string;
    int64_t integer;
    double real;
    bool boolean;
    // The position of the key or the element, both from 1.
    uint32_t line;
    uint32_t column;
};

// The reason why the text is not TOML.
struct readerd_toml_fault {
    struct readerd_toml_text message;
    // Both from 1; 0 if there is no position, as without memory.
    uint32_t line;
    uint32_t column;
};

struct readerd_toml_document;

// Parses the text. NULL only without memory; invalid text gives a document with a fault.
struct readerd_toml_document *readerd_toml_parse(const char *octets, size_t count);

// True, and the fault, if the text was invalid; such a document has no entries.
bool readerd_toml_get_fault(const struct readerd_toml_document *document, struct readerd_toml_fault *fault);

// The number of entries.
size_t readerd_toml_entry_count(const struct readerd_toml_document *document);

// The entry at the index `number`, from 0, in the order of the text; false if there are fewer.
bool readerd_toml_get_entry(
    const struct readerd_toml_document *document, size_t number, struct readerd_toml_entry *entry);

// Frees the document and all of its text. NULL is allowed.
void readerd_toml_free(struct readerd_toml_document *document);

#ifdef __cplusplus
}
#endif

#endif

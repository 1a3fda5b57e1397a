#pragma once
#include <stddef.h>

/// A file of the console, part of the binary.
struct swiftlet_console_asset {
    const char *name;
    const unsigned char *bytes;
    size_t count;
};

extern const size_t swiftlet_console_asset_count;

/// `index` is below `swiftlet_console_asset_count`.
const struct swiftlet_console_asset *swiftlet_console_asset_at(size_t index);

/// Most bytes that `count` bytes may become.
size_t swiftlet_gzip_bound(size_t count);

/// Writes gzip (RFC 1952) and returns how many bytes; 0 on failure.
size_t swiftlet_gzip(const unsigned char *bytes, size_t count, unsigned char *output, size_t capacity);

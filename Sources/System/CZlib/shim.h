#ifndef CZLIB_SHIM_H
#define CZLIB_SHIM_H

#include <zlib.h>

// The functions of zlib that begin a stream are macros, which Swift does not see.
static inline int czlib_deflate_gzip(z_stream *stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}
static inline int czlib_inflate_gzip(z_stream *stream) {
    return inflateInit2(stream, 15 + 16);
}

#endif

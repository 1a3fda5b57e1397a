// SwiftPM's embedInCode makes an array literal of each file, which takes a compiler 18 s for 64 kB. This takes 30 ms.
#include "include/console_assets.h"
#include <zlib.h>

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char index_html[] = {
#embed "../../Services/Console/Assets/index.html"
};
static const unsigned char docs_html[] = {
#embed "../../Services/Console/Assets/docs.html"
};
static const unsigned char style_css[] = {
#embed "../../Services/Console/Assets/style.css"
};
static const unsigned char preact[] = {
#embed "../../Services/Console/Assets/preact-10.27.2-htm-3.1.1.min.js"
};
static const unsigned char base_js[] = {
#embed "../../Services/Console/Assets/base.js"
};
static const unsigned char parts_js[] = {
#embed "../../Services/Console/Assets/parts.js"
};
static const unsigned char app_js[] = {
#embed "../../Services/Console/Assets/app.js"
};
static const unsigned char home_js[] = {
#embed "../../Services/Console/Assets/home.js"
};
static const unsigned char tables_js[] = {
#embed "../../Services/Console/Assets/tables.js"
};
static const unsigned char sheet_js[] = {
#embed "../../Services/Console/Assets/sheet.js"
};
static const unsigned char access_js[] = {
#embed "../../Services/Console/Assets/access.js"
};
static const unsigned char users_js[] = {
#embed "../../Services/Console/Assets/users.js"
};
static const unsigned char functions_js[] = {
#embed "../../Services/Console/Assets/functions.js"
};
static const unsigned char operations_js[] = {
#embed "../../Services/Console/Assets/operations.js"
};
static const unsigned char jobs_js[] = {
#embed "../../Services/Console/Assets/jobs.js"
};
static const unsigned char columns_js[] = {
#embed "../../Services/Console/Assets/columns.js"
};
static const unsigned char live_js[] = {
#embed "../../Services/Console/Assets/live.js"
};
static const unsigned char logs_js[] = {
#embed "../../Services/Console/Assets/logs.js"
};
static const unsigned char metrics_js[] = {
#embed "../../Services/Console/Assets/metrics.js"
};
static const unsigned char sql_js[] = {
#embed "../../Services/Console/Assets/sql.js"
};
static const unsigned char schema_js[] = {
#embed "../../Services/Console/Assets/schema.js"
};
static const unsigned char settings_js[] = {
#embed "../../Services/Console/Assets/settings.js"
};
static const unsigned char files_js[] = {
#embed "../../Services/Console/Assets/files.js"
};
static const unsigned char push_js[] = {
#embed "../../Services/Console/Assets/push.js"
};
static const unsigned char backups_js[] = {
#embed "../../Services/Console/Assets/backups.js"
};
static const unsigned char docs_js[] = {
#embed "../../Services/Console/Assets/docs.js"
};

#define ASSET(file, bytes) { file, bytes, sizeof bytes }

static const struct swiftlet_console_asset assets[] = {
    ASSET("index.html", index_html),
    ASSET("docs.html", docs_html),
    ASSET("style.css", style_css),
    ASSET("preact-10.27.2-htm-3.1.1.min.js", preact),
    ASSET("base.js", base_js),
    ASSET("parts.js", parts_js),
    ASSET("app.js", app_js),
    ASSET("home.js", home_js),
    ASSET("tables.js", tables_js),
    ASSET("sheet.js", sheet_js),
    ASSET("access.js", access_js),
    ASSET("users.js", users_js),
    ASSET("functions.js", functions_js),
    ASSET("operations.js", operations_js),
    ASSET("jobs.js", jobs_js),
    ASSET("columns.js", columns_js),
    ASSET("live.js", live_js),
    ASSET("logs.js", logs_js),
    ASSET("metrics.js", metrics_js),
    ASSET("sql.js", sql_js),
    ASSET("schema.js", schema_js),
    ASSET("settings.js", settings_js),
    ASSET("files.js", files_js),
    ASSET("push.js", push_js),
    ASSET("backups.js", backups_js),
    ASSET("docs.js", docs_js),
};

const size_t swiftlet_console_asset_count = sizeof assets / sizeof *assets;

const struct swiftlet_console_asset *swiftlet_console_asset_at(size_t index) { return &assets[index]; }

size_t swiftlet_gzip_bound(size_t count) { return compressBound(count) + 18; }

size_t swiftlet_gzip(const unsigned char *bytes, size_t count, unsigned char *output, size_t capacity) {
    z_stream stream = { 0 };
    // 15 bits of window, and 16 for the header of gzip.
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
    stream.next_in = (unsigned char *)bytes;
    stream.avail_in = (uInt)count;
    stream.next_out = output;
    stream.avail_out = (uInt)capacity;
    int result = deflate(&stream, Z_FINISH);
    deflateEnd(&stream);
    return result == Z_STREAM_END ? stream.total_out : 0;
}

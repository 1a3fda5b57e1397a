/// How `/render/image` is served.
package struct ImageSettings: Sendable {
    /// Whether images are rendered (`IMAGES`).
    package var isOn = true
    /// Where rendered images lie until they are rendered anew.
    package var folder: String?
    /// What these may come to (`IMAGE_CACHE_BYTES`), in bytes.
    package var cacheBytes = 1 << 30
    /// The largest source, width times height (`IMAGE_MAX_PIXELS`).
    package var maximumPixels = 50_000_000
    /// The widths and heights that may be asked for (`IMAGE_SIZES`); nil for all up to ``ImageOptions/maximumSide``.
    package var sizes: Set<Int>?
    /// The largest source, in bytes.
    var maximumBytes = 25 << 20
    /// Where `vipsthumbnail` and `vipsheader` are looked for.
    package var searchPath: String?

    package init() {}

    /// Whether the programs are there that render.
    package var hasProgram: Bool { ImageProgram(searchPath: searchPath) != nil }
}

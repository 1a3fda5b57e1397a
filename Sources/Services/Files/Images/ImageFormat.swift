/// What images come as, and are rendered as.
enum ImageFormat: String, Sendable {
    case jpeg
    case png
    case webp
    case gif
    case avif
    /// Of iPhones: it is read, never written.
    case heic

    var contentType: String { "image/\(rawValue)" }

    /// What the first bytes of a file say (WHATWG MIME Sniffing §6.1; ISO/IEC 14496-12 §4.3 for the brands of HEIC and
    /// AVIF). nil for everything else, which no decoder gets to see.
    init?(firstBytes bytes: [UInt8]) {
        func has(_ text: String, at index: Int = 0) -> Bool { bytes.dropFirst(index).starts(with: text.utf8) }
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if has("RIFF"), has("WEBP", at: 8) {
            self = .webp
        } else if has("GIF87a") || has("GIF89a") {
            self = .gif
        } else if has("ftyp", at: 4) {
            switch String(decoding: bytes.dropFirst(8).prefix(4), as: UTF8.self) {
            case "avif", "avis": self = .avif
            case "heic", "heix", "hevc", "hevx", "heim", "heis", "mif1", "msf1": self = .heic
            default: return nil
            }
        } else {
            return nil
        }
    }

    static let longestMark = 12

    /// The loader of libvips for it. Another one that recognizes the file too is not wanted.
    var loader: String {
        switch self {
        case .jpeg: "jpegload"
        case .png: "pngload"
        case .webp: "webpload"
        case .gif: "gifload"
        case .avif, .heic: "heifload"
        }
    }

    /// The end of a file's name, which decides what libvips writes.
    var suffix: String {
        switch self {
        case .jpeg, .heic: ".jpg"
        case .png: ".png"
        case .webp: ".webp"
        case .gif: ".gif"
        case .avif: ".avif"
        }
    }

    /// The options of its saver, behind the suffix. Where a photo was taken is nobody's business.
    func saving(_ quality: Int) -> String {
        switch self {
        case .jpeg, .heic: "[Q=\(quality),strip,optimize_coding]"
        case .webp: "[Q=\(quality),strip]"
        case .avif: "[Q=\(quality),strip,effort=2]"
        case .png, .gif: "[strip]"
        }
    }
}

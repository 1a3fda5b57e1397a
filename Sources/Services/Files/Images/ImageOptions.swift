import SwiftletHTTP
import SwiftletJSON

/// How an image is to be rendered, as Supabase's clients say it.
struct ImageOptions: Equatable, Sendable {
    enum Resizing: String, CaseIterable {
        /// Fills both sides; what does not fit is cut off evenly.
        case cover
        /// Fits into both sides.
        case contain
        /// Has both sides, whatever becomes of the proportions.
        case fill

        /// What imgproxy calls it.
        fileprivate var type: String {
            switch self {
            case .cover: "fill"
            case .contain: "fit"
            case .fill: "force"
            }
        }
    }

    enum Format: String, CaseIterable {
        /// That of the source.
        case origin
        case webp
        case avif
    }

    /// In pixels; without one of them the proportions decide, without both the size stays.
    var width: Int?
    var height: Int?
    var resizing = Resizing.cover
    /// 20…100, of formats that have one; nil for 80.
    var quality: Int?
    /// nil to choose by what the client accepts.
    var format: Format?

    static let maximumSide = 2500
    private static let names = ["width", "height", "resize", "quality", "format"]

    /// Takes each option's text by its name; `place` is where they are from, for messages.
    private init(_ place: String, _ text: (String) throws(FilesError) -> String?) throws(FilesError) {
        func number(_ name: String) throws(FilesError) -> Int? {
            guard let text = try text(name) else { return nil }
            guard let number = Int(text) else { throw .badRequest("\(place)/\(name) must be integer") }
            guard number >= 0 else { throw .badRequest("\(place)/\(name) must be >= 0") }
            return number
        }
        func choice<Choice: RawRepresentable & CaseIterable>(
            _ name: String,
            _ type: Choice.Type
        ) throws(FilesError) -> Choice? where Choice.RawValue == String {
            guard let text = try text(name) else { return nil }
            guard let choice = Choice(rawValue: text) else {
                let all = Choice.allCases.map(\.rawValue).joined(separator: ", ")
                throw .badRequest("\(place)/\(name) must be equal to one of the allowed values: \(all)")
            }
            return choice
        }
        width = try number("width").map { min(max(1, $0), Self.maximumSide) }
        height = try number("height").map { min(max(1, $0), Self.maximumSide) }
        resizing = try choice("resize", Resizing.self) ?? .cover
        if let quality = try number("quality") {
            guard (20...100).contains(quality) else { throw .badRequest("\(place)/quality must be 20 to 100") }
            self.quality = quality
        }
        format = try choice("format", Format.self)
    }

    init(_ query: Query) throws(FilesError) {
        try self.init("querystring") { name throws(FilesError) in query[name].flatMap { $0.isEmpty ? nil : $0 } }
    }

    /// nil for an object without any option: there is nothing to transform then.
    init?(transform value: JSONValue?) throws(FilesError) {
        guard let value, !value.isNull else { return nil }
        guard let object = value.object else { throw .badRequest("body/transform must be object") }
        guard Self.names.contains(where: { object[$0].map { !$0.isNull } ?? false }) else { return nil }
        try self.init("body/transform") { name throws(FilesError) in
            guard let value = object[name], !value.isNull else { return nil }
            return value.string ?? value.description
        }
    }

    /// The claim of a link: `height:100,width:200,resize:cover`. nil for what is none.
    init?(claim: String) {
        var options: [String: String] = [:]
        for part in claim.split(separator: ",") {
            let pair = part.split(separator: ":", maxSplits: 1).map(String.init)
            guard pair.count == 2 else { return nil }
            options[pair[0]] = pair[1]
        }
        let found = options
        guard let read = try? ImageOptions("claim", { name throws(FilesError) in found[name] }) else { return nil }
        self = read
    }

    /// Says all that decides over the result, in one order.
    var claim: String {
        var parts: [String] = []
        if let height { parts.append("height:\(height)") }
        if let width { parts.append("width:\(width)") }
        parts.append("resize:\(resizing.rawValue)")
        if let quality { parts.append("quality:\(quality)") }
        if let format { parts.append("format:\(format.rawValue)") }
        return parts.joined(separator: ",")
    }

    /// What was done, in the words of Supabase's header `X-Transformations`, which are imgproxy's.
    var transformations: String {
        var parts: [String] = []
        if let height { parts.append("height:\(height)") }
        if let width { parts.append("width:\(width)") }
        if width != nil || height != nil { parts.append("resizing_type:\(resizing.type)") }
        if let quality { parts.append("quality:\(quality)") }
        if let format, format != .origin { parts.append("format:\(format.rawValue)") }
        return parts.joined(separator: ",")
    }

    /// Throws ``FilesError`` for a side that the operator does not allow.
    func check(_ settings: ImageSettings) throws(FilesError) {
        guard let sizes = settings.sizes else { return }
        for side in [width, height] {
            guard let side, !sizes.contains(side) else { continue }
            let all = sizes.sorted().map(String.init).joined(separator: ", ")
            throw .badRequest("\(side) is none of the sizes of this server: \(all)")
        }
    }

    /// What is written for a source. By itself it is never AVIF, which takes long to write.
    func output(of source: ImageFormat, acceptsWebP: Bool) -> ImageFormat {
        switch format {
        case .webp: .webp
        case .avif: .avif
        case nil where acceptsWebP: .webp
        case .origin, nil: source == .heic ? .jpeg : source
        }
    }

    /// The arguments of `vipsthumbnail`. Nothing is enlarged.
    func arguments(for source: ImageHeader) -> [String] {
        let (width, height) = (width.map(String.init) ?? "", height.map(String.init) ?? "")
        if width.isEmpty, height.isEmpty { return ["--size", "\(source.width)x\(source.height)>"] }
        guard !width.isEmpty, !height.isEmpty else { return ["--size", "\(width)x\(height)>"] }
        switch resizing {
        case .cover: return ["--size", "\(width)x\(height)>", "--smartcrop", "centre"]
        case .contain: return ["--size", "\(width)x\(height)>"]
        case .fill:
            let sides = [min(self.width ?? 1, source.width), min(self.height ?? 1, source.height)]
            return ["--size", "\(sides[0])x\(sides[1])!"]
        }
    }
}

/// What the head of an image says, as it is to be looked at.
struct ImageHeader: Equatable, Sendable {
    let width: Int
    let height: Int
    let loader: String

    /// Reads what `vipsheader -a` prints. nil unless it is an image.
    init?(_ text: String) {
        var fields: [Substring: Substring] = [:]
        for line in text.split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[colon...].dropFirst().drop { $0 == " " }
            // The first ones are those of libvips itself; what follows may be the file's.
            if fields[line[..<colon]] == nil { fields[line[..<colon]] = value }
        }
        guard let width = fields["width"].flatMap({ Int($0) }), let height = fields["height"].flatMap({ Int($0) }),
            let loader = fields["vips-loader"], width > 0, height > 0
        else { return nil }
        // EXIF 5 to 8 lie on their side.
        let isTurned = fields["orientation"].flatMap { Int($0) }.map { (5...8).contains($0) } ?? false
        self.width = isTurned ? height : width
        self.height = isTurned ? width : height
        self.loader = String(loader)
    }
}

import SwiftletBytes

/// Copies a JSON text with its times normalized, in one pass that builds no values.
///
/// The grammar tells keys from values, and JSON from other text. Ill-formed UTF-8 is not detected. Nesting costs one
/// bit per level, so the depth is not limited.
enum StampRewriter {
    /// Appends the rewritten text and returns true. When there is nothing to change, or the text is not JSON, appends
    /// nothing and returns false.
    ///
    /// Times that apps cannot decode become null where `nulled` says so. `names` are those of the outermost members
    /// that they stood in, each once; empty for one outside of objects.
    static func rewrite(
        _ json: Span<UInt8>,
        nulling nulled: NestedTimes = .none,
        names: inout [String],
        into buffer: inout ByteBuffer
    ) -> Bool {
        var scanner = JSONScanner(json, maximumDepth: .max, allowsLoneSurrogates: true)
        let start = buffer.count
        // The source up to here has been copied to the buffer.
        var copied = 0
        // How many objects are open, and where the name of the outermost one's last member stands.
        var objects = 0
        var member = 0..<0
        do throws(JSONError) {
            while true {
                switch try scanner.next() {
                case .string:
                    let text = scanner.start &+ 1..<scanner.closingQuote
                    if let stamp = DateNormalizer.stamp(json.extracting(text)) {
                        buffer.append(json.extracting(copied..<text.lowerBound))
                        buffer.append(stamp)
                        copied = text.upperBound
                    } else if nulled != .none, UndecodableTime.isJSON(json.extracting(scanner.start..<scanner.index)) {
                        let name = objects > 0 ? String(utf8: json.extracting(member)) : ""
                        guard nulled.includes(name) else { continue }
                        buffer.append(json.extracting(copied..<scanner.start))
                        buffer.append("null")
                        copied = scanner.index
                        if !names.contains(name) { names.append(name) }
                    }
                case .name where objects == 1: member = scanner.start &+ 1..<scanner.closingQuote
                case .beginObject: objects &+= 1
                case .endObject: objects &-= 1
                case .end:
                    guard copied > 0 else { return false }
                    buffer.append(json.extracting(copied..<json.count))
                    return true
                default: continue
                }
            }
        } catch {
            buffer.truncate(to: start)
            return false
        }
    }

    /// The same, with all texts that are no times as they are.
    static func rewrite(_ json: Span<UInt8>, into buffer: inout ByteBuffer) -> Bool {
        var names: [String] = []
        return rewrite(json, names: &names, into: &buffer)
    }
}

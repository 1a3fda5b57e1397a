/// Copies a JSON text with its times normalized, in one pass that builds no values.
///
/// The grammar tells keys from values, and JSON from other text. Ill-formed UTF-8 is not detected. Nesting costs one
/// bit per level, so the depth is not limited.
enum StampRewriter {
    /// Appends the rewritten text and returns true. When there is nothing to change, or the text is not JSON, appends
    /// nothing and returns false.
    static func rewrite(_ json: Span<UInt8>, into buffer: inout ByteBuffer) -> Bool {
        var scanner = JSONScanner(json, maximumDepth: .max, allowsLoneSurrogates: true)
        let start = buffer.count
        // The source up to here has been copied to the buffer.
        var copied = 0
        do throws(JSONError) {
            while true {
                switch try scanner.next() {
                case .string:
                    let text = scanner.start &+ 1..<scanner.closingQuote
                    guard let stamp = DateNormalizer.stamp(json.extracting(text)) else { continue }
                    buffer.append(json.extracting(copied..<text.lowerBound))
                    buffer.append(stamp)
                    copied = text.upperBound
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
}

/// A key in camelCase. It becomes what `convertFromSnakeCase` makes of it, in one pass instead of several strings for
/// each word: those are half the time that a list takes.
struct CamelCaseKey: CodingKey {
    // Nothing else: a larger key would be an allocation, of which there is one for each member of each object.
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }

    init?(intValue: Int) { nil }

    init(snakeCase key: String) {
        var key = key
        stringValue = key.withUTF8 { unsafe Self.camelCased($0) } ?? key
    }

    private static let underscore = UInt8(ascii: "_")

    /// Underscores at both ends stay, and letters beyond ASCII. nil for a key of one word, which stays as it is.
    private static func camelCased(_ key: UnsafeBufferPointer<UInt8>) -> String? {
        guard let start = unsafe key.firstIndex(where: { $0 != underscore }),
            let end = unsafe key.lastIndex(where: { $0 != underscore }),
            unsafe key[start...end].contains(underscore)
        else { return nil }
        return unsafe String(unsafeUninitializedCapacity: key.count) { result in
            var (count, isFirstWord, beginsWord) = (0, true, false)
            for index in key.indices {
                let byte = unsafe key[index]
                if byte == underscore, start < index, index < end {
                    (isFirstWord, beginsWord) = (false, true)
                    continue
                }
                unsafe result[count] = beginsWord && !isFirstWord ? byte.uppercased : byte.lowercased
                count += 1
                beginsWord = false
            }
            return count
        }
    }
}

extension UInt8 {
    fileprivate var uppercased: UInt8 { self &- 0x61 < 26 ? self & 0xDF : self }
    fileprivate var lowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
}

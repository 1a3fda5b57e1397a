/// Finds what somebody may have meant.
package enum NearestName {
    /// The name that is most like it, if one is like it at all: it shares three letters in a row with it, or two, and a
    /// third of its letters. PostgREST chooses by the same measure.
    ///
    /// `leastLikeness` is higher for what is told to everybody, so that nobody learns names by trying.
    package static func find(_ wanted: String, among names: [String], leastLikeness: Double = 0.33) -> String? {
        for size in [3, 2] {
            let parts = parts(of: wanted, size)
            var best: (name: String, likeness: Double)?
            for name in names.sorted() where !parts.isDisjoint(with: self.parts(of: name, size)) {
                let likeness = likeness(wanted, name)
                if likeness >= leastLikeness, likeness > best?.likeness ?? 0 { best = (name, likeness) }
            }
            if let best { return best.name }
        }
        return nil
    }

    /// Every `size` letters in a row, with a mark at each end.
    private static func parts(of name: String, _ size: Int) -> Set<ArraySlice<Character>> {
        let letters = name.lowercased().prefix(64).filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "," }
        let marked = ["-"] + Array(letters) + ["-"]
        guard marked.count >= size else { return [] }
        return Set((0...(marked.count - size)).map { marked[$0..<($0 + size)] })
    }

    /// 1 for the same, 0 for nothing in common.
    private static func likeness(_ first: String, _ second: String) -> Double {
        let first = Array(first.lowercased().utf8.prefix(64))
        let second = Array(second.lowercased().utf8.prefix(64))
        let longest = max(first.count, second.count, 1)
        return 1 - Double(distance(first, second)) / Double(longest)
    }

    /// Letters to insert, delete or replace (Levenshtein's distance).
    private static func distance(_ first: [UInt8], _ second: [UInt8]) -> Int {
        var row = Array(0...second.count)
        for (place, letter) in first.enumerated() {
            var diagonal = row[0]
            row[0] = place + 1
            for (column, other) in second.enumerated() {
                let substituted = diagonal + (letter == other ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(substituted, min(row[column], row[column + 1]) + 1)
            }
        }
        return row[second.count]
    }
}

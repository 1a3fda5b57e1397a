/// Finds what somebody may have meant.
enum NearestName {
    /// The name with the fewest changed letters, if it is near enough.
    static func find(_ wanted: String, among names: [String]) -> String? {
        let letters = Array(wanted.utf8.prefix(64))
        var best: (name: String, distance: Int)?
        for name in names.sorted() {
            let distance = distance(letters, Array(name.utf8.prefix(64)))
            if distance <= max(2, letters.count / 3), distance < best?.distance ?? Int.max { best = (name, distance) }
        }
        return best?.name
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

/// The duration of a ban: `none`, or in Go's format, such as `24h`, `1h30m`, `90s`.
enum BanDuration {
    /// 0 for `none`; nil for an invalid duration or one of more than three centuries.
    static func seconds(_ text: String) -> Int? {
        guard text != "none" else { return 0 }
        var seconds = 0.0
        var digits = ""
        for character in text {
            guard let unit = unit(character) else {
                digits.append(character)
                continue
            }
            guard let number = Double(digits), number >= 0 else { return nil }
            seconds += number * unit
            digits = ""
        }
        return digits.isEmpty && seconds >= 1 && seconds < maximumSeconds ? Int(seconds) : nil
    }

    private static let maximumSeconds = 1e10

    private static func unit(_ character: Character) -> Double? {
        switch character {
        case "h": 3600
        case "m": 60
        case "s": 1
        default: nil
        }
    }
}

/// A time in the two forms that leave the server: whole seconds in responses, milliseconds in logs.
package struct UTCTime: Sendable {
    private let milliseconds: Int

    package init(milliseconds: Int) {
        self.milliseconds = milliseconds
    }

    /// `2024-01-15T10:30:00Z`.
    package var wholeSeconds: String {
        Stamp(secondsSince1970: milliseconds / 1_000)?.text ?? ""
    }

    /// `2024-01-15T10:30:00.123Z`.
    package var text: String {
        let fraction = String(1_000 + milliseconds % 1_000).dropFirst()
        return wholeSeconds.dropLast() + "." + fraction + "Z"
    }
}

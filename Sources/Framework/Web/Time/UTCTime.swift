/// A time in the two forms that leave the server: whole seconds in responses, milliseconds in logs.
package struct UTCTime: Sendable {
    private let milliseconds: Int

    package init(milliseconds: Int) {
        self.milliseconds = milliseconds
    }

    /// `2024-01-15T10:30:00Z`.
    package var wholeSeconds: String { stamp?.text ?? "" }

    /// `2024-01-15T10:30:00.123Z`.
    package var text: String { stamp?.text(milliseconds: milliseconds % 1_000) ?? "" }

    /// Writes ``text`` as a JSON string.
    func write(to json: inout JSONWriter) {
        guard let stamp else { return json.write("") }
        json.write(stamp, milliseconds: milliseconds % 1_000)
    }

    private var stamp: Stamp? { Stamp(secondsSince1970: milliseconds / 1_000) }
}

extension Response {
    /// Rewrites every timestamp in a JSON body as UTC with whole seconds, see ``DateNormalizer``.
    mutating func normalizeDates() {
        guard !datesAreNormalized, let type = headers[.contentType], type.hasPrefix("application/json") else { return }
        body = DateNormalizer.normalize(body)
    }
}

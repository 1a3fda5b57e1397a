extension Response {
    /// Rewrites every timestamp in a JSON body as UTC with whole seconds, see ``JSON/DateNormaliser``.
    mutating func normaliseDates() {
        guard !datesAreNormalised, let type = headers[.contentType], type.hasPrefix("application/json") else { return }
        body = DateNormaliser.normalise(body)
    }
}

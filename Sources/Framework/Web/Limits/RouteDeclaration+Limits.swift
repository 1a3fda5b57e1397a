extension RouteDeclaration {
    /// The same route for `count` requests within `window`, of each account unless it says otherwise; more are a 429
    /// `RATE_LIMITED` that says when to come back.
    ///
    ///     Post("/:id/report", report).limited(to: 10, per: .seconds(60))
    ///     Post("/contact", contact).open().limited(to: 5, per: .seconds(3600), by: .address)
    ///
    /// Several limits hold at once. They come on top of those of the whole server (`RATE_LIMIT`).
    public func limited(to count: Int, per window: Duration, by partition: RateLimit.Partition = .account) -> Route {
        var route = route
        route.limits.append(RateLimit(count, per: window, by: partition))
        return route
    }
}

extension Environment {
    /// For commands that inspect a server: settings that are missing come from a `swiftlet dev` in this folder.
    func withDevelopmentDefaults(_ folder: DevelopmentFolder = DevelopmentFolder()) -> Environment {
        guard self["DATABASE_URL"] == nil else { return self }
        if self["PORT"] == nil, let server = RunningServer.find(in: folder) {
            return with("PORT", default: String(server.port)).withDevelopmentDefaults(folder)
        }
        var defaults = with("DATABASE_URL", default: folder.runningDatabaseURL)
        if self["S3_BUCKET"] == nil, folder.runningDatabaseURL != nil {
            defaults = defaults.with("STORAGE_PATH", default: folder.storage)
        }
        return hasKeys ? defaults : defaults.with("JWT_SECRET", default: folder.secret)
    }
}

/// What `--version` and `/health` say.
enum Version {
    static let text = "0.1.0"
}

/// The version that `--version` and `/health` show.
enum Version {
    static let text = "0.1.0"
}
